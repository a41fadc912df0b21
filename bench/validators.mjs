// Compares JSON Schema validators: `node bench/validators.mjs`. Each figure comes from a process of its own.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const ROOT = join(import.meta.dirname, '..')
const SUITE = join(ROOT, '../shared/fixtures/json-schema')
const BUILT = join(ROOT, 'node_modules/.cache/waymark-bench')
const DRAFT_7 = 'http://json-schema.org/draft-07/schema#'

/** Each candidate: how it is loaded, and how it makes a check `(value) => boolean` out of a schema. */
const CANDIDATES = {
  'waymark compileSchema': {
    packages: ['typebox'],
    load: async () => {
      const { compileSchema } = await import(pathToFileURL(join(BUILT, 'json-schema.js')).href)
      return (schema, { definitions, now }) => {
        const check = compileSchema(schema, { definitions, now })
        return (value) => check(value).ok
      }
    },
  },
  'typebox/schema': {
    packages: ['typebox'],
    load: () => loadTypeBox('typebox/schema'),
    prepareSuite: prepareTypeBox,
  },
  'typebox/compile': {
    packages: ['typebox'],
    load: () => loadTypeBox('typebox/compile'),
    prepareSuite: prepareTypeBox,
  },
  'ajv, defaults': { packages: ['ajv'], load: () => loadAjv({ strict: false }) },
  'ajv, ownProperties': {
    packages: ['ajv'],
    load: () => loadAjv({ strict: false, ownProperties: true, ignoreKeywordsWithRef: true }),
  },
  '@cfworker/json-schema': { packages: ['@cfworker/json-schema'], load: loadCfworker },
}

async function loadTypeBox(entry) {
  const { Compile } = await import(entry)
  return (schema, { definitions }) => {
    const validator = Compile(definitions, schema)
    return (value) => validator.Check(value)
  }
}

/** What only the suite needs: `format` as an annotation, and the meta-schemas. */
async function prepareTypeBox() {
  const { Format } = await import('typebox/format')
  Format.Clear()
  const { Meta } = await import('typebox/schema')
  return Meta
}

async function loadAjv(options) {
  const [{ default: Ajv7 }, { default: Ajv2020 }] = await Promise.all([
    import('ajv'),
    import('ajv/dist/2020.js'),
  ])
  const settings = { ...options, validateFormats: false, logger: false }
  const shared = new Map()
  // One instance per draft, as an application would keep it; the suite needs fresh ones because its ids repeat.
  const open = (draft, definitions) => {
    const known = shared.get(draft)
    if (known && Object.keys(definitions).length === 0) return known
    const ajv = draft === 'draft7' ? new Ajv7.default(settings) : new Ajv2020.default(settings)
    for (const [uri, schema] of Object.entries(definitions)) {
      if (draft === 'draft7' ? !uri.includes('/draft20') : !uri.includes('/draft7')) {
        ajv.addSchema(schema, uri, undefined, false)
      }
    }
    if (Object.keys(definitions).length === 0) shared.set(draft, ajv)
    return ajv
  }
  return (schema, { definitions, draft }) => open(draft, definitions).compile(schema)
}

async function loadCfworker() {
  // Measured where somebody installed it; it is no dependency.
  const name = '@cfworker/json-schema'
  const { Validator } = await import(name)
  return (schema, { definitions, draft }) => {
    const validator = new Validator(schema, draft === 'draft7' ? '7' : '2020-12')
    for (const [uri, remote] of Object.entries(definitions)) validator.addSchema(remote, uri)
    return (value) => validator.validate(value).valid
  }
}

function orderSchema(number) {
  const item = {
    type: 'object',
    required: ['product_id', 'quantity'],
    properties: { product_id: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
  }
  return {
    type: 'object',
    required: ['customer_id', 'items'],
    additionalProperties: false,
    properties: {
      customer_id: { type: 'string', minLength: 1 },
      status: { enum: ['pending', 'confirmed', 'cancelled'] },
      note: { type: 'string', maxLength: 200 },
      items: { type: 'array', minItems: 1, items: item },
      [`field_${number}`]: { type: 'string' },
    },
  }
}

const VALID = {
  customer_id: 'cus_1',
  status: 'pending',
  items: [
    { product_id: 'p_1', quantity: 2 },
    { product_id: 'p_2', quantity: 1 },
  ],
}
const INVALID = { ...VALID, items: [{ product_id: 'p_1', quantity: 0 }] }

/** The measurements a child process can be asked for. */
const MEASURES = {
  async suite(make, draft, { prepareSuite }) {
    const definitions = { ...readRemotes(), ...(await prepareSuite?.()) }
    const folder = join(SUITE, 'tests', draft)
    let passed = 0
    let total = 0
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
      for (const { schema, tests } of readJson(join(folder, file))) {
        const check = attempt(() =>
          make(announce(schema, draft), { definitions, draft, now: true }),
        )
        for (const { data, valid } of tests) {
          total += 1
          if (attempt(() => check(data)) === valid) passed += 1
        }
      }
    }
    return `${passed}/${total}`
  },
  valid: (make) => time(make(orderSchema(0), { definitions: {}, now: true }), VALID),
  invalid: (make) => time(make(orderSchema(0), { definitions: {}, now: true }), INVALID),
  first: (make) => {
    make(orderSchema(0), { definitions: {} })(VALID)
    return cpuTime()
  },
  many(make) {
    const checks = []
    const started = cpuTime()
    const before = process.memoryUsage().heapUsed
    for (let number = 0; number < 10_000; number += 1) {
      const check = make(orderSchema(number), { definitions: {}, now: true })
      check(VALID)
      checks.push(check)
    }
    const ms = cpuTime() - started
    globalThis.gc?.()
    const heap = (process.memoryUsage().heapUsed - before) / 1e6
    return { ms, heap, kept: checks.length }
  },
  works: (make) => attempt(() => make(orderSchema(0), { definitions: {} })(VALID)) === true,
}

