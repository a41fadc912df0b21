import type { ExtensionEntry } from '../core/call.ts'
import type { JsonObject } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import type { HttpRequest } from '../wire/http.ts'

const NONE: readonly ExtensionEntry[] = []

/** Reads the extension entries that HTTP headers stand for; an entry in the body wins over its header. */
export function readHeaderEntries(
  request: HttpRequest,
  service: Service,
): readonly ExtensionEntry[] {
  const { header } = request
  const traceparent = header('traceparent')
  const traceId = header('x-forrst-trace-id')
  const languages = readLanguages(header('accept-language'))
  if (traceparent === undefined && traceId === undefined && languages === undefined) return NONE
  const entries: ExtensionEntry[] = []
  const imply = (urn: string, options: JsonObject) => {
    if (service.supports(urn)) entries.push({ urn, options, pointer: '', implicit: true })
  }
  if (traceparent !== undefined || traceId !== undefined) {
    imply('urn:forrst:ext:tracing', {
      traceparent,
      tracestate: header('tracestate'),
      trace_id: traceId,
      span_id: header('x-forrst-span-id'),
      parent_span_id: header('x-forrst-parent-span-id'),
    })
  }
  if (languages !== undefined) imply('urn:forrst:ext:locale', { accept_language: languages })
  return entries
}

/** `*` is what clients send when nobody chose a language. */
function readLanguages(value: string | undefined): string | undefined {
  return value === '*' ? undefined : value
}
