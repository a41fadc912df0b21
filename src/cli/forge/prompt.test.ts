import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace } from '../../../test/cli/run-main.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../test/codegen/recording-server.ts'

const GOOD = `domain: weather
base_url: https://api.example.com
tools:
  - name: get_forecast
    description: Reads the forecast of a city.
    method: GET
    path: /forecast/{city}
    params:
      - { name: city, type: string, required: true, description: City. }
`
const BAD = GOOD.replace('type: string', 'type: str')

let api: RecordingServer
beforeAll(async () => {
  api = await startRecordingServer()
})
beforeEach(() => answer(GOOD))
afterAll(() => api.close())

function answer(...texts: string[]): void {
  api.answer((_, index) => {
    const content = texts[Math.min(index, texts.length - 1)]
    return { body: { choices: [{ message: { role: 'assistant', content } }] } }
  })
}

const env = (): Record<string, string> => ({
  OPENAI_API_KEY: 'sk-secret',
  OPENAI_BASE_URL: `${api.url}/v1`,
})

const PROMPT = ['forge', 'tool', '--prompt', 'the weather of a city', '--out', 'tools'] as const

/** Answers the questions one after the other, and remembers them. */
function person(...answers: string[]) {
  const asked: string[] = []
  return {
    asked,
    terminal: true,
    ask: async (question: string): Promise<string> => {
      asked.push(question)
      return answers.shift() ?? 'n'
    },
  }
}

/** An editor that replaces one text by another. */
function editor(place: Workplace, from: string, to: string): string {
  const script = `const fs = require('node:fs')
const file = process.argv.at(-1)
fs.writeFileSync(file, fs.readFileSync(file, 'utf8').replace(${JSON.stringify(from)}, ${JSON.stringify(to)}))`
  place.write('editor.cjs', script)
  return `"${process.execPath}" "${join(place.folder, 'editor.cjs')}"`
}

