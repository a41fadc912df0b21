import { entriesOf } from '../../values/index.ts'
import { type FieldDef, toEnvDomain, type WebhookTrigger } from '../tool-spec/index.ts'
import { cleanText, cutText, MAX_DESCRIPTION } from './describe.ts'
import { shorten, takeName, toSnake, withSuffix } from './names.ts'
import { asFilledText, asNode, type Node, read, type Warn, warnUnresolved } from './node.ts'
import type { OpenedDocument } from './operations.ts'

/** A message that the API sends to its user. */
export interface DescribedCall {
  /** Key in the document: the event. */
  readonly event: string
  /** What the name is made of. */
  readonly source: string
  readonly node: Node
  /** Where a callback goes, as a runtime expression. */
  readonly expression?: string
}

/** Finds webhooks of the document (3.1 `webhooks`, `x-webhooks`). */
export function findWebhooks(opened: OpenedDocument, warn: Warn): DescribedCall[] {
  const { document } = opened
  return ['webhooks', 'x-webhooks'].flatMap((key) =>
    entriesOf(read(document, key)).flatMap(([event, value]) =>
      callsIn(opened, value, event, event, warn),
    ),
  )
}

/** Finds the callbacks of one operation. */
export function findCallbacks(
  opened: OpenedDocument,
  callbacks: unknown,
  tool: string,
  warn: Warn,
): DescribedCall[] {
  return entriesOf(callbacks).flatMap(([event, value]) => {
    const resolved = opened.resolver.resolve(value)
    if (!resolved.found) {
      warnUnresolved(warn, resolved, `callbacks.${event}`)
      return []
    }
    return entriesOf(resolved.node).flatMap(([expression, item]) =>
      callsIn(opened, item, event, `${tool}_${event}`, warn).map((call) => ({
        ...call,
        expression,
      })),
    )
  })
}

const METHODS = new Set(['post', 'put', 'patch', 'get', 'delete'])

function callsIn(
  opened: OpenedDocument,
  value: unknown,
  event: string,
  source: string,
  warn: Warn,
): DescribedCall[] {
  const resolved = opened.resolver.resolve(value)
  if (!resolved.found) {
    warnUnresolved(warn, resolved, `webhooks.${event}`)
    return []
  }
  const methods = entriesOf(resolved.node).filter(([key]) => METHODS.has(key.toLowerCase()))
  return methods.flatMap(([method, operation]) => {
    const inner = opened.resolver.resolve(operation)
    const node = inner.found ? asNode(inner.node) : undefined
    if (node === undefined) return []
    return [{ event, source: methods.length > 1 ? `${source}_${method}` : source, node }]
  })
}

/** Makes webhook triggers with names and paths of their own. */
export function toTriggers(
  calls: readonly (DescribedCall & { readonly payload: readonly FieldDef[] })[],
  domain: string,
): WebhookTrigger[] {
  const names = new Set<string>()
  const paths = new Set<string>()
  return calls.map((call) => {
    const snake = toSnake(call.source) || 'event'
    const wished = shorten(`on_${snake}`)
    const name = takeName(wished, names, (count) => withSuffix(wished, String(count)))
    const place = `/webhooks/${domain}/${snake.replaceAll('_', '-')}`
    const path = takeName(place, paths, (count) => `${place}-${count}`)
    const summary = asFilledText(call.node['summary']) ?? asFilledText(call.node['description'])
    const description =
      cutText(cleanText(summary ?? ''), MAX_DESCRIPTION) ||
      `The API reports ${cleanText(call.event)}.`
    return {
      type: 'webhook',
      name,
      description,
      path,
      event: call.event,
      secret_env: `${toEnvDomain(domain)}_WEBHOOK_SECRET`,
      ...(call.payload.length > 0 && { payload: call.payload }),
      ...(call.expression !== undefined && { 'x-expression': call.expression }),
    }
  })
}
