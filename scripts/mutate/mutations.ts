import { isList, isRecord } from '../../src/values/json.ts'
import { type Mutation, on, put, set } from './mutation.ts'
import { oddBody, oddContent, oddParameter, pickSchema } from './odd.ts'
import { schemaMutations } from './schema-mutations.ts'
import { VALUES } from './values.ts'

const { names: NAMES, texts: TEXTS, schemas: SCHEMAS } = VALUES

/** Every kind of mess, by name. */
export const MUTATIONS: readonly Mutation[] = [
  on('operation', 'no operationId', ({ node }) => void delete node['operationId']),
  on('operation', 'one operationId for many', ({ node }) => set(node, 'operationId', 'sameId')),
  on('operation', 'odd operationId', ({ node, chance }) =>
    set(node, 'operationId', chance.pick([...NAMES, 5, true, null, {}, []])),
  ),
  on('operation', 'odd parameters', ({ node, chance }) =>
    set(
      node,
      'parameters',
      chance.pick([null, {}, [], 'x', [null, 5, 'x', []], { a: { name: 'a', in: 'query' } }]),
    ),
  ),
  on('operation', 'odd tags', ({ node, chance }) =>
    set(node, 'tags', chance.pick([null, 'x', [5, null, {}, '*/', ''], [['a']], { name: 'x' }])),
  ),
  on('operation', 'odd security', ({ node, chance }) =>
    set(node, 'security', chance.pick(VALUES.security)),
  ),
  on('operation', 'odd servers', ({ node, chance }) =>
    set(node, 'servers', chance.pick(VALUES.servers)),
  ),
  on('operation', 'odd responses', ({ node, chance }) =>
    set(
      node,
      'responses',
      chance.pick([
        null,
        [],
        'x',
        {},
        { 200: null },
        { '2XX': { description: 5 } },
        { $ref: '#/x' },
      ]),
    ),
  ),
  on('operation', 'odd callbacks', ({ node, chance }) =>
    set(node, 'callbacks', chance.pick(VALUES.callbacks)),
  ),
  on('operation', 'another parameter', ({ node, chance }) => {
    const list = isList(node['parameters']) ? node['parameters'] : []
    set(node, 'parameters', [...list, oddParameter(chance)])
  }),
  on('operation', 'a body', ({ node, chance }) => set(node, 'requestBody', oddBody(chance))),
  on('operation', 'swagger body and form', ({ node, chance }) => {
    set(
      node,
      'consumes',
      chance.pick([['application/json'], ['multipart/form-data'], [], 'x', [5], undefined]),
    )
    set(node, 'parameters', [
      {
        name: chance.pick(NAMES),
        in: 'formData',
        type: chance.pick(['file', 'array', 'string', 'object', 5]),
        items: { type: 'string' },
        collectionFormat: chance.pick(['csv', 'multi', 'tsv', 'x', 5]),
      },
      { name: 'other', in: 'formData', type: 'string', required: true },
      ...(chance.flip(0.5) ? [{ name: 'body', in: 'body', schema: chance.pick(SCHEMAS) }] : []),
    ])
  }),
  on('operation', 'not an operation', ({ site, chance }) =>
    put(site, chance.pick([null, 5, 'x', [], true, { $ref: '#/nope' }, { $ref: '#/info' }])),
  ),
  on('operation', 'extensions', ({ node, chance }) => {
    set(
      node,
      'x-forge',
      chance.pick([5, null, { name: chance.pick(NAMES) }, { skip: 'true' }, { description: 5 }]),
    )
    set(node, `x-${chance.pick(NAMES)}`, {})
  }),
  on('item', 'another path', ({ site, node, chance }) => {
    const path = chance.pick(VALUES.paths)
    delete site.holder[site.key]
    set(site.holder, path, node)
  }),
  on('item', 'the same path again', ({ site, node, chance }) => {
    const other = chance.pick([
      `${site.key}/`,
      site.key.toUpperCase(),
      `${site.key}?x=1`,
      `${site.key}#a`,
    ])
    set(site.holder, other, structuredClone(node))
  }),
  on('item', 'parameters of the path', ({ node, chance }) =>
    set(node, 'parameters', [oddParameter(chance), oddParameter(chance)]),
  ),
  on('item', 'odd path item', ({ site, chance }) =>
    put(
      site,
      chance.pick([
        null,
        5,
        [],
        'x',
        { $ref: '#/nope' },
        { $ref: 'x.yaml' },
        { GET: {}, Post: null },
      ]),
    ),
  ),
  on('item', 'operation of another case', ({ node, chance }) => {
    const method = chance.pick(['GET', 'Post', 'QUERY', 'trace', 'connect', 'additionalOperations'])
    set(node, method, chance.pick([{}, null, { COPY: {} }, { operationId: 'x' }]))
  }),
  on('item', 'servers of the path', ({ node, chance }) =>
    set(node, 'servers', chance.pick(VALUES.servers)),
  ),
  on('parameter', 'odd name', ({ node, chance }) =>
    set(node, 'name', chance.pick([...NAMES, 5, true, null, {}])),
  ),
  on('parameter', 'another place', ({ node, chance }) =>
    set(
      node,
      'in',
      chance.pick([
        'query',
        'path',
        'header',
        'cookie',
        'body',
        'formData',
        'querystring',
        'Query',
        ' path ',
        5,
        null,
      ]),
    ),
  ),
  on('parameter', 'odd schema', ({ node, chance }) => set(node, 'schema', pickSchema(chance))),
  on('parameter', 'keywords outside', ({ node, chance }) => {
    const schema = pickSchema(chance)
    delete node['schema']
    if (isRecord(schema)) for (const [key, value] of Object.entries(schema)) set(node, key, value)
  }),
  on('parameter', 'odd style', ({ node, chance }) => {
    set(
      node,
      'style',
      chance.pick([
        'form',
        'simple',
        'label',
        'matrix',
        'deepObject',
        'spaceDelimited',
        'x',
        5,
        null,
      ]),
    )
    set(node, 'explode', chance.pick([true, false, 'true', null, undefined]))
    set(node, 'collectionFormat', chance.pick(['csv', 'multi', 'pipes', 'ssv', 'tsv', 'x', null]))
    set(node, 'allowReserved', chance.pick([true, 'true', undefined]))
  }),
  on('parameter', 'content', ({ node, chance }) => {
    delete node['schema']
    set(
      node,
      'content',
      chance.pick([
        {},
        null,
        { 'application/json': null },
        { 'text/plain; charset=x': { schema: pickSchema(chance) } },
        'x',
      ]),
    )
  }),
  on('parameter', 'odd flags', ({ node, chance }) => {
    set(node, 'required', chance.pick(['true', 'yes', 1, null, [], true]))
    set(node, 'deprecated', chance.pick([true, 'true', 1]))
    set(node, 'description', chance.pick(TEXTS))
  }),
  on('parameter', 'not a parameter', ({ site, chance }) =>
    put(
      site,
      chance.pick([
        null,
        5,
        'x',
        [],
        {},
        { $ref: '#/nope' },
        { $ref: '#/paths' },
        { $ref: 'x.json#/a' },
      ]),
    ),
  ),
  on('body', 'odd body', ({ site, chance }) =>
    put(
      site,
      chance.pick([
        null,
        5,
        'x',
        [],
        {},
        { content: null },
        { content: {} },
        { $ref: '#/nope' },
        oddBody(chance),
      ]),
    ),
  ),
  on('content', 'odd content', ({ site, chance }) => put(site, oddContent(chance))),
  on('content', 'another media type', ({ site, node, chance }) => {
    const [first] = Object.values(node)
    put(site, { [chance.pick(VALUES.mediaTypes)]: first, [chance.pick(VALUES.mediaTypes)]: first })
  }),
  ...schemaMutations(),
  { name: 'odd text', at: 'text', apply: ({ site, chance }) => put(site, chance.pick(TEXTS)) },
  {
    name: 'odd name as text',
    at: 'text',
    apply: ({ site, chance }) => put(site, chance.pick(NAMES)),
  },
  on('document', 'odd info', ({ node, chance }) =>
    set(
      node,
      'info',
      chance.pick([
        null,
        5,
        [],
        {},
        { title: chance.pick(TEXTS), version: chance.pick(TEXTS) },
        { title: chance.pick(NAMES), version: 1.0 },
      ]),
    ),
  ),
  on('document', 'odd servers', ({ node, chance }) =>
    set(node, 'servers', chance.pick(VALUES.servers)),
  ),
  on('document', 'odd host', ({ node, chance }) => {
    set(node, 'host', chance.pick([null, '', 'http://h/', 'h:x', '{host}', 'a b', 'h/p?q', 5]))
    set(node, 'basePath', chance.pick([null, '', '/', 'v1', '//x', '/a b', '/{v}', 5]))
    set(node, 'schemes', chance.pick([null, 'https', [], ['ws'], ['HTTP'], [5]]))
  }),
  on('document', 'odd security', ({ node, chance }) =>
    set(node, 'security', chance.pick(VALUES.security)),
  ),
  on('document', 'odd schemes', ({ node, chance }) => {
    const schemes = chance.pick(VALUES.schemes)
    set(node, 'securityDefinitions', schemes)
    const components = isRecord(node['components']) ? node['components'] : {}
    set(node, 'components', { ...components, securitySchemes: schemes })
    set(node, 'security', [{ s: [] }])
  }),
  on('document', 'another version', ({ node, chance }) => {
    const { swagger: _, openapi: __, ...rest } = node
    for (const key of Object.keys(node)) delete node[key]
    Object.assign(node, chance.pick(VALUES.versions), rest)
  }),
  on('document', 'webhooks', ({ node, chance }) => {
    set(node, chance.pick(['webhooks', 'x-webhooks']), chance.pick(VALUES.webhooks))
    if (chance.flip(0.3)) delete node['paths']
  }),
  on('document', 'odd paths', ({ node, chance }) =>
    chance.flip(0.2) ? set(node, 'paths', chance.pick([null, [], {}, 'x', 5])) : undefined,
  ),
  on('document', 'odd components', ({ node, chance }) =>
    set(
      node,
      chance.pick(['components', 'definitions', 'parameters', 'responses']),
      chance.pick([null, [], 5, 'x', {}, { schemas: null }]),
    ),
  ),
]
