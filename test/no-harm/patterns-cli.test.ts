import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

/** Would keep the engine of JavaScript busy for days. */
const TEXT = `${'a'.repeat(60)}!`
const ROOT = join(import.meta.dirname, '../..')
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
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-patterns-'))
  writeFileSync(join(folder, 'api.json'), JSON.stringify(toDocument('^(a+)+$')))
  writeFileSync(join(folder, 'new.json'), JSON.stringify(toDocument('^((a|aa)+)+$')))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Runs the program; resolves with its exit code and texts, or with `frozen` when it had to be ended. */
function run(args: readonly string[], until?: RegExp): Promise<readonly [unknown, string]> {
  return new Promise((resolve) => {
    let text = ''
    const child = spawn(process.execPath, [join(ROOT, 'bin/waymark.js'), ...args], { cwd: folder })
    const late = setTimeout(() => finish('frozen'), WAIT_MS)
    const finish = (how: unknown) => {
      clearTimeout(late)
      child.kill('SIGKILL')
      resolve([how, text])
    }
    const read = (chunk: Buffer) => {
      text += chunk.toString()
      if (until?.test(text)) finish('started')
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.on('exit', finish)
  })
}

describe('beside it: commands that read a document with hostile patterns and long texts', () => {
  it.each([
    ['check', ['check', 'api.json']],
    ['diff', ['diff', 'api.json', 'new.json']],
    ['docs', ['docs', 'api.json', '--out', 'site']],
    ['verify', ['verify', 'api.json']],
    ['forge import', ['forge', 'import', 'api.json', '--out', 'specs']],
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