function time(check, value) {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < 200; round += 1) {
    const started = performance.now()
    for (let count = 0; count < 5000; count += 1) check(value)
    // The least disturbed round counts: other work on the machine only ever adds.
    best = Math.min(best, ((performance.now() - started) / 5000) * 1e6)
  }
  return best
}

function cpuTime() {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function announce(schema, draft) {
  const needs = draft === 'draft7' && typeof schema === 'object' && !('$schema' in schema)
  return needs ? { $schema: DRAFT_7, ...schema } : schema
}

function readRemotes() {
  const folder = join(SUITE, 'remotes')
  const files = listFiles(folder)
  return Object.fromEntries(
    files.map((path) => [`http://localhost:1234/${path.slice(folder.length + 1)}`, readJson(path)]),
  )
}

function listFiles(folder) {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? listFiles(path) : [path]
  })
}

function readJson(path) {
  return JSON.parse(readFileSync(path, 'utf8'))
}

function attempt(action) {
  try {
    return action()
  } catch {
    return undefined
  }
}

function measure(candidate, what, draft = '', flags = []) {
  const script = [import.meta.filename, candidate, what, draft]
  const output = attempt(() => execFileSync(process.execPath, [...flags, ...script], { cwd: ROOT }))
  return output === undefined ? undefined : JSON.parse(output.toString())
}

async function runChild(candidate, what, draft) {
  const before = cpuTime()
  const make = await CANDIDATES[candidate].load()
  const result = await MEASURES[what](make, draft, CANDIDATES[candidate])
  process.stdout.write(JSON.stringify(what === 'first' ? result - before : result))
}

function weigh(packages) {
  const require = createRequire(join(ROOT, 'package.json'))
  const seen = new Set()
  const visit = (name) => {
    const folder = join(ROOT, 'node_modules', name)
    if (seen.has(name) || !existsSync(folder)) return
    seen.add(name)
    const { dependencies = {} } = require(join(folder, 'package.json'))
    for (const dependency of Object.keys(dependencies)) visit(dependency)
  }
  for (const name of packages) visit(name)
  const files = [...seen].flatMap((name) => listFiles(join(ROOT, 'node_modules', name)))
  const bytes = files.reduce((sum, path) => sum + statSync(path).size, 0)
  return { size: `${(bytes / 1e6).toFixed(1)} MB`, dependencies: seen.size - packages.length }
}

function measureAll(candidate) {
  const hasSuite = existsSync(SUITE)
  const starts = Array.from({ length: 5 }, () => measure(candidate, 'first'))
  const many = measure(candidate, 'many', '', ['--expose-gc'])
  const { size, dependencies } = weigh(CANDIDATES[candidate].packages)
  return [
    candidate,
    hasSuite ? measure(candidate, 'suite', 'draft2020-12') : '-',
    hasSuite ? measure(candidate, 'suite', 'draft7') : '-',
    measure(candidate, 'valid').toFixed(0),
    measure(candidate, 'invalid').toFixed(0),
    Math.min(...starts).toFixed(0),
    many.ms.toFixed(0),
    many.heap.toFixed(0),
    measure(candidate, 'works', '', ['--disallow-code-generation-from-strings']) ? 'yes' : 'no',
    size,
    dependencies,
  ]
}

function build() {
  const tsc = join(ROOT, 'node_modules/.bin/tsc')
  const flags = '--ignoreConfig --noCheck --rewriteRelativeImportExtensions --module nodenext'
  const source = join(ROOT, 'src/schema/compile.ts')
  execFileSync(tsc, [source, '--outDir', BUILT, '--target', 'es2023', ...flags.split(' ')])
}

const HEADER = [
  'validator',
  'suite 2020-12',
  'suite draft 7',
  'valid ns',
  'invalid ns',
  'import and first check, CPU ms',
  '10,000 schemas compiled, CPU ms',
  'heap MB after',
  'without eval',
  'unpacked',
  'other packages',
]

if (process.argv[2] === undefined) {
  build()
  const present = Object.keys(CANDIDATES).filter((name) =>
    CANDIDATES[name].packages.every((each) => existsSync(join(ROOT, 'node_modules', each))),
  )
  const rows = [HEADER, HEADER.map((_, column) => (column === 0 ? '---' : '---:'))]
  for (const candidate of present) rows.push(measureAll(candidate))
  process.stdout.write(`${rows.map((row) => `| ${row.join(' | ')} |`).join('\n')}\n`)
} else {
  await runChild(process.argv[2], process.argv[3], process.argv[4])
}
