import { readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Rollup } from 'vite'

const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..')
const TARGET = join(ROOT, 'src', 'surfaces', 'tools', 'page.gen.ts')

/** Builds the explorer into one HTML text and gives it as the TypeScript module that is committed. */
export async function buildExplorer(): Promise<string> {
  const page = await buildPage()
  return [
    '// Built from explorer/ by scripts/build-explorer.ts; do not edit.',
    '',
    '/** The explorer as one HTML text with its placeholders. */',
    `export const PAGE: string = ${JSON.stringify(page)}`,
    '',
  ].join('\n')
}

/** Builds the page itself. */
async function buildPage(): Promise<string> {
  const { script, style } = await bundle()
  const template = read('index.html')
  // The assignment is spelled as other implementations of this page spell it; their tests look for it.
  const head = `var executeEnabled = {{ALLOW_EXECUTE}};\nvar triggersPresent = {{HAS_TRIGGERS}};\nvar serviceWatched = {{IS_WATCHED}};\n${read('src/head.js')}`
  // Functions, because "$&" in a bundle would otherwise mean something to replace().
  return template
    .replace('/*HEAD*/', () => head.trim())
    .replace('/*STYLE*/', () => assertInert(style, '</style'))
    .replace('/*SCRIPT*/', () => assertInert(script, '</script'))
}

function read(path: string): string {
  return readFileSync(join(ROOT, 'explorer', path), 'utf8')
}

async function bundle(): Promise<{ readonly script: string; readonly style: string }> {
  // Vite builds for whatever NODE_ENV says; under a test runner that would be another page.
  const before = process.env['NODE_ENV']
  process.env['NODE_ENV'] = 'production'
  try {
    return pickOutput(await buildBundle())
  } finally {
    process.env['NODE_ENV'] = before
  }
}

function buildBundle(): ReturnType<typeof build> {
  return build({
    root: join(ROOT, 'explorer'),
    configFile: false,
    logLevel: 'warn',
    mode: 'production',
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2022',
      cssCodeSplit: false,
      modulePreload: false,
      minify: true,
      rolldownOptions: { input: join(ROOT, 'explorer', 'src', 'main.tsx') },
    },
  })
}

function pickOutput(output: Awaited<ReturnType<typeof build>>): {
  readonly script: string
  readonly style: string
} {
  const [result] = Array.isArray(output) ? output : [output]
  if (result === undefined || !('output' in result)) throw new Error('vite gave no output')
  const chunks = result.output.filter((part): part is Rollup.OutputChunk => part.type === 'chunk')
  const styles = result.output.filter(({ fileName }) => fileName.endsWith('.css'))
  const [only] = chunks
  if (only === undefined || chunks.length > 1) throw new Error('the page must be one script')
  // A module of Node in the page means that an import reached past what a browser has.
  if (only.moduleIds.some((id) => id.includes('browser-external'))) {
    throw new Error('the page imports a module of Node; vite names it above')
  }
  const style = styles.map((part) => ('source' in part ? String(part.source) : '')).join('')
  return { script: only.code.trim(), style: style.trim() }
}

/** What stands inside an element must not be able to end it, nor look like a placeholder. */
function assertInert(text: string, end: string): string {
  if (text.toLowerCase().includes(end)) throw new Error(`the bundle contains "${end}"`)
  if (/\{\{[A-Z_]+\}\}/.test(text)) throw new Error('the bundle contains a placeholder')
  return text
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  writeFileSync(TARGET, await buildExplorer())
}
