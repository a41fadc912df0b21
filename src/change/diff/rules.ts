import type { ChangeClass } from './model.ts'

/** What a rule says about the changes it finds. */
export interface DiffRule {
  readonly class: ChangeClass
  readonly reason: string
}

/** Class and reason of a rule, written as a literal so that the ids of all rules are a type. */
type RuleWords = readonly [ChangeClass, string]

/** What a schema rule says where values go in, and where they come out. */
interface SchemaWords {
  readonly input: RuleWords
  readonly output: RuleWords
}

/** Three kinds of change that most rules of schemas are. */
const KINDS: Readonly<Record<'narrowed' | 'widened' | 'changed', SchemaWords>> = {
  narrowed: {
    input: ['breaking', 'Values that callers send today may be refused.'],
    output: ['implementer', 'Implementations must keep to what they now promise.'],
  },
  widened: {
    input: ['implementer', 'Implementations must take values they did not have to take.'],
    output: ['breaking', 'Callers may get values they do not expect.'],
  },
  changed: {
    input: ['breaking', 'What one side sends, the other may not understand.'],
    output: ['breaking', 'What one side sends, the other may not understand.'],
  },
}

/** Rules of schemas; each makes two rules, `input-…` and `output-…`. */
const SCHEMA_RULES = {
  'type-narrowed': 'narrowed',
  'type-widened': 'widened',
  'type-changed': 'changed',
  'null-removed': 'narrowed',
  'null-added': 'widened',
  'enum-value-removed': 'narrowed',
  'enum-value-added': 'widened',
  'limit-tightened': 'narrowed',
  'limit-loosened': 'widened',
  'format-added': 'narrowed',
  'format-removed': 'widened',
  'format-changed': 'changed',
  'pattern-added': 'narrowed',
  'pattern-removed': 'widened',
  'pattern-changed': 'changed',
  'choice-removed': 'narrowed',
  'choice-added': 'widened',
  'choices-changed': 'changed',
  'extra-members-refused': 'narrowed',
  'extra-members-allowed': {
    input: ['implementer', 'Implementations must take values they did not have to take.'],
    output: ['compatible', 'Callers pass over members they do not know.'],
  },
  'property-added': {
    input: [
      'implementer',
      'Implementations must know what to do with it; callers may leave it out.',
    ],
    output: ['compatible', 'Callers pass over members they do not know.'],
  },
  'required-property-added': {
    input: ['breaking', 'Callers that do not send it are refused.'],
    output: ['implementer', 'Implementations must now give it.'],
  },
  'property-removed': {
    input: ['breaking', 'What callers send in it is refused or ignored.'],
    output: ['breaking', 'Callers that read it find nothing.'],
  },
  'property-required': {
    input: ['breaking', 'Callers that left it out are refused.'],
    output: ['implementer', 'Implementations must now always give it.'],
  },
  'property-optional': {
    input: ['implementer', 'Implementations must do without it.'],
    output: ['breaking', 'Callers that rely on it may find nothing.'],
  },
  'default-changed': {
    input: ['breaking', 'Calls that leave it out do something else than before.'],
    output: ['docs', 'A default in an answer only explains.'],
  },
  'default-added': {
    input: ['compatible', 'It only says what happens when it is left out.'],
    output: ['docs', 'A default in an answer only explains.'],
  },
  'property-deprecated': {
    input: ['compatible', 'It still works; new code should not use it.'],
    output: ['compatible', 'It still works; new code should not use it.'],
  },
  'schema-docs-changed': {
    input: ['docs', 'Only words and examples differ.'],
    output: ['docs', 'Only words and examples differ.'],
  },
} as const

