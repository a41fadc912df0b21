import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { judgePattern } from '../../src/schema/pattern/index.ts'
import { findAttack } from '../support/pattern-steps.ts'

/** Would keep the engine of JavaScript busy for days. */
const TEXT = `${'a'.repeat(60)}!`
/** A process that is still there after this is frozen. */
const WAIT_MS = 60_000

function toDocument(pattern: string): unknown {
  const schema = { type: 'string', pattern, example: TEXT, minLength: 40 }
  const braces = '{'.repeat(5_000)
  return {
    openapi: '3.1.0',
    info: { title: 'Hostile', version: '1.0.0', description: `<${'<'.repeat(20_000)}` },
    servers: [{ url: `http://127.0.0.1:9/${'/'.repeat(20_000)}a` }],
    paths: {
      '/check': {
        post: {
          operationId: 'check',
          summary: `Checks${'.'.repeat(20_000)}x`,
          description: braces,
          parameters: [{ name: 'q', in: 'query', schema, example: TEXT }],
          requestBody: {
            content: {
              'application/json': {
                schema: {
                  type: 'object',
                  properties: { text: schema, deep: { type: 'array', items: schema } },
                  patternProperties: { [pattern]: schema },
                },
                example: { text: TEXT, [TEXT]: TEXT },
              },
            },
          },
          responses: {
            200: {
              description: 'Fine',
              content: { 'application/json': { schema, example: TEXT } },
            },
          },
        },
      },
    },
  }
}

let folder: string
/** One process for all commands: what freezes it must not freeze the test. */
let commands: ChildProcess
beforeAll(() => {
  const worker = fileURLToPath(new URL('./commands-process.ts', import.meta.url))
  const execArgv = ['--conditions=waymark-source', '--import', 'tsx']
  commands = fork(worker, { execArgv, stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  folder = mkdtempSync(join(tmpdir(), 'waymark-patterns-'))
  writeFileSync(join(folder, 'api.json'), JSON.stringify(toDocument('^(a+)+$')))
  writeFileSync(join(folder, 'new.json'), JSON.stringify(toDocument('^((a|aa)+)+$')))
})
afterAll(() => {
  commands.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a command; resolves with its exit code and texts, or with `frozen` when no answer came. */
async function run(args: readonly string[], until?: RegExp): Promise<readonly [unknown, string]> {
  commands.send({ args, cwd: folder, until: until?.source })
  const late = AbortSignal.timeout(WAIT_MS)
  const [answer] = await once(commands, 'message', { signal: late }).catch(() => [['frozen', '']])
  return answer as [unknown, string]
}

describe('beside it: commands that read a document with hostile patterns and long texts', () => {
  it.each([
    ['check', ['check', 'api.json']],
    ['diff', ['diff', 'api.json', 'new.json']],
    ['docs', ['docs', 'api.json', '--out', 'site']],
    ['verify', ['verify', 'api.json']],
    ['forge tool', ['forge', 'tool', '--spec', 'api.json', '--out', 'specs']],
    ['forge call', ['forge', 'call', 'api.json', 'check', `q=${TEXT}`, '--dry-run']],
    ['call', ['call', 'api.json', 'hostile.check', `q=${TEXT}`]],
  ])(
    '%s ends',
    async (_name, args) => {
      const [how, text] = await run(args)
      expect([how, text]).toEqual([expect.any(Number), expect.stringMatching(/\S/)])
      expect(text).not.toMatch(/unexpected error|at file:|Maximum call stack/i)
    },
    WAIT_MS * 2,
  )

  it(
    'mock starts',
    async () => {
      const [how, text] = await run(
        ['mock', 'api.json', '--port', '0'],
        /http:\/\/127\.0\.0\.1:\d+/,
      )
      expect(how, text).toBe('started')
    },
    WAIT_MS * 2,
  )
})

const ROOT = join(import.meta.dirname, '../..')

interface Found {
  readonly file: string
  readonly pattern: string
  readonly flags: string
}

/** Collects every regular expression that is written out in a file. */
function listPatterns(file: string): readonly Found[] {
  const found: Found[] = []
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, regex } = node as { type?: string; regex?: { pattern: string; flags: string } }
    if (type === 'Literal' && regex) found.push({ file, ...regex })
    for (const member of Object.values(node)) visit(member)
  }
  visit(parseSync(file, readFileSync(join(ROOT, file), 'utf8')).program)
  return found
}

const patterns = ['src', 'explorer/src']
  .flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) =>
      join(folder, name),
    ),
  )
  .filter((file) => /\.tsx?$/.test(file) && !/\.test(?:-d)?\.ts$/.test(file))
  .flatMap(listPatterns)

/** Patterns that take longer than linear time, with the reason why nobody can use that. */
const BOUNDED: Readonly<Record<string, string>> = {
  'src/cli/parse-input.ts /<[^>]*>|\\[[^\\]]*\\]|[^\\s[\\]<>]+/g':
    'reads the usage lines of this program',
  'src/codegen/typed-client/emit-runtime.ts /\\/\\*[\\s\\S]*?\\*\\/|\'(?:[^\'\\\\\\n]|\\\\.)*\'|"(?:[^"\\\\\\n]|\\\\.)*"/g':
    'reads code that was just written, whose comments and texts all end',
  'src/contract/options.ts /^(\\d{1,12}(?:\\.\\d{1,6})?) ?(ms|s|m|h)?$/':
    'its repetitions end after 18 digits',
  'src/sources/runtime/serialize.ts /0+$/': 'reads what toFixed(20) wrote',
  'explorer/src/view/json-text.tsx /("(?:[^"\\\\]|\\\\.)*")(\\s*:)?|(-?\\d+(?:\\.\\d+)?(?:[eE][+-]?\\d+)?)|\\b(true|false|null)\\b/g':
    'reads what JSON.stringify wrote, whose texts all end',
}

/** Files whose repetitions end after a few hundred characters, which is linear in longer texts. */
const LIMITED = new Set(['explorer/src/model/text.ts'])

describe('beside it: the patterns of the product itself', () => {
  const slow = patterns.filter(
    ({ pattern, flags }) =>
      judgePattern(pattern) !== 'linear' && findAttack(pattern, flags) !== undefined,
  )

  it('take linear time, or read what nobody outside can make long', () => {
    const names = slow
      .filter(({ file }) => !LIMITED.has(file))
      .map(({ file, pattern, flags }) => `${file} /${pattern}/${flags}`)
    expect(names.toSorted()).toEqual(Object.keys(BOUNDED).toSorted())
  })

  it('are never exponential', () => {
    expect(patterns.length).toBeGreaterThan(500)
    const exponential = patterns.filter(({ pattern }) => judgePattern(pattern) === 'exponential')
    // Nothing follows the loop of this one, so that it never fails and tries again.
    expect(exponential.map(({ file }) => file)).toEqual(['src/cli/forge/call/dry-call.ts'])
  })

  it.each([
    ['^(a+)+$', ''],
    ['/+$', ''],
    ['\\{[^}]*\\}', 'g'],
    ['(x+x+)+y', ''],
  ])('would be found if one were /%s/%s', (pattern, flags) => {
    expect(findAttack(pattern, flags)).toBeDefined()
  })

  it.each([
    ['^[a-z]+(?:-[a-z]+)*$', ''],
    ['(?<!/)/+$', ''],
    ['\\{[^{}]*\\}', 'g'],
    ['\\s+', 'g'],
  ])('would not be found if one were /%s/%s', (pattern, flags) => {
    expect(findAttack(pattern, flags)).toBeUndefined()
  })
})
