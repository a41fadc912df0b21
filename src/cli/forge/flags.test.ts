import { describe, expect, it } from 'vitest'
import { createWorkplace, zendeskDocument } from '../../../test/cli/run-main.ts'

const SPEC = `domain: orchard
base_url: https://orchard.example
tools:
  - name: list_trees
    description: Lists trees.
    method: GET
    path: /trees
    params:
      - { name: kind, type: str, description: Only this kind. }
`

function place() {
  const made = createWorkplace()
  made.write('api.json', zendeskDocument())
  made.write('bad.yaml', SPEC)
  made.write('good.yaml', SPEC.replace('str,', 'string,'))
  return made
}

describe('waymark forge', () => {
  it.each([
    ['forge', 'Write "waymark forge tool" or "waymark forge agent"'],
    [
      'forge tol --list api.json',
      'forge knows tool, agent, env, auth, call, mcp and doctor, not "tol". Did you mean "tool"?',
    ],
    ['forge tool', 'Give --spec, --list, --prompt or --validate'],
    ['forge tool --spec api.json --list api.json', '--spec and --list exclude each other'],
    ['forge tool --validate good.yaml --prompt x', '--prompt and --validate exclude each other'],
    ['forge tool --list api.json --lits', 'Did you mean "--list"?'],
    ['forge tool --list api.json --standalone', '--standalone belongs to "forge agent"'],
    ['forge agent --name a --spec good.yaml --pick x', '--pick belongs to "forge tool"'],
    ['forge tool --list api.json --docs x', '--docs belongs to --prompt'],
    ['forge tool --validate good.yaml --out x', '--out belongs to'],
    ['forge tool --list api.json more', '"more" is not expected here'],
    ['forge tool --list gone.json', 'gone.json does not exist'],
    ['forge tool --list good.yaml', 'good.yaml is not an API description'],
    ['forge tool --list api.json --format xml', '--format must be text, json, github; got "xml"'],
    ['forge tool --list api.json --format github', '--list prints text or json'],
    ['forge tool --list api.json --method FETCH', '--method must be GET, POST'],
    ['forge tool --list api.json --max-depth 99', '--max-depth must be a number from 1 to 10'],
    ['forge tool --spec api.json --max-name-length 5', '--max-name-length must be a number'],
    ['forge tool --spec api.json --domain ../x', '--domain must be a letter'],
    ['forge tool --spec api.json --auth-type bearr', 'Did you mean "bearer"?'],
    ['forge tool --spec api.json --auth-env lower', '--auth-env must be the name of a variable'],
    ['forge tool --spec api.json --out api.json', 'cannot be read or written'],
  ])('explains "%s" in one line, with exit code 2', async (line, message) => {
    const { code, out, err } = await place().run(...line.split(' '))
    expect(err).toContain(message)
    expect([code, out.replace(/^zendesk: .*\n$/, '')]).toEqual([2, ''])
    expect(
      err
        .replace(/^[\s\S]*\d warnings?.*\n/, '')
        .trim()
        .split('\n'),
    ).toHaveLength(1)
  })

  it('offers each subcommand only flags that do something there', async () => {
    const tool = await place().run('forge', 'tool', '--help')
    const agent = await place().run('help', 'forge', 'agent')
    for (const flag of ['--pick', '--allow-external-refs']) {
      expect(tool.out).toContain(`${flag} `)
      expect(agent.out).not.toContain(flag)
    }
    for (const flag of ['--standalone', '--no-docker']) {
      expect(agent.out).toContain(`${flag} `)
      expect(tool.out).not.toContain(flag)
    }
    for (const { out } of [tool, agent]) expect(out).not.toContain('--scan')
  })
})

describe('waymark forge tool --validate', () => {
  it('reports in text and writes nothing [TS-123]', async () => {
    const made = place()
    const { code, out } = await made.run('forge', 'tool', '--validate', 'bad.yaml')
    expect(code).toBe(2)
    expect(out).toMatch(/^bad\.yaml:9:29 {2}error {2}E042 {2}tools\[0\]\(list_trees\)\.params\[0\]/)
    expect(out).toContain('did you mean "string"?')
    expect(out).toMatch(/1 error, 0 warnings\n$/)
    expect(made.files()).toEqual(['api.json', 'bad.yaml', 'good.yaml'])
  })

  it('reports as JSON and as workflow annotations', async () => {
    const made = place()
    const json = await made.run('forge', 'tool', '--validate', 'bad.yaml', '--format', 'json')
    expect(JSON.parse(json.out)).toMatchObject([{ file: 'bad.yaml', line: 9, code: 'E042' }])
    const github = await made.run('forge', 'tool', '--validate', 'bad.yaml', '--format', 'github')
    expect(github.out).toMatch(/^::error file=bad\.yaml,line=9,col=29,title=E042 /)
    expect([json.code, github.code]).toEqual([2, 2])
  })

  it('takes several files from a shell that expanded a pattern, and knows --strict', async () => {
    const made = place()
    const both = await made.run('forge', 'tool', '--validate', 'good.yaml', 'bad.yaml')
    expect([both.code, both.out]).toEqual([2, expect.stringContaining('bad.yaml:9')])
    made.write('warn.yaml', SPEC.replace('str,', 'array,'))
    expect(await made.run('forge', 'tool', '--validate', 'warn.yaml')).toMatchObject({ code: 0 })
    const strict = await made.run('forge', 'tool', '--validate', 'warn.yaml', '--strict')
    expect([strict.code, strict.out]).toEqual([2, expect.stringContaining('W056')])
  })

  it('ends with 0 for what is fine, 2 for your input and 3 for the other side [TS-140]', async () => {
    const made = place()
    expect(await made.run('forge', 'tool', '--validate', 'good.yaml')).toMatchObject({ code: 0 })
    expect(await made.run('forge', 'tool', '--validate', 'api.json')).toMatchObject({ code: 2 })
    const far = await made.run('forge', 'tool', '--validate', 'http://127.0.0.1:9/x.yaml')
    expect(far).toMatchObject({ code: 3, out: '' })
    expect(far.err).toContain('http://127.0.0.1:9/x.yaml')
  })
})

describe('defaults', () => {
  it('come from flag, then environment, then .env, then configuration file [TS-128]', async () => {
    const made = place()
    const out = async (env: Record<string, string>, ...args: string[]): Promise<string> => {
      const line = ['forge', 'tool', '--spec', 'good.yaml', '--dry-run', ...args]
      const run = await made.runWith({ env }, ...line)
      return /new +(\w+)/.exec(run.out)?.[1] ?? run.err
    }
    expect(await out({})).toBe('orchard')
    made.write('waymark.config.json', '{ "forge": { "out": "config" } }')
    expect(await out({})).toBe('config')
    made.write('.env', 'WAYMARK_OUT=dotenv\nEDITOR=evil\n')
    expect(await out({})).toBe('dotenv')
    expect(await out({ WAYMARK_OUT: 'environment' })).toBe('environment')
    expect(await out({ WAYMARK_OUT: 'environment' }, '--out', 'flag')).toBe('flag')
    made.write('waymark.config.json', '{ "forge": { "oot": "config" } }')
    expect(await out({})).toContain('forge has no setting "oot". Did you mean "out"?')
  })
})
