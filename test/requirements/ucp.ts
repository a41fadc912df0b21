/** One line of the UCP conformance checklist (spec/ucp.md section 8). */
export interface Requirement {
  readonly id: string
  readonly section: string
  readonly behaviour: string
  /** Why no test cites the line; only where none can. */
  readonly untested?: string
}

/** Every line of the checklist, in its order; tests cite the ids in their titles. */
export const UCP_REQUIREMENTS: readonly Requirement[] = [
  {
    id: 'UCP-1',
    section: 'Profile documents',
    behaviour: 'A profile without `ucp` or without `ucp.version` is malformed.',
  },
  {
    id: 'UCP-2',
    section: 'Profile documents',
    behaviour: '`ucp.version` not matching `YYYY-MM-DD` (e.g. `draft`, `2026-4-8`) is malformed.',
  },
  {
    id: 'UCP-3',
    section: 'Profile documents',
    behaviour:
      'Strict mode: missing `services` or `payment_handlers` is malformed; empty objects are fine; missing `capabilities` is fine.',
  },
  {
    id: 'UCP-4',
    section: 'Profile documents',
    behaviour: 'A registry key violating the reverse-domain grammar is malformed.',
  },
  {
    id: 'UCP-5',
    section: 'Profile documents',
    behaviour:
      'The wider grammar accepts `com.example-shop.checkout`, `com.2example.cart`, `xn--p1ai.example.checkout`; refuses `Com.x`, `com.-x`, `com.x-`, single labels.',
  },
  {
    id: 'UCP-6',
    section: 'Profile documents',
    behaviour:
      'A registry value that is an object instead of an array is malformed (strict) or wrapped with a report (lenient).',
  },
  {
    id: 'UCP-7',
    section: 'Profile documents',
    behaviour: 'Service entry without `transport`, or with an unknown one, is invalid.',
  },
  {
    id: 'UCP-8',
    section: 'Profile documents',
    behaviour:
      'Business `rest`, `mcp`, `a2a` entry without `endpoint` is invalid; `embedded` without is valid.',
  },
  {
    id: 'UCP-9',
    section: 'Profile documents',
    behaviour:
      'Platform `rest`, `mcp`, `embedded` entry without `schema` is invalid; `a2a` without is valid; every platform entry needs `spec`.',
  },
  {
    id: 'UCP-10',
    section: 'Profile documents',
    behaviour:
      'Platform capability needs `spec` and `schema`; business capability needs `schema` (2026-08-25 rules); response capability needs only `version`.',
  },
  {
    id: 'UCP-11',
    section: 'Profile documents',
    behaviour:
      '`extends` accepts a string or a non-empty array of names; `[]`, numbers, objects are invalid.',
  },
  {
    id: 'UCP-12',
    section: 'Profile documents',
    behaviour:
      '`operations` accepts an array of non-empty strings including `[]`; other types are reported as malformed and treated as absent.',
  },
  {
    id: 'UCP-13',
    section: 'Profile documents',
    behaviour: 'Lint schema refuses `operations` together with `extends`. (10)',
  },
  {
    id: 'UCP-14',
    section: 'Profile documents',
    behaviour: 'Unknown members of root, `ucp`, entries, `config` never cause rejection.',
  },
  {
    id: 'UCP-15',
    section: 'Profile documents',
    behaviour:
      'A key with private members is refused; a key of unknown type is skipped and the profile stays valid.',
  },
  {
    id: 'UCP-16',
    section: 'Profile documents',
    behaviour: '`signing_keys` is read when `keys` is absent.',
  },
  {
    id: 'UCP-17',
    section: 'Profile documents',
    behaviour: '2026-01-11 layout is normalised and reported. (29)',
  },
  {
    id: 'UCP-18',
    section: 'Profile documents',
    behaviour:
      'A bare agent profile (version and capability versions only) negotiates in lenient mode. (30)',
  },
  {
    id: 'UCP-19',
    section: 'Profile documents',
    behaviour:
      'A leaf profile containing `supported_versions` is reported; the inner map is never followed.',
  },
  {
    id: 'UCP-20',
    section: 'Profile documents',
    behaviour: '`map_order` never changes the active set or the operation set.',
  },
  {
    id: 'UCP-21',
    section: 'Fetching and announcing',
    behaviour: 'Business profile is requested at `/.well-known/ucp` on the business origin.',
  },
  {
    id: 'UCP-22',
    section: 'Fetching and announcing',
    behaviour: '`http:` profile URL is refused without a request.',
  },
  {
    id: 'UCP-23',
    section: 'Fetching and announcing',
    behaviour: 'A 3xx answer to a profile fetch is an error, not followed.',
  },
  {
    id: 'UCP-24',
    section: 'Fetching and announcing',
    behaviour: 'A 3xx answer to a schema fetch is an error, not followed.',
  },
  {
    id: 'UCP-25',
    section: 'Fetching and announcing',
    behaviour: 'Cached at least 60 s even with `no-store` from the origin.',
  },
  {
    id: 'UCP-26',
    section: 'Fetching and announcing',
    behaviour: 'Two lookups within the freshness time cause one request.',
  },
  {
    id: 'UCP-27',
    section: 'Fetching and announcing',
    behaviour: 'A profile of 127 KiB is accepted; an endless body is cut off.',
  },
  {
    id: 'UCP-28',
    section: 'Fetching and announcing',
    behaviour:
      'A host resolving to `169.254.169.254`, `127.0.0.1`, `10.0.0.1` is refused (loopback allowed by explicit development flag).',
  },
  {
    id: 'UCP-29',
    section: 'Fetching and announcing',
    behaviour: 'Own profile endpoint answers 200, JSON, `Cache-Control: public, max-age>=60`.',
  },
  {
    id: 'UCP-30',
    section: 'Fetching and announcing',
    behaviour:
      'Own profile endpoint never sends `private`, `no-store`, `no-cache`, nor a redirect.',
  },
  {
    id: 'UCP-31',
    section: 'Fetching and announcing',
    behaviour:
      'Own profile endpoint sends `ETag` or `Last-Modified` and honours conditional requests.',
  },
  {
    id: 'UCP-32',
    section: 'Fetching and announcing',
    behaviour: 'Every REST request carries `UCP-Agent: profile="..."`.',
  },
  {
    id: 'UCP-33',
    section: 'Fetching and announcing',
    behaviour: 'Every MCP call carries `meta["ucp-agent"].profile`.',
  },
  {
    id: 'UCP-34',
    section: 'Fetching and announcing',
    behaviour: 'Header vectors of 2.11 parse as listed.',
  },
  {
    id: 'UCP-35',
    section: 'Version selection',
    behaviour: 'Equal versions: the fetched profile is used, no leaf is fetched.',
  },
  {
    id: 'UCP-36',
    section: 'Version selection',
    behaviour: 'Version in `supported_versions`: the leaf is fetched and used alone. (19)',
  },
  {
    id: 'UCP-37',
    section: 'Version selection',
    behaviour: 'Leaf whose `ucp.version` differs from its key is not used.',
  },
  {
    id: 'UCP-38',
    section: 'Version selection',
    behaviour: 'Several candidates: the latest shared one is chosen.',
  },
  {
    id: 'UCP-39',
    section: 'Version selection',
    behaviour: 'No candidate: `version_unsupported`; REST 422, MCP -32001. (20)',
  },
  {
    id: 'UCP-40',
    section: 'Version selection',
    behaviour:
      'A newer platform version is *not* accepted just because it is newer or older; only equality counts.',
  },
  {
    id: 'UCP-41',
    section: 'Version selection',
    behaviour: 'Nothing of the current profile leaks into a leaf session. (19)',
  },
  {
    id: 'UCP-42',
    section: 'Authority binding and entry filters',
    behaviour: 'All 21 `authority_vectors` give the listed verdict. (18)',
  },
  {
    id: 'UCP-43',
    section: 'Authority binding and entry filters',
    behaviour:
      'An entity failing the check is absent from the result and its URL is never requested. (18)',
  },
  {
    id: 'UCP-44',
    section: 'Authority binding and entry filters',
    behaviour: '`spec` on a foreign https host is fine; `spec` on http is reported.',
  },
  {
    id: 'UCP-45',
    section: 'Authority binding and entry filters',
    behaviour: 'The check covers services and payment handlers as well as capabilities. (39)',
  },
  {
    id: 'UCP-46',
    section: 'Authority binding and entry filters',
    behaviour: 'An extension whose only parent failed the check is pruned. (18)',
  },
  {
    id: 'UCP-47',
    section: 'Authority binding and entry filters',
    behaviour:
      'Rules 2026-08-25: `dev.ucp.*` entry with a version other than `ucp.version` is absent, others stay. (22)',
  },
  {
    id: 'UCP-48',
    section: 'Authority binding and entry filters',
    behaviour: 'Rules 2026-04-08: the same entry is usable. (23)',
  },
  {
    id: 'UCP-49',
    section: 'Authority binding and entry filters',
    behaviour: 'Vendor entries may carry any date. (3, 4)',
  },
  {
    id: 'UCP-50',
    section: 'Intersection',
    behaviour: 'Capability on one side only is not active. (1)',
  },
  {
    id: 'UCP-51',
    section: 'Intersection',
    behaviour: 'Same name, no shared version: not active. (3)',
  },
  {
    id: 'UCP-52',
    section: 'Intersection',
    behaviour: 'Several shared versions: the greatest date. (4)',
  },
  {
    id: 'UCP-53',
    section: 'Intersection',
    behaviour: 'Newest version of one side that the other lacks is never chosen. (4)',
  },
  {
    id: 'UCP-54',
    section: 'Intersection',
    behaviour: 'Single-parent extension without its parent is removed. (5)',
  },
  {
    id: 'UCP-55',
    section: 'Intersection',
    behaviour: 'Multi-parent extension with one live parent stays. (7)',
  },
  {
    id: 'UCP-56',
    section: 'Intersection',
    behaviour: 'Multi-parent extension without live parent is removed. (8)',
  },
  {
    id: 'UCP-57',
    section: 'Intersection',
    behaviour: 'Chains of three are removed completely. (6)',
  },
  {
    id: 'UCP-58',
    section: 'Intersection',
    behaviour: 'A parent that was itself pruned does not keep its child. (9)',
  },
  {
    id: 'UCP-59',
    section: 'Intersection',
    behaviour: 'A parent excluded by version or authority counts as missing. (3, 18)',
  },
  {
    id: 'UCP-60',
    section: 'Intersection',
    behaviour: 'Result does not depend on key order of either profile (shuffle test).',
  },
  {
    id: 'UCP-61',
    section: 'Intersection',
    behaviour: 'Algorithm is idempotent: negotiating the result with itself changes nothing.',
  },
  {
    id: 'UCP-62',
    section: 'Intersection',
    behaviour:
      'Leaving `requires` aside, adding a new capability name to the platform profile never removes one from the active set.',
  },
  {
    id: 'UCP-63',
    section: 'Intersection',
    behaviour:
      '`extends` is read from the business entry of the selected version; differences are reported. (34)',
  },
  {
    id: 'UCP-64',
    section: 'Intersection',
    behaviour: 'Cyclic extensions terminate, stay, and are reported. (33)',
  },
  {
    id: 'UCP-65',
    section: 'Intersection',
    behaviour: '`requires` violated: extension removed, pruning repeated. (24)',
  },
  {
    id: 'UCP-66',
    section: 'Intersection',
    behaviour:
      '`requires` bounds are inclusive; missing `max` means no upper bound; missing `requires` means compatible.',
  },
  {
    id: 'UCP-67',
    section: 'Intersection',
    behaviour:
      'Empty result: `capabilities_incompatible`; REST 200, MCP result, `ucp.status` = `error`, severity `unrecoverable`. (21)',
  },
  {
    id: 'UCP-68',
    section: 'Intersection',
    behaviour: 'Payment handlers do not take part in the intersection.',
  },
  {
    id: 'UCP-69',
    section: 'Intersection',
    behaviour: 'Pruning 10 000 chained extensions ends in linear or n log n time.',
  },
  {
    id: 'UCP-70',
    section: 'operations',
    behaviour: 'Only active root capabilities contribute operations. (1, 10)',
  },
  {
    id: 'UCP-71',
    section: 'operations',
    behaviour:
      "The list is read from the business profile; the platform's list has no effect. (37)",
  },
  {
    id: 'UCP-72',
    section: 'operations',
    behaviour: 'It is read from the entry of the selected version. (4)',
  },
  {
    id: 'UCP-73',
    section: 'operations',
    behaviour:
      'REST: identifier matches `operationId`; binding has verb, path and `endpoint` + path. (1)',
  },
  {
    id: 'UCP-74',
    section: 'operations',
    behaviour: 'MCP: identifier matches method `name`; binding has tool name and endpoint. (27)',
  },
  {
    id: 'UCP-75',
    section: 'operations',
    behaviour: "An extension's list is ignored and reported; the extension stays active. (10)",
  },
  {
    id: 'UCP-76',
    section: 'operations',
    behaviour:
      'An identifier is not made available by an extension even if the document has it. (10)',
  },
  {
    id: 'UCP-77',
    section: 'operations',
    behaviour: 'A declared subset is not widened by document, table or inference. (2)',
  },
  {
    id: 'UCP-78',
    section: 'operations',
    behaviour: 'Unknown identifier: not available, reported, siblings unaffected. (14)',
  },
  {
    id: 'UCP-79',
    section: 'operations',
    behaviour: 'Matching is case-sensitive and exact. (14)',
  },
  {
    id: 'UCP-80',
    section: 'operations',
    behaviour: 'Present in one transport: available there only. (15)',
  },
  {
    id: 'UCP-81',
    section: 'operations',
    behaviour: 'Duplicate in a list: once in the result. (16)',
  },
  {
    id: 'UCP-82',
    section: 'operations',
    behaviour: 'Two owners: one entry, both named; survives while one is active. (16, 17)',
  },
  {
    id: 'UCP-83',
    section: 'operations',
    behaviour: 'Absent field, known root: table, filtered by documents. (11, 12)',
  },
  {
    id: 'UCP-84',
    section: 'operations',
    behaviour: "Absent field, document cites the capability's schema: inferred. (40)",
  },
  {
    id: 'UCP-85',
    section: 'operations',
    behaviour: 'Absent field otherwise: `unknown`, none. (11)',
  },
  {
    id: 'UCP-86',
    section: 'operations',
    behaviour: 'Empty list: none and no fallback. (13)',
  },
  {
    id: 'UCP-87',
    section: 'operations',
    behaviour: 'Embedded methods are never resolved. (25)',
  },
  {
    id: 'UCP-88',
    section: 'operations',
    behaviour: 'Webhook identifiers are never callable. (26)',
  },
  {
    id: 'UCP-89',
    section: 'operations',
    behaviour:
      'Resolution stays inside the owning service; equal identifiers in two services coexist. (31)',
  },
  {
    id: 'UCP-90',
    section: 'operations',
    behaviour: 'Root without declared service: unresolved. (32)',
  },
  {
    id: 'UCP-91',
    section: 'operations',
    behaviour:
      'Transports not spoken by the caller give no bindings; none left: `no_common_transport`. (27, 28)',
  },
  {
    id: 'UCP-92',
    section: 'operations',
    behaviour: 'Business service without `schema`: URL from the platform entry. (38)',
  },
  {
    id: 'UCP-93',
    section: 'operations',
    behaviour: 'Service `schema` failing the authority check is not requested. (39)',
  },
  {
    id: 'UCP-94',
    section: 'operations',
    behaviour: 'Missing document disables one transport of one service only. (35)',
  },
  {
    id: 'UCP-95',
    section: 'operations',
    behaviour: 'Ambiguous `operationId` gives no binding. (36)',
  },
  {
    id: 'UCP-96',
    section: 'operations',
    behaviour:
      'Path-item members other than HTTP verbs are not operations (`parameters` appears in the real document).',
  },
  {
    id: 'UCP-97',
    section: 'operations',
    behaviour: 'OpenRPC methods given as `$ref` do not crash the indexer (real embedded document).',
  },
  {
    id: 'UCP-98',
    section: 'operations',
    behaviour:
      'Real 2026-04-08 documents index to 13 REST and 13 MCP operations, equal sets, one webhook.',
  },
  {
    id: 'UCP-99',
    section: 'operations',
    behaviour: 'Table 6.3 equals inference on all eight published documents.',
  },
  {
    id: 'UCP-100',
    section: 'operations',
    behaviour:
      'After set-up, listing, lookup and request building succeed with a fetch function that throws.',
  },
  {
    id: 'UCP-101',
    section: 'operations',
    behaviour: 'One invocation causes exactly one outgoing request.',
  },
  {
    id: 'UCP-102',
    section: 'operations',
    behaviour: 'Refresh replaces the set atomically; a running invocation keeps its set.',
  },
  {
    id: 'UCP-103',
    section: 'operations',
    behaviour: '`endpoint` with and without trailing slash gives the same URL.',
  },
  {
    id: 'UCP-104',
    section: 'operations',
    behaviour: '`{id}` is percent-encoded; ids like `a/b`, `..`, `?x` cannot change the route.',
  },
  {
    id: 'UCP-105',
    section: 'operations',
    behaviour:
      'Identifiers such as `__proto__`, `constructor`, `toString` behave as ordinary unknown strings.',
  },
  {
    id: 'UCP-106',
    section: 'operations',
    behaviour:
      'Profiles without `operations` give the same active set as before (field never influences negotiation).',
  },
  {
    id: 'UCP-107',
    section: 'operations',
    behaviour: 'Result is deterministic: same input, byte-identical serialised output.',
  },
  {
    id: 'UCP-108',
    section: 'Responses and request-time checks (business side)',
    behaviour: 'Every response has `ucp.version` and `ucp.capabilities` (map form).',
  },
  {
    id: 'UCP-109',
    section: 'Responses and request-time checks (business side)',
    behaviour: 'Only active **and** relevant capabilities are listed. (1, 7)',
  },
  {
    id: 'UCP-110',
    section: 'Responses and request-time checks (business side)',
    behaviour: 'Extension is relevant if one of its parents is the root of the operation. (7)',
  },
  {
    id: 'UCP-111',
    section: 'Responses and request-time checks (business side)',
    behaviour: 'Operation whose owner is inactive: `capabilities_incompatible`. (41)',
  },
  {
    id: 'UCP-112',
    section: 'Responses and request-time checks (business side)',
    behaviour:
      'Operation whose owner is active proceeds although other capabilities are missing. (41)',
  },
  {
    id: 'UCP-113',
    section: 'Responses and request-time checks (business side)',
    behaviour:
      'Profile fetch failure 424, malformed 422, bad URL 400; MCP -32001 with the code in `error.data.code`.',
  },
  {
    id: 'UCP-114',
    section: 'Responses and request-time checks (business side)',
    behaviour:
      'Profile generator emits `operations` only on roots and only identifiers present in the document it references.',
  },
]
