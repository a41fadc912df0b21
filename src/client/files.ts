import { parseFile, toDataUrl } from '../files/index.ts'
import { isRecord, parsePointer } from '../values/index.ts'
import { hasFiles } from './has-files.ts'

/** Writes each Blob among arguments in its JSON form; gives the same arguments when there is none. */
export async function inlineFiles(value: unknown, depth = 20): Promise<unknown> {
  if (value instanceof Blob) return toDataUrl(value)
  if (depth === 0 || !hasFiles(value, depth)) return value
  if (Array.isArray(value)) return Promise.all(value.map((item) => inlineFiles(item, depth - 1)))
  const members = Object.entries(value as object).map(async ([name, member]) => [
    name,
    await inlineFiles(member, depth - 1),
  ])
  return Object.fromEntries((await Promise.all(members)) as [string, unknown][])
}

const MOST_FILES = 1_000

/** Makes files of the texts of a result that the service says are some. */
export function reviveFiles(result: unknown, pointers: readonly unknown[]): unknown {
  const paths = pointers.slice(0, MOST_FILES).filter((one) => typeof one === 'string')
  return paths.reduce<unknown>(
    (value, pointer) => reviveAt(value, parsePointer(pointer) ?? []),
    result,
  )
}

function reviveAt(value: unknown, path: readonly string[]): unknown {
  const [name, ...rest] = path
  if (name === undefined) return typeof value === 'string' ? (parseFile(value) ?? value) : value
  if (Array.isArray(value)) {
    return value.map((item: unknown, index) =>
      String(index) === name ? reviveAt(item, rest) : item,
    )
  }
  if (!isRecord(value) || !Object.hasOwn(value, name)) return value
  return { ...value, [name]: reviveAt(value[name], rest) }
}
