import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import manifest from '../../../package.json' with { type: 'json' }
import { type Diagnosis, diagnose } from './diagnosis.ts'

/** What of this machine a doctor looks at. */
export interface Machine {
  readonly nodeVersion: string
  /** Where packages are looked for that a service brings along. */
  readonly cwd: string
}

/** Looks at Node and at the versions of the optional packages that are installed. */
export function checkMachine({ nodeVersion, cwd }: Machine): readonly Diagnosis[] {
  const { node } = manifest.engines
  return [
    isAtLeast(nodeVersion, node)
      ? diagnose.ok('node', `${nodeVersion} (needs ${node})`)
      : diagnose.fail('node', `${nodeVersion} is older than ${node}`, `install Node ${node}`),
    ...checkPeers(cwd),
  ]
}

function checkPeers(cwd: string): readonly Diagnosis[] {
  const peers = Object.entries(manifest.peerDependencies)
  const found = peers.flatMap(([name, range]): Diagnosis[] => {
    const version = readVersion(name, cwd)
    if (version === undefined) return []
    const check = `package ${name}`
    if (isAtLeast(version, range)) return [diagnose.ok(check, `${version} (needs ${range})`)]
    return [
      diagnose.fail(check, `${version}, but ${range} is needed`, `run npm install ${name}@latest`),
    ]
  })
  return found.length > 0 ? found : [diagnose.ok('packages', 'no optional package is installed')]
}

/** From where the service runs first, then from where this package is: the first is what it gets. */
function readVersion(name: string, cwd: string): string | undefined {
  for (const start of [pathToFileURL(join(cwd, 'package.json')).href, import.meta.url]) {
    // A package may not export its package.json, so its folder is looked for.
    for (const folder of createRequire(start).resolve.paths(name) ?? []) {
      const version = readManifest(join(folder, ...name.split('/'), 'package.json'))
      if (version !== undefined) return version
    }
  }
  return undefined
}

function readManifest(path: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(path, 'utf8')) as { readonly version?: string }).version
  } catch {
    return undefined
  }
}

/** Every range of ours is `>=`, which a test keeps so. */
function isAtLeast(version: string, range: string): boolean {
  const [least, found] = [range.replace(/^>=\s*/, ''), version].map((text) =>
    text
      .replace(/^v/, '')
      .replace(/[-+].*$/, '')
      .split('.')
      .map(Number),
  )
  for (const index of [0, 1, 2]) {
    const difference = (found?.[index] ?? 0) - (least?.[index] ?? 0)
    if (difference !== 0) return difference > 0
  }
  return true
}
