import { type Cell, createCell } from './cell.ts'
import type { KeyValue } from './history.ts'

/** A header sent with every request. */
export interface ExtraHeader {
  readonly name: string
  readonly value: string
}

/** Who the page says it is; in memory, unless the user asks for this tab's storage. */
export interface Credentials {
  readonly token: Cell<string>
  readonly keep: Cell<boolean>
  readonly extra: Cell<readonly ExtraHeader[]>
  readonly headers: () => Readonly<Record<string, string>>
}

/** Makes the credentials of a page. */
export function createCredentials(session: KeyValue | undefined, base: string): Credentials {
  const key = `waymark-explorer:${base}:token`
  const stored = attempt(() => session?.getItem(key) ?? undefined)
  const token = createCell(stored ?? '')
  const keep = createCell(stored !== undefined)
  const extra = createCell<readonly ExtraHeader[]>([])
  const write = () =>
    attempt(() => {
      if (keep.get() && token.get() !== '') session?.setItem(key, token.get())
      else session?.removeItem(key)
    })
  token.subscribe(write)
  keep.subscribe(write)
  return { token, keep, extra, headers: () => toHeaders(token.get(), extra.get()) }
}

/** Writes a token and other headers; `Bearer` is put in front of a bare token, and never twice. */
export function toHeaders(
  token: string,
  extra: readonly ExtraHeader[],
): Readonly<Record<string, string>> {
  const trimmed = token.trim()
  const named = extra.filter(({ name }) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))
  return {
    ...Object.fromEntries(named.map(({ name, value }) => [name.toLowerCase(), value])),
    ...(trimmed !== '' && {
      authorization: /^bearer\s/i.test(trimmed) ? trimmed : `Bearer ${trimmed}`,
    }),
  }
}

function attempt<Value>(run: () => Value): Value | undefined {
  try {
    return run()
  } catch {
    return undefined
  }
}
