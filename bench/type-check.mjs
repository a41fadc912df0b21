// How long a compiler checks 300 functions, their service and 300 typed calls, beside the same in oRPC.
// `node bench/type-check.mjs [--functions 300] [--rounds 3]`
import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { listCompilers } from '../scripts/compilers.mjs'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const { values: flags } = parseArgs({
  options: {
    functions: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '3' },
  },
})
const COUNT = Number(flags.functions)
const PER_FILE = 30

const INPUT = `z.object({
    customer_id: z.string(),
    items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })),
    note: z.string().optional(),
  })`
const OUTPUT = `z.object({ id: z.string(), status: z.enum(['pending', 'confirmed']), total: z.number() })`
const BODY = `{
    const pieces = input.items.reduce((sum, item) => sum + item.quantity, 0)
    if (pieces > 100) throw FAIL
    return { id: input.customer_id, status: 'pending', total: pieces }
  }`
const GIVEN = `{ customer_id: 'c', items: [{ product_id: 'p', quantity: 1 }] }`

const SUBJECTS = {
  waymark: {
    head: `import { defineFunction } from 'waymark'\nimport { z } from 'zod'`,
    definition: (n) => `export const f${n} = defineFunction({
  name: 'orders.create${n}',
  version: '1.0.0',
  input: ${INPUT},
  output: ${OUTPUT},
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out' }],
  handler: async ({ input, fail }) => ${BODY.replace('FAIL', "fail('ORDERS_SOLD_OUT')")},
})`,
    tail: (files) => `import { createService } from 'waymark'
import { createClient } from 'waymark/client'
${importAll(files)}
export const service = createService({
  info: { title: 'Orders', version: '1.0.0' },
  functions: [${files.flat().map((n) => `f${n}`)}],
})
const client = createClient<typeof service>({ url: 'http://127.0.0.1:4000/forrst' })
${files
  .flat()
  .map((n) => `const r${n} = await client.callOrThrow('orders.create${n}', ${GIVEN})\nr${n}.total`)
  .join('\n')}
`,
  },
  orpc: {
    head: `import { os } from '@orpc/server'\nimport { z } from 'zod'`,
    definition: (n) => `export const f${n} = os
  .errors({ ORDERS_SOLD_OUT: { message: 'Sold out' } })
  .input(${INPUT})
  .output(${OUTPUT})
  .handler(async ({ input, errors }) => ${BODY.replace('FAIL', 'errors.ORDERS_SOLD_OUT()')})`,
    tail: (files) => `import type { RouterClient } from '@orpc/server'
${importAll(files)}
export const router = { orders: { ${files.flat().map((n) => `create${n}: f${n}`)} } }
declare const client: RouterClient<typeof router>
${files
  .flat()
  .map((n) => `const r${n} = await client.orders.create${n}(${GIVEN})\nr${n}.total`)
  .join('\n')}
`,
  },
}

function importAll(files) {
  return files
    .map((numbers, file) => `import { ${numbers.map((n) => `f${n}`)} } from './f${file}.ts'`)
    .join('\n')
}

const folder = mkdtempSync(join(tmpdir(), 'waymark-type-check-'))
try {
  buildPackage()
  for (const subject of ['waymark', 'orpc']) writeProject(subject)
  console.log(`${COUNT} functions, best of ${flags.rounds} rounds, taken in turns\n`)
  console.log('| compiler | project | CPU s | instantiations | types | memory MiB |')
  console.log('| --- | --- | ---: | ---: | ---: | ---: |')
  for (const compiler of listCompilers()) report(compiler)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** The package as npm would install it: declarations only, which is all a compiler reads. */
function buildPackage() {
  const home = join(folder, 'node_modules/waymark')
  mkdirSync(home, { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(home, 'package.json'))
  const emit = [
    '-p',
    'tsconfig.build.json',
    '--outDir',
    join(home, 'dist'),
    '--emitDeclarationOnly',
    '--sourceMap',
    'false',
  ]
  execFileSync(join(ROOT, 'node_modules/.bin/tsc'), emit, { cwd: ROOT, stdio: 'inherit' })
  for (const name of ['zod', '@orpc', '@standard-schema', '@types']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

function writeProject(subject) {
  const project = join(folder, subject)
  mkdirSync(project)
  const { definition, head, tail } = SUBJECTS[subject]
  const files = Array.from({ length: COUNT / PER_FILE }, (_, file) => {
    const numbers = Array.from({ length: PER_FILE }, (_, index) => file * PER_FILE + index)
    writeFileSync(join(project, `f${file}.ts`), `${head}\n${numbers.map(definition).join('\n')}\n`)
    return numbers
  })
  writeFileSync(join(project, 'service.ts'), tail(files))
  const compilerOptions = {
    target: 'es2023',
    lib: ['es2023', 'dom'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ['node'],
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }))
}

function report({ name, tsc }) {
  const best = {}
  for (let round = 0; round < Number(flags.rounds); round += 1) {
    for (const subject of Object.keys(SUBJECTS)) {
      const measured = measure(tsc, join(folder, subject))
      if (!(best[subject]?.cpu <= measured.cpu)) best[subject] = measured
    }
  }
  for (const [subject, { cpu, instantiations, types, memory }] of Object.entries(best)) {
    console.log(
      `| ${name} | ${subject} | ${cpu.toFixed(2)} | ${instantiations} | ${types} | ${memory} |`,
    )
  }
}

function measure(tsc, project) {
  const command = [
    process.execPath,
    tsc,
    '-p',
    project,
    '--extendedDiagnostics',
    '--pretty',
    'false',
  ]
  const timed = ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', ...command]
  const { stdout, stderr, status } = spawnSync('bash', timed, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout.split('\n').slice(0, 20).join('\n'))
  const read = (name) => new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(stdout)?.[1] ?? '–'
  const [user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number)
  return {
    cpu: user + system,
    instantiations: read('Instantiations'),
    types: read('Types'),
    memory: Math.round(Number(read('Memory used')) / 1024),
  }
}
