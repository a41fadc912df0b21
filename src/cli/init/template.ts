/** What a new project is made of. */
export interface ProjectOptions {
  /** Lower case, as the package and the functions are called: `greetings`. */
  readonly name: string
  readonly language: Language
  /** Where `waymark` comes from: a version range or a file. */
  readonly waymark: string
}

/** A language a project may be written in. */
export type Language = 'ts' | 'js'

/** A file of a new project. */
export interface ProjectFile {
  readonly path: string
  readonly text: string
}

/** Writes a small service with a test, ready to be served. */
export function buildProject(options: ProjectOptions): readonly ProjectFile[] {
  const { language } = options
  return [
    { path: 'package.json', text: formatManifest(options) },
    { path: `service.${language}`, text: formatService(options) },
    { path: `service.test.${language}`, text: formatTest(options) },
    ...(language === 'ts' ? [{ path: 'tsconfig.json', text: TSCONFIG }] : []),
    { path: '.gitignore', text: 'node_modules/\n.data/\n' },
    { path: 'README.md', text: formatReadme(options) },
  ]
}

function formatManifest({ name, language, waymark }: ProjectOptions): string {
  const isTyped = language === 'ts'
  const manifest = {
    name,
    version: '1.0.0',
    private: true,
    type: 'module',
    scripts: {
      start: `waymark serve service.${language}`,
      test: isTyped ? 'node --import tsx --test service.test.ts' : 'node --test service.test.js',
      ...(isTyped && { check: 'tsc --noEmit' }),
      verify: `waymark verify service.${language}`,
    },
    dependencies: { waymark, zod: '^4.0.0' },
    ...(isTyped && {
      devDependencies: { '@types/node': '^20.0.0', tsx: '^4.0.0', typescript: '>=5.9.0' },
    }),
  }
  return `${JSON.stringify(manifest, null, 2)}\n`
}

function formatService({ name, language }: ProjectOptions): string {
  const isTyped = language === 'ts'
  return `import { createService, defineFunction } from 'waymark'
${isTyped ? "import type { Store } from 'waymark/store'\n" : ''}import { z } from 'zod'

const greet = defineFunction({
  name: '${toPrefix(name)}.greet',
  version: '1.0.0',
  summary: 'Greet somebody by name',
  readOnly: true,
  input: z.object({ name: z.string().min(1).max(100).describe('Whom to greet') }),
  output: z.object({ text: z.string() }),
  errors: [{ code: '${toCodePrefix(name)}_NOBODY', message: 'There is nobody of this name', status: 404 }],
  examples: [
    {
      name: 'ada',
      params: [{ name: 'name', value: 'Ada' }],
      result: { name: 'result', value: { text: 'Hello, Ada!' } },
    },
  ],
  handler: ({ input, fail }) => {
    if (input.name === 'Nobody') throw fail('${toCodePrefix(name)}_NOBODY')
    return { text: \`Hello, \${input.name}!\` }
  },
})

/** Creates the service; \`waymark serve --store sqlite:.data/state.db\` hands in the store. */
export default function create({ store }${isTyped ? ': { store?: Store }' : ''} = {}) {
  return createService({
    info: { title: '${toTitle(name)}', version: '1.0.0' },
    functions: [greet],
    ...(store && { store }),
  })
}
`
}

function formatTest({ name, language }: ProjectOptions): string {
  const isTyped = language === 'ts'
  return `import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createApp, forrst } from 'waymark'
import { createClient, createLocalTransport } from 'waymark/client'
import create from './service.${language}'

const service = create()
const client = createClient${isTyped ? '<typeof service>' : ''}({
  transport: createLocalTransport(createApp(service, { surfaces: [forrst()] }).handle),
})

test('greets by name', async () => {
  const outcome = await client.call('${toPrefix(name)}.greet', { name: 'Ada' })
  assert.deepEqual(outcome.ok && outcome.result, { text: 'Hello, Ada!' })
})

test('answers with a declared error', async () => {
  const outcome = await client.call('${toPrefix(name)}.greet', { name: 'Nobody' })
  assert.equal(!outcome.ok && outcome.error.code, '${toCodePrefix(name)}_NOBODY')
})

test('names the argument that is wrong', async () => {
  const outcome = await client.call('${toPrefix(name)}.greet', { name: '' })
  assert.match(outcome.ok ? '' : outcome.error.message, /^name: /)
})
`
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "es2023",
    "module": "nodenext",
    "types": ["node"],
    "strict": true,
    "noEmit": true,
    "skipLibCheck": true,
    "allowImportingTsExtensions": true
  }
}
`

function formatReadme({ name, language }: ProjectOptions): string {
  return `# ${toTitle(name)}

\`\`\`sh
npm install
npm test
npm start
\`\`\`

\`npm start\` serves every function on http://127.0.0.1:4000: try it in the browser, or

\`\`\`sh
npx waymark call http://127.0.0.1:4000 ${toPrefix(name)}.greet name=Ada
npx waymark generate client http://127.0.0.1:4000 --out client.ts
npx waymark verify http://127.0.0.1:4000
\`\`\`

Agents reach it over MCP at http://127.0.0.1:4000/mcp, and with \`npx waymark serve service.${language} --stdio\`.
`
}

function toPrefix(name: string): string {
  return name.replaceAll('-', '_')
}

function toCodePrefix(name: string): string {
  return toPrefix(name).toUpperCase()
}

function toTitle(name: string): string {
  return name
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