/** Rules of everything that is not a schema. */
const OTHER_RULES = {
  'function-added': ['implementer', 'Implementations must provide it.'],
  'function-removed': ['breaking', 'Calls of it fail.'],
  'version-added': ['implementer', 'Implementations must provide it beside the others.'],
  'version-removed': ['breaking', 'Callers that name this version are refused.'],
  'function-deprecated': ['compatible', 'It still works; callers should move on.'],
  'function-undeprecated': ['docs', 'Callers may stay.'],
  'sunset-changed': ['compatible', 'The day on which it goes has moved.'],
  'stability-changed': ['docs', 'How settled it is only informs.'],
  'function-hidden': ['compatible', 'It still works, but is no longer discovered.'],
  'function-shown': ['docs', 'It worked before.'],
  'error-added': ['compatible', 'Callers must be ready for codes they do not know in any case.'],
  'error-removed': ['implementer', 'Implementations must not answer it any more.'],
  'error-message-changed': ['docs', 'Callers match on the code.'],
  'side-effects-appeared': [
    'breaking',
    'Callers repeat calls that change nothing, and this one now does.',
  ],
  'side-effect-added': ['compatible', 'Calls do something more than before; callers should know.'],
  'side-effect-removed': ['implementer', 'Implementations must not do it any more.'],
  'filter-removed': ['breaking', 'Queries that use it are refused.'],
  'filter-added': ['implementer', 'Implementations must be able to answer it.'],
  'operator-removed': ['breaking', 'Queries that use it are refused.'],
  'operator-added': ['implementer', 'Implementations must be able to answer it.'],
  'sort-removed': ['breaking', 'Queries that use it are refused.'],
  'sort-added': ['implementer', 'Implementations must be able to answer it.'],
  'field-removed': ['breaking', 'Queries that use it are refused.'],
  'field-added': ['implementer', 'Implementations must be able to answer it.'],
  'relationship-removed': ['breaking', 'Queries that use it are refused.'],
  'relationship-added': ['implementer', 'Implementations must be able to answer it.'],
  'pagination-removed': ['breaking', 'Queries that page this way are refused.'],
  'pagination-added': ['implementer', 'Implementations must be able to page this way.'],
  'query-limit-lowered': ['breaking', 'Queries that were allowed are refused.'],
  'query-limit-raised': ['implementer', 'Implementations must answer larger queries.'],
  'query-default-changed': ['breaking', 'Queries that do not say it get another answer.'],
  'extension-removed': ['breaking', 'Calls that need it are refused.'],
  'extension-added': ['implementer', 'Implementations must support it.'],
  'extension-changed': ['compatible', 'How it is set up differs; see what it says.'],
  'link-removed': ['breaking', 'Callers, and generated clients, cannot follow it any more.'],
  'link-added': ['compatible', 'There is one more way on.'],
  'link-changed': ['compatible', 'It leads elsewhere; following it still works.'],
  'example-changed': ['docs', 'Examples only explain.'],
  'simulation-removed': ['compatible', 'Only sandbox calls miss it.'],
  'simulation-added': ['compatible', 'Sandbox calls get one more.'],
  'simulation-changed': ['compatible', 'Sandbox calls get another answer.'],
  'tag-changed': ['docs', 'Groups only help to find things.'],
  'docs-changed': ['docs', 'Only words differ.'],
  'reference-unread': ['compatible', 'What differs behind it is not known; compare it by itself.'],
  'server-removed': ['breaking', 'Callers that use this address lose it.'],
  'server-added': ['compatible', 'There is one more address.'],
  'server-url-changed': ['breaking', 'Callers that use this address lose it.'],
  'server-variable-changed': ['breaking', 'Addresses that callers made may not exist any more.'],
  'auth-added': ['breaking', 'Calls without credentials are refused.'],
  'auth-removed': ['implementer', 'Implementations must let everybody in.'],
  'auth-changed': ['breaking', 'The credentials callers have do not fit any more.'],
  'auth-option-added': ['implementer', 'Implementations must accept it too.'],
  'auth-option-removed': ['breaking', 'Callers that use it are refused.'],
  'scope-added': ['breaking', 'Tokens without it are refused.'],
  'scope-removed': ['implementer', 'Implementations must do without it.'],
  'scope-withdrawn': ['breaking', 'Callers that ask for it get no token.'],
  'scope-offered': ['compatible', 'Callers ask for what they know.'],
  'parameter-moved': ['breaking', 'Callers send it where it is not looked for.'],
  'parameter-style-changed': ['breaking', 'Callers write it in a way that is not understood.'],
  'request-type-removed': ['breaking', 'Callers that send it are refused.'],
  'request-type-added': ['implementer', 'Implementations must read it.'],
  'response-type-removed': ['breaking', 'Callers that ask for it get something else.'],
  'response-type-added': ['compatible', 'Callers ask for what they know.'],
  'response-removed': ['breaking', 'Callers that wait for it get something else.'],
  'response-added': ['compatible', 'Callers must be ready for other answers in any case.'],
  'result-removed': ['breaking', 'Callers get nothing where they got something.'],
  'result-added': ['implementer', 'Implementations must now give something.'],
  'operation-id-changed': ['breaking', 'Generated clients call it by this name.'],
  'request-changed': ['implementer', 'The same tool now sends another request.'],
  'trigger-removed': ['breaking', 'What it reacted to is not heard any more.'],
  'trigger-added': ['compatible', 'There is one more.'],
  'trigger-changed': ['breaking', 'What it reacted to may not reach it any more.'],
} as const

/** A direction values travel in, as the caller sees it. */
export type Direction = 'input' | 'output'

/** Rules of schemas, without their direction. */
export type SchemaRuleName = keyof typeof SCHEMA_RULES

/** What identifies a rule; never renamed, so that reports can be compared and rules be named in configuration. */
export type RuleId = `${Direction}-${SchemaRuleName}` | keyof typeof OTHER_RULES

/** Every rule by its id. */
export const DIFF_RULES: Readonly<Record<RuleId, DiffRule>> = Object.fromEntries(
  [...listSchemaRules(), ...Object.entries(OTHER_RULES)].map(([id, [kind, reason]]) => [
    id,
    { class: kind, reason },
  ]),
) as Record<RuleId, DiffRule>

function listSchemaRules(): readonly (readonly [string, RuleWords])[] {
  return Object.entries(SCHEMA_RULES).flatMap(([name, rule]) => {
    const { input, output }: SchemaWords = typeof rule === 'string' ? KINDS[rule] : rule
    return [
      [`input-${name}`, input],
      [`output-${name}`, output],
    ] as const
  })
}
