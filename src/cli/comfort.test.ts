import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { createWorkplace } from '../../test/cli/run-main.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { COMMANDS } from './commands.ts'
import { formatCommandHelp } from './help.ts'
import { countWords, parseInput } from './parse-input.ts'

const place = createWorkplace()
const page = createServer((_, response) => response.end('<html></html>'))
let server: RunningServer
let addresses: Readonly<Record<string, string>>

beforeAll(async () => {
  server = await serve(createEventsService({ database: ':memory:' }), { port: 0 })
  await new Promise<void>((resolve) => page.listen(0, '127.0.0.1', () => resolve()))
  const { port } = page.address() as AddressInfo
  addresses = {
    URL: server.url,
    PAGE: `http://127.0.0.1:${port}`,
    CLOSED: await findClosed(),
    BUSY: String(server.port),
  }
  place.write('bad.json', '{"a": 1,')
  place.write('text.txt', 'hello')
  place.write('throws.mjs', 'function start() {\n  throw new Error("boom")\n}\nstart()\n')
  place.write('imports.mjs', 'import x from "no-such-package"\nexport default x\n')
  place.write('file', '')
})
afterAll(async () => {
  page.close()
  await server.close()
})

/** An address at which nobody listens any more. */
async function findClosed(): Promise<string> {
  const once = createServer()
  await new Promise<void>((resolve) => once.listen(0, '127.0.0.1', () => resolve()))
  const { port } = once.address() as AddressInfo
  await new Promise((resolve) => once.close(resolve))
  return `http://127.0.0.1:${port}`
}

const run = (line: string) => place.run(...line.split(' ').map((word) => addresses[word] ?? word))

/** Splits a line as a shell would, up to what it would send elsewhere. */
function splitExample(line: string): readonly string[] {
  const inner = /<\((.*)\)/.exec(line)?.[1] ?? line
  const words: readonly string[] = inner.match(/'[^']*'|"[^"]*"|[^\s'"]+/g) ?? []
  const end = words.indexOf('>')
  return words
    .slice(0, end === -1 ? undefined : end)
    .map((word) => word.replace(/^(['"])(.*)\1$/s, '$2'))
}

describe.each(COMMANDS)('waymark $name', (command) => {
  const { name } = command

  it('explains itself with examples that its own flags understand', async () => {
    expect(command.examples.length).toBeGreaterThan(0)
    for (const example of command.examples) {
      expect(formatCommandHelp(command)).toContain(example)
      const [program, called, ...args] = splitExample(example)
      expect([program, called], example).toEqual(['waymark', name])
      const { positionals } = parseInput(command, args)
      expect(positionals.length, example).toBeGreaterThanOrEqual(countWords(command).least)
    }
  })

  it('shows its usage to who gives too few or too many words', async () => {
    const { least, most } = countWords(command)
    if (least > 0) {
      const { code, err } = await run(name)
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining(`${name} ${command.usage}`),
      })
    }
    if (most < Number.POSITIVE_INFINITY) {
      const { code, err } = await run([name, ...Array(most + 1).fill('x')].join(' '))
      expect({ code, err }).toEqual({
        code: 2,
        err: expect.stringContaining('"x" is not expected here'),
      })
    }
  })

  it('suggests the flag that was misspelt', async () => {
    const [flag] = Object.keys(command.flags)
    if (flag === undefined) return
    const { code, err } = await run(`${name} --${flag}x`)
    expect(code).toBe(2)
    expect(err).toContain('Did you mean')
  })
})

describe('what to do next', () => {
  it.each([
    ['help serv', 2, 'Did you mean "serve"?'],
    ['operations lst URL', 2, 'Did you mean "list"?'],
    ['triggers lst URL', 2, 'Did you mean "list"?'],
    ['generate clint URL', 2, 'Did you mean "client"?'],
    ['call URL event.list', 3, 'did you mean events.list?'],
    ['call URL weather.now', 3, '"waymark describe <url>" lists what there is'],
    ['call URL events.list --extension quer', 3, 'did you mean "urn:forrst:ext:query"?'],
    ['call URL events.list --deadline', 2, '--deadline needs a value: --deadline <time>'],
    ['call URL events.list --dry-run=yes', 2, '--dry-run takes no value'],
    ['call URL events.list --args nope.json', 2, 'nope.json does not exist'],
    ['call CLOSED a.b', 3, 'is the service running?'],
    ['verify CLOSED', 3, 'is the service running?'],
    ['serve CLOSED', 3, 'is the service running?'],
    ['diff CLOSED CLOSED', 3, 'is the service running?'],
    ['call http://no-such-host.invalid a.b', 3, 'is the host spelt right?'],
    ['describe PAGE', 3, 'is this the address of a Forrst endpoint?'],
    ['serve text.txt', 2, 'text.txt is not a source: give a module'],
    ['serve bad.json --port abc', 2, '--port must be a port number'],
    ['serve bad.json --tools some', 2, '--tools must be all, search; got "some"'],
    ['serve bad.json --store redis://user:secret@127.0.0.1:1', 3, 'is 127.0.0.1:1 running?'],
    ['diff URL URL --format markdwn', 2, 'Did you mean "markdown"?'],
    ['check bad.json --format jsn', 2, 'Did you mean "json"?'],
    ['generate client URL --runtime packge', 2, 'Did you mean "package"?'],
    ['mock URL --prefer example', 2, 'Did you mean "examples"?'],
    ['serve imports.mjs', 2, 'Install it: npm install no-such-package'],
    ['mock URL --port BUSY', 2, 'is in use; choose another with --port'],
    ['docs URL --out file', 2, 'file: exists already'],
    ['docs URL --out file/site', 2, 'a part of this path is a file'],
    ['verify URL --only events.get --record file/x', 2, 'a part of this path is a file'],
    ['init file', 2, 'a part of this path is a file'],
    ['negotiate CLOSED CLOSED', 3, 'add --allow-loopback for this machine'],
  ])('is said for "%s"', async (line, code, sentence) => {
    const result = await run(line)
    expect(result.err).toContain(sentence)
    expect(result.code).toBe(code)
    expect(result.err).not.toContain('secret')
  })

  it('shows the frames of the author, not those of the loader', async () => {
    const { code, err } = await run('serve throws.mjs')
    expect(code).toBe(2)
    expect(err).toContain('boom')
    expect(err).toContain('throws.mjs:2')
    expect(err).not.toContain('node:internal')
  })

  it('sends who is refused to the header', async () => {
    const guarded = createServer((_, response) => response.writeHead(401).end())
    await new Promise<void>((resolve) => guarded.listen(0, '127.0.0.1', () => resolve()))
    const { port } = guarded.address() as AddressInfo
    const { err } = await run(`call http://127.0.0.1:${port} a.b`)
    guarded.close()
    expect(err).toContain('--header "Authorization: Bearer …"')
  })
})
