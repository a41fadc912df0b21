import { isEntries } from './serialize.ts'

/** Writes JSON; strings of digits that `digits` points at become numbers of any size. */
export function toJsonText(value: unknown, digits: readonly string[] = []): string {
  if (digits.length === 0) return JSON.stringify(value)
  return writeDigits(
    value,
    digits.map((pointer) => pointer.split('/').slice(1)),
  )
}

function writeDigits(value: unknown, paths: readonly (readonly string[])[]): string {
  if (paths.length === 0) return JSON.stringify(value)
  if (typeof value === 'string' && paths.some((path) => path.length === 0)) {
    return /^-?\d+$/.test(value) ? value.replace(/^(-?)0+(?=\d)/, '$1') : JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    const inner = pathsUnder(paths, '*')
    return `[${value.map((item) => writeDigits(item, inner)).join(',')}]`
  }
  if (!isEntries(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}:${writeDigits(item, pathsUnder(paths, key))}`)
  return `{${members.join(',')}}`
}

function pathsUnder(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  const token = key.replaceAll('~', '~0').replaceAll('/', '~1')
  return paths.filter(([head]) => head === token).map((path) => path.slice(1))
}
