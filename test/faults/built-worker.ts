import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** A worker as plain JavaScript. */
export interface BuiltWorker {
  readonly file: string
  readonly remove: () => void
}

/** Compiles a worker of this folder with all it imports, once for many processes: each starts with half the CPU time. */
export async function buildWorker(name: string): Promise<BuiltWorker> {
  // Inside the project, where it finds its packages, in the folder that nobody commits or lints.
  mkdirSync(`${ROOT}test/.docs`, { recursive: true })
  const folder = mkdtempSync(`${ROOT}test/.docs/worker-`)
  const remove = () => rmSync(folder, { recursive: true, force: true })
  process.once('exit', remove)
  const compilerOptions = {
    noEmit: false,
    noCheck: true,
    allowImportingTsExtensions: false,
    rewriteRelativeImportExtensions: true,
    rootDir: ROOT,
    outDir: folder,
  }
  const files = [`${ROOT}test/faults/${name}.ts`]
  const config = { extends: `${ROOT}tsconfig.json`, compilerOptions, files, include: [] }
  writeFileSync(`${folder}/tsconfig.json`, JSON.stringify(config))
  cpSync(`${ROOT}package.json`, `${folder}/package.json`)
  await promisify(execFile)(`${ROOT}node_modules/.bin/tsc`, ['-p', `${folder}/tsconfig.json`])
  return { file: `${folder}/test/faults/${name}.js`, remove }
}
