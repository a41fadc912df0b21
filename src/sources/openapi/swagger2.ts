import { asList, defined, toText } from '../../values/index.ts'
import { asFilledText, asFlag, asText, type Node, read, type Warn } from './node.ts'

/*
 * Swagger 2.0 is rewritten to OpenAPI 3 one operation at a time, when the operation is imported.
 * Schemas stay where they are: references into `definitions` are followed as they stand.
 */

/** Rewrites the merged parameters of an operation: body and form fields become a request body. */
export function convertParameters(
  parameters: readonly Node[],
  consumes: readonly string[],
  warn: Warn,
): { readonly parameters: Node[]; readonly requestBody: Node | undefined } {
  const bodies = parameters.filter((parameter) => parameter['in'] === 'body')
  const forms = parameters.filter((parameter) => parameter['in'] === 'formData')
  const others = parameters.filter(
    (parameter) => !['body', 'formData'].includes(toText(parameter['in'])),
  )
  const [body] = bodies
  if (bodies.length > 1) warn('W101', 'several body parameters; only the first is kept')
  if (body && forms.length > 0)
    warn('W101', 'body and form parameters together; the form is ignored')
  const requestBody = body
    ? bodyFrom(body, consumes)
    : forms.length > 0
      ? formFrom(forms, consumes, warn)
      : undefined
  return { parameters: others.map((parameter) => convertParameter(parameter, warn)), requestBody }
}

/** Rewrites a parameter: its keywords move under `schema`, its list format becomes a style. */
export function convertParameter(parameter: Node, warn: Warn): Node {
  const { name, in: place, description, required, allowEmptyValue } = parameter
  return {
    name,
    in: place,
    ...defined({ description, required, allowEmptyValue }),
    ...Object.fromEntries(Object.entries(parameter).filter(([key]) => key.startsWith('x-'))),
    schema: schemaOf(parameter),
    ...styleOf(parameter, warn),
  }
}

function schemaOf({ schema, ...parameter }: Node): unknown {
  const { name: _name, in: _in, description: _text, required: _required, ...rest } = parameter
  const { allowEmptyValue: _empty, collectionFormat: _format, ...keywords } = rest
  return schema ?? keywords
}

const STYLES: ReadonlyMap<string, Node> = new Map([
  ['csv', { style: 'form', explode: false }],
  ['multi', { style: 'form', explode: true }],
  ['ssv', { style: 'spaceDelimited', explode: false }],
  ['pipes', { style: 'pipeDelimited', explode: false }],
])

function styleOf(parameter: Node, warn: Warn): Node {
  if (asText(parameter['type'])?.toLowerCase() !== 'array') return {}
  const format = asFilledText(parameter['collectionFormat']) ?? 'csv'
  const place = toText(parameter['in'])
  const isSimple = place === 'path' || place === 'header'
  const isKnown = isSimple ? format === 'csv' || format === 'multi' : STYLES.has(format)
  if (!isKnown) {
    const where = isSimple ? ` in a ${place} parameter` : ''
    const message = `collectionFormat ${format}${where} is sent as csv`
    warn('W101', message, `params.${asText(parameter['name'])}`)
  }
  if (isSimple) return { style: 'simple', explode: false }
  return STYLES.get(format) ?? { style: 'form', explode: false }
}

function bodyFrom(body: Node, consumes: readonly string[]): Node {
  const types = consumes.length > 0 ? consumes : ['application/json']
  // A body parameter is one value: form types are for operations with form fields beside it.
  const usable = types.filter((type) => !/form/i.test(type))
  const content = (usable.length > 0 ? usable : types).map((type) => [
    type,
    { schema: body['schema'] ?? schemaOf(body) },
  ])
  return {
    content: Object.fromEntries(content),
    ...(body['required'] !== undefined && { required: asFlag(body['required']) }),
    ...defined({ description: body['description'] }),
  }
}

function formFrom(forms: readonly Node[], consumes: readonly string[], warn: Warn): Node {
  const hasFile = forms.some((form) => read(form, 'type') === 'file')
  const isMultipart = hasFile || consumes.some((type) => /multipart/i.test(type))
  const properties = forms.map((form) => {
    const converted = convertParameter(form, warn)
    const schema = {
      ...(converted['schema'] as Node),
      ...(converted['description'] !== undefined && { description: converted['description'] }),
    }
    const isFile = read(form, 'type') === 'file'
    return [
      asText(form['name']) ?? '',
      isFile ? { ...schema, type: 'string', format: 'binary' } : schema,
    ] as const
  })
  const encoding = forms.flatMap((form) => {
    const style = styleOf(form, warn)
    return Object.keys(style).length > 0 ? [[asText(form['name']) ?? '', style] as const] : []
  })
  const required = forms
    .filter((form) => asFlag(form['required']))
    .map((form) => asText(form['name']) ?? '')
  const media = {
    schema: { type: 'object', properties: Object.fromEntries(properties), required },
    encoding: Object.fromEntries(encoding),
  }
  const type = isMultipart ? 'multipart/form-data' : 'application/x-www-form-urlencoded'
  return { content: { [type]: media }, required: required.length > 0 }
}

/** Rewrites a security scheme: `basic`, and the four oauth2 flows under their new names. */
export function convertSecurityScheme(scheme: Node): Node {
  const type = asText(scheme['type'])?.toLowerCase()
  if (type === 'basic') return { ...scheme, type: 'http', scheme: 'basic' }
  if (type !== 'oauth2') return scheme
  const flow = FLOWS.get(asText(scheme['flow']) ?? '') ?? 'implicit'
  const { authorizationUrl, tokenUrl, scopes } = scheme
  return { ...scheme, flows: { [flow]: { authorizationUrl, tokenUrl, scopes } } }
}

const FLOWS = new Map([
  ['accessCode', 'authorizationCode'],
  ['application', 'clientCredentials'],
  ['implicit', 'implicit'],
  ['password', 'password'],
])

/** Rewrites host, base path and schemes as servers; https goes first. */
export function convertServers(document: unknown, operationSchemes?: unknown): Node[] {
  const host = asFilledText(read(document, 'host'))
    ?.trim()
    .slice(0, 2048)
    .replace(/^[a-z]+:\/\//i, '')
    .replace(/(?<!\/)\/+$/, '')
  const basePath = asFilledText(read(document, 'basePath'))?.trim() ?? ''
  const path = basePath === '' || basePath.startsWith('/') ? basePath : `/${basePath}`
  if (host === undefined) return [{ url: path === '' ? '/' : path }]
  const own = asList(operationSchemes).length > 0 ? operationSchemes : read(document, 'schemes')
  const schemes = asList(own).flatMap((scheme) => asFilledText(scheme)?.toLowerCase() ?? [])
  const usable = schemes.filter((scheme) => scheme === 'http' || scheme === 'https')
  const scheme = usable.includes('https') || usable.length === 0 ? 'https' : 'http'
  return [{ url: `${scheme}://${host}${path}` }]
}

/** Tells what an operation consumes: its own list, else that of the document. */
export function consumesOf(operation: unknown, document: unknown): string[] {
  const own = read(operation, 'consumes')
  const given = Array.isArray(own) ? own : asList(read(document, 'consumes'))
  return given.flatMap((type) => asFilledText(type)?.trim() ?? [])
}
