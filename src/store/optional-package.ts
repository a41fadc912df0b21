import { isRecord } from '../values/index.ts'

/** Loads a package that is only needed for one kind of store or queue, or says in one line what to install. */
export async function loadOptional(
  name: string,
  scheme: string,
  load: (name: string) => Promise<unknown> = (specifier) => import(specifier),
  kind: 'store' | 'queue' | 'bus' = 'store',
): Promise<Record<string, unknown>> {
  try {
    const loaded = await load(name)
    if (!isRecord(loaded)) throw new TypeError(`The package ${name} exports nothing`)
    // A CommonJS package may put everything on its default export.
    return isRecord(loaded['default']) ? { ...loaded['default'], ...loaded } : loaded
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown
    const missing = /'([^']+)'/.exec(thrown.message)?.[1]
    // A package with a binary per machine is there without the one for this machine.
    const part = missing?.startsWith('@') && missing !== name ? ` and its part ${missing}` : ''
    const message = `A ${scheme} ${kind} needs the package "${name}"${part}: run npm install ${name}`
    throw new TypeError(message, { cause: thrown })
  }
}

/** Runtimes without a file system, and bundles, have words of their own for a module that is not there. */
function isMissing(thrown: unknown): thrown is Error {
  if (!(thrown instanceof Error)) return false
  const code = 'code' in thrown ? thrown.code : undefined
  return (
    code === 'ERR_MODULE_NOT_FOUND' ||
    code === 'MODULE_NOT_FOUND' ||
    /^(?:No such module|Cannot find (?:module|package))\b/.test(thrown.message)
  )
}
