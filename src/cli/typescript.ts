import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'
import { UsageError } from './exit.ts'

/** Makes importing TypeScript possible where Node cannot do it by itself. */
export async function enableTypeScript(path: string): Promise<void> {
  const features = process.features as { readonly typescript?: unknown }
  if (features.typescript || process.execArgv.some((argument) => argument.includes('tsx'))) return
  try {
    // Whether a file is an ES module or CommonJS depends on its package.json.
    for (const entry of ['tsx/cjs/api', 'tsx/esm/api']) {
      const { register } = (await import(locate(entry, path))) as { readonly register: () => void }
      register()
    }
  } catch {
    throw new UsageError(
      `${path} is TypeScript, which Node ${process.versions.node} cannot run by itself; install tsx (npm install --save-dev tsx) or use Node 22.18 or later`,
    )
  }
}

/** The project's own goes first: a command line that is installed for all has none beside it. */
function locate(entry: string, path: string): string {
  try {
    // Found as CommonJS would find it; what is imported is the ES module beside it.
    return pathToFileURL(
      createRequire(path)
        .resolve(entry)
        .replace(/\.cjs$/, '.mjs'),
    ).href
  } catch {
    return entry
  }
}