describe('waymark forge tool --prompt', () => {
  it('fails clearly without a key, and prints a spec to fill in by hand [TS-125]', async () => {
    const place = createWorkplace()
    const { code, out, err } = await place.run(...PROMPT, '--yes')
    expect(code).toBe(2)
    expect(err).toContain('set GOOGLE_API_KEY or GEMINI_API_KEY or OPENAI_API_KEY')
    expect(out).toContain('# A tool spec to fill in')
    expect(place.files()).toEqual([])
  })

  it('shows a numbered proposal and asks; n writes nothing [TS-126]', async () => {
    const place = createWorkplace()
    const someone = person('n')
    const { code, out, err } = await place.runWith({ env: env(), ...someone }, ...PROMPT)
    expect(code).toBe(0)
    expect(err).toContain('  1. get_forecast  GET /forecast/{city}')
    expect(someone.asked).toEqual(['\nWrite these tools? [Y/n/edit] '])
    expect(out).toBe('Nothing was written.\n')
    expect(place.files()).toEqual([])
  })

  it('writes spec and code after Y, and asks again after an answer it does not know', async () => {
    const place = createWorkplace()
    const someone = person('perhaps', '')
    expect(await place.runWith({ env: env(), ...someone }, ...PROMPT)).toMatchObject({ code: 0 })
    expect(someone.asked).toHaveLength(2)
    expect(place.files()).toEqual(['tools/weather.capabilities.ts', 'tools/weather.tool-spec.yaml'])
  })

  it('opens the editor, shows what is wrong with the result, and writes the edited spec', async () => {
    const place = createWorkplace()
    const EDITOR = editor(place, 'get_forecast', 'read_forecast')
    const someone = person('edit', 'y')
    await place.runWith({ env: { ...env(), EDITOR }, ...someone }, ...PROMPT)
    expect(place.read('tools/weather.tool-spec.yaml')).toContain('read_forecast')

    const breaking = editor(place, 'type: string', 'type: str')
    const other = person('edit', 'n', 'n')
    const run = await place.runWith({ env: { ...env(), EDITOR: breaking }, ...other }, ...PROMPT)
    expect(run.err).toContain('E042')
    expect(other.asked[1]).toContain('Edit again?')
  })

  it('starts no editor that a file in the folder names', async () => {
    const place = createWorkplace()
    place.write('.env', `EDITOR=${editor(place, 'domain', 'owned')}\n`)
    const run = await place.runWith({ env: env(), ...person('edit') }, ...PROMPT)
    expect([run.code, run.err]).toEqual([2, expect.stringContaining('set EDITOR to your editor')])
  })

  it('refuses to write unseen without a terminal, before anything is asked; --yes is for scripts', async () => {
    const place = createWorkplace()
    const unseen = await place.runWith({ env: env() }, ...PROMPT)
    expect([unseen.code, unseen.err]).toEqual([2, expect.stringContaining('add --yes')])
    expect(api.requests).toHaveLength(0)
    const script = await place.runWith({ env: env() }, ...PROMPT, '--yes', '--domain', 'sky')
    expect(script.code).toBe(0)
    expect(place.files()).toContain('tools/sky.tool-spec.yaml')
    const shown = await place.runWith({ env: env() }, 'forge', 'tool', '--prompt', 'x', '--stdout')
    expect(shown.out).toContain('name: get_forecast')
  })

  it('lets the model mend its answer, and ends with exit code 3 when it cannot', async () => {
    const place = createWorkplace()
    answer(BAD, GOOD)
    expect(await place.runWith({ env: env() }, ...PROMPT, '--yes')).toMatchObject({ code: 0 })
    expect(api.requests).toHaveLength(2)
    answer(BAD)
    const { code, err } = await place.runWith({ env: env() }, ...PROMPT, '--yes', '--out', 'no')
    expect(code).toBe(3)
    expect(err).toContain('after 3 answers the model still gives no valid tool spec')
    api.answer({ status: 401, body: { error: { message: 'bad key sk-secret' } } })
    const refused = await place.runWith({ env: env() }, ...PROMPT, '--yes')
    expect([refused.code, refused.err]).toEqual([3, 'waymark: openai answered 401: bad key ***\n'])
  })

  it('hands documentation from addresses, files and directories to the model [TS-127]', async () => {
    const place = createWorkplace()
    place.write('notes.md', 'fact from a file')
    mkdirSync(join(place.folder, 'docs'))
    place.write('docs/a.md', 'fact from a directory')
    api.answer(({ method }) =>
      method === 'GET'
        ? { headers: { 'content-type': 'text/html' }, body: '<html><p>fact from a page</p></html>' }
        : { body: { choices: [{ message: { content: GOOD } }] } },
    )
    const docs = ['--docs', 'notes.md', '--docs', 'docs', '--docs', `${api.url}/page`]
    expect(await place.runWith({ env: env() }, ...PROMPT, '--yes', ...docs)).toMatchObject({
      code: 0,
    })
    const question = api.requests.at(-1)?.body ?? ''
    for (const place of ['file', 'directory', 'page'])
      expect(question).toContain(`fact from a ${place}`)
    const gone = await place.runWith({ env: env() }, ...PROMPT, '--yes', '--docs', 'gone.md')
    expect([gone.code, gone.err]).toEqual([2, 'waymark: --docs gone.md does not exist\n'])
  })

  it('asks the model that --model names, and takes key and address from .env together only', async () => {
    const place = createWorkplace()
    const model = (): string => JSON.parse(api.requests.at(-1)?.body ?? '{}').model
    await place.runWith({ env: env() }, ...PROMPT, '--yes', '--model', 'openai:tiny:7b')
    expect(model()).toBe('tiny:7b')
    place.write('.env', `OPENAI_API_KEY=k\nOPENAI_BASE_URL=${api.url}/v1\nWAYMARK_MODEL=small\n`)
    await place.runWith({ env: {} }, ...PROMPT, '--yes', '--dry-run')
    expect(model()).toBe('small')
    place.write('.env', `OPENAI_BASE_URL=${api.url}/v1\n`)
    // Aborted before it starts: the message tells where the key would have gone.
    const mine = { env: { OPENAI_API_KEY: 'mine' }, signal: AbortSignal.abort() }
    const kept = await place.runWith(mine, ...PROMPT, '--yes', '--dry-run')
    expect([kept.code, kept.err]).toEqual([130, expect.stringContaining('https://api.openai.com')])
  })

  it('adds a second draft to the spec that is there and removes nothing', async () => {
    const place = createWorkplace()
    await place.runWith({ env: env() }, ...PROMPT, '--yes')
    answer(GOOD.replaceAll('get_forecast', 'get_alerts').replaceAll('forecast', 'alerts'))
    await place.runWith({ env: env() }, ...PROMPT, '--yes')
    const text = place.read('tools/weather.tool-spec.yaml')
    expect(text).toContain('name: get_forecast')
    expect(text).toContain('name: get_alerts')
  })
})
