import { describe, expect, it } from 'vitest'
import { formatToolSpec } from '../tool-spec/format.ts'
import { parseToolSpec } from '../tool-spec/parse.ts'
import { importOpenApi } from './import.ts'
import { loadOpenApi } from './load.ts'

const HEAD = {
  openapi: '3.0.3',
  info: { title: 'Orchard', version: '1' },
  servers: [{ url: 'https://a.example' }],
}

/** Imports a document that must import into a valid spec; gives the spec and the codes. */
function run(document: unknown): { text: string; codes: Set<string> } {
  const result = importOpenApi(document)
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const text = formatToolSpec(result.spec)
  const parsed = parseToolSpec(text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return { text, codes: new Set(result.warnings.map((warning) => warning.code)) }
}

/** Imports a document that need not import; what comes is a valid spec, or problems that say where. */
function answer(document: unknown): void {
  const result = importOpenApi(document)
  if (result.ok) expect(parseToolSpec(formatToolSpec(result.spec))).toMatchObject({ ok: true })
  else
    expect(result.problems.map(({ code }) => code)).toContainEqual(
      expect.stringMatching(/^E\d{3}$/),
    )
}

function withBody(schema: unknown, schemas: unknown = {}): unknown {
  const requestBody = { content: { 'application/json': { schema } } }
  return {
    ...HEAD,
    components: { schemas },
    paths: { '/x': { post: { operationId: 'one', requestBody } } },
  }
}

function load(text: string): unknown {
  const loaded = loadOpenApi(text)
  if (!loaded.ok) throw new Error(loaded.problems[0]?.message)
  return loaded.document
}

describe('hostile documents', () => {
  it('refuses 200,000 nested YAML nodes with the place where it gave up', () => {
    for (const text of [
      '['.repeat(200_000),
      `openapi: ${'{a: '.repeat(200_000)}`,
      '- '.repeat(200_000),
    ]) {
      const loaded = loadOpenApi(text)
      expect(loaded).toMatchObject({ ok: false, problems: [{ code: 'E100', line: 1 }] })
    }
  })

  it('imports 200,000 nested JSON schemas, cut at the usual depth', () => {
    const deep = `${'{"type":"object","properties":{"a":'.repeat(200_000)}{}${'}}'.repeat(200_000)}`
    const document = load(JSON.stringify(withBody('DEEP')).replace('"DEEP"', deep))
    expect(run(document).codes).toContain('W102')
    const nested = `${'{"allOf":['.repeat(100_000)}{}${']}'.repeat(100_000)}`
    expect(run(load(JSON.stringify(withBody('DEEP')).replace('"DEEP"', nested))).codes).toContain(
      'W101',
    )
    const example = `{"example":${'['.repeat(100_000)}${']'.repeat(100_000)},"default":${'['.repeat(100_000)}${']'.repeat(100_000)},"type":"array"}`
    run(load(JSON.stringify(withBody({ properties: { a: 'DEEP' } })).replace('"DEEP"', example)))
  })

  it('imports an alias bomb in bounded size', () => {
    const lines = [
      'openapi: 3.0.0',
      'info: {title: Orchard, version: "1"}',
      'x-a0: &a0 {type: object, properties: {x: {type: string}}}',
    ]
    for (let level = 1; level < 30; level++) {
      const properties = Array.from({ length: 10 }, (_, index) => `p${index}: *a${level - 1}`).join(
        ', ',
      )
      lines.push(`x-a${level}: &a${level} {type: object, properties: {${properties}}}`)
    }
    lines.push('paths: {/x: {post: {requestBody: {content: {application/json: {schema: *a29}}}}}}')
    const { text } = run(load(lines.join('\n')))
    expect(text.length).toBeLessThan(50_000)
  })

  it('imports schemas that multiply through references in bounded size', () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 30 }, (_, level) => [
        `S${level}`,
        {
          allOf: Array.from({ length: 3 }, (__, index) => ({
            properties: {
              [`p${index}`]: {
                oneOf: [
                  { $ref: `#/components/schemas/S${level + 1}` },
                  { $ref: `#/components/schemas/S${level + 2}` },
                ],
              },
            },
          })),
        },
      ]),
    )
    const { text } = run(
      withBody({ $ref: '#/components/schemas/S0' }, { ...schemas, S30: {}, S31: {} }),
    )
    expect(text.length).toBeLessThan(50_000)
  })

  it('imports YAML that contains itself', () => {
    const text = `${'openapi: 3.0.0\ninfo: {title: Orchard}\nx-s: &s {type: object, properties: {self: *s}}'}\npaths: {/x: {post: {requestBody: {content: {application/json: {schema: *s}}}}}}`
    expect(run(load(text)).codes).toContain('W102')
  })

  it('survives references that go in circles or nowhere', () => {
    const schemas = { A: { $ref: '#/components/schemas/B' }, B: { $ref: '#/components/schemas/A' } }
    expect(run(withBody({ $ref: '#/components/schemas/A' }, schemas)).codes).toContain('W112')
    for (const $ref of [
      '',
      '#',
      '#/',
      '#/paths/~1x/post/requestBody/content/application~1json/schema',
      '#/%',
      '#/a/%zz',
      '../../../etc/passwd',
      'file:///etc/passwd',
      'http://169.254.169.254/',
      'javascript:alert(1)',
      '#/components/schemas/__proto__',
      '#/constructor/prototype',
      'x'.repeat(100_000),
    ]) {
      run(withBody({ properties: { a: { $ref }, b: { type: 'array', items: { $ref } } } }))
    }
  })

  it('asks for no file and no address by itself', () => {
    const result = importOpenApi(withBody({ $ref: 'file:///etc/passwd#/a' }))
    expect(result.wanted).toEqual(['file:///etc/passwd'])
  })

  it('keeps __proto__, constructor and the like plain names', () => {
    const document = JSON.parse(
      JSON.stringify(withBody({ type: 'object', properties: 'P' })).replace(
        '"P"',
        '{"__proto__":{"type":"string"},"constructor":{"type":"object","properties":{"__proto__":{"type":"integer"}}},"toString":{"type":"string"}}',
      ),
    )
    const { text } = run(document)
    expect(text).toContain('name: __proto__')
    expect(text).toContain('name: constructor')
    expect(Object.hasOwn(Object.prototype, 'type')).toBe(false)
    run(
      JSON.parse(
        '{"openapi":"3.0.0","paths":{"__proto__":{"get":{}},"/x":{"__proto__":{},"get":{"parameters":[{"name":"__proto__","in":"query"}]}}},"components":{"__proto__":{}}}',
      ),
    )
  })

  it('takes no text of a document for YAML, a path or a header', () => {
    const nasty = [
      '"',
      "'",
      '\n- name: evil',
      '# x',
      '\u2028',
      '*/',
      '`',
      '\u0024{HOME}',
      '\u0000',
      '../../x',
      'a: b',
      '\ud800',
    ]
    for (const text of nasty) {
      const document = {
        ...HEAD,
        info: { title: text, version: text },
        tags: [text],
        servers: [{ url: text }, { url: `https://a.example/${text}` }],
        paths: {
          [`/${text}`]: {
            post: {
              operationId: text,
              summary: text,
              description: text,
              tags: [text],
              parameters: [
                {
                  name: text,
                  in: 'query',
                  description: text,
                  schema: {
                    type: 'string',
                    default: text,
                    enum: [text],
                    format: text,
                    pattern: text,
                  },
                },
                { name: text, in: 'header' },
                { name: text, in: 'cookie' },
                { name: text, in: 'path' },
              ],
              requestBody: {
                description: text,
                content: {
                  [text]: {
                    schema: { title: text, properties: { [text]: { description: text } } },
                  },
                },
              },
              callbacks: { [text]: { [text]: { post: { summary: text } } } },
              security: [{ [text]: [text] }],
            },
          },
        },
        components: { securitySchemes: { [text]: { type: 'apiKey', in: 'header', name: text } } },
        webhooks: { [text]: { post: { description: text } } },
      }
      run(document)
    }
  })

  it('reads numbers too big for anything', () => {
    run(
      withBody({
        properties: {
          a: { type: 'integer', maximum: 1e308, minimum: -1e308, default: 1e300, enum: [1e300] },
          b: { type: 'number', multipleOf: Number.POSITIVE_INFINITY },
          c: { type: 'string', maxLength: Number.POSITIVE_INFINITY, minLength: -5 },
        },
      }),
    )
  })

  it('reads a document of the wrong types throughout', () => {
    for (const odd of [null, 1, 'x', true, [], [[]], {}]) {
      answer({
        openapi: '3.0.0',
        info: odd,
        servers: odd,
        paths: odd,
        components: odd,
        security: odd,
        tags: odd,
        webhooks: odd,
      })
      answer({
        openapi: '3.0.0',
        paths: {
          '/x': odd,
          '/y': {
            get: odd,
            post: {
              parameters: odd,
              requestBody: odd,
              responses: odd,
              security: odd,
              tags: odd,
              callbacks: odd,
              servers: odd,
              operationId: odd,
              summary: odd,
            },
          },
          '/z': {
            post: {
              parameters: [odd],
              requestBody: { content: odd },
              servers: [odd],
              security: [odd],
              callbacks: { a: odd },
            },
          },
        },
      })
      answer({
        swagger: '2.0',
        host: odd,
        basePath: odd,
        schemes: odd,
        definitions: odd,
        securityDefinitions: odd,
        consumes: odd,
        paths: {
          '/x': {
            parameters: odd,
            post: {
              parameters: [odd, { name: odd, in: 'body' }, { name: odd, in: 'formData' }],
              consumes: odd,
            },
          },
        },
      })
    }
  })

  it('refuses a document over the limit', () => {
    expect(loadOpenApi('a'.repeat(100), { maxLength: 10 })).toMatchObject({
      ok: false,
      problems: [{ code: 'E100' }],
    })
  })
})
