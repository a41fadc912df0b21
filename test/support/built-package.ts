import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Packs the package as npm would publish it, built in a folder of its own, and unpacks it where npm would install it. */
export async function installPackage(project: string): Promise<void> {
  const folder = `${project}build/`
  await buildPackage(folder, { declarations: true })
  const run = promisify(execFile)
  const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', project]
  const { stdout } = await run('npm', pack, { cwd: folder })
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }]
  const home = `${project}node_modules/waymark/`
  mkdirSync(home, { recursive: true })
  await run('tar', ['-xzf', `${project}${filename}`, '--strip-components=1', '-C', home])
  for (const name of readdirSync(`${ROOT}node_modules`)) {
    if (!name.startsWith('.'))
      symlinkSync(`${ROOT}node_modules/${name}`, `${project}node_modules/${name}`)
  }
}

/** Builds the package into a folder inside the project, laid out as npm would install it, with its declarations where they are asked for. */
export async function buildPackage(
  folder: string,
  { declarations = false }: { readonly declarations?: boolean } = {},
): Promise<void> {
  mkdirSync(folder, { recursive: true })
  for (const part of ['package.json', 'bin']) {
    cpSync(`${ROOT}${part}`, `${folder}${part}`, { recursive: true })
  }
  const types = declarations ? [] : ['--no-types']
  const build = [`${ROOT}scripts/build.mjs`, '--out', `${folder}dist`, ...types]
  await promisify(execFile)(process.execPath, build)
}
