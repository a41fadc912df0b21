import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../src/cli/commands.ts'

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')

const pages = readdirSync(new URL('../docs', import.meta.url), { recursive: true })
  .map(String)
  .filter((file) => file.endsWith('.md'))
  .map((file) => ({ file, text: read(`docs/${file}`) }))

/** Lists the members of an interface as its source spells them. */
function listMembers(path: string, name: string): readonly string[] {
  const source = read(path)
  const start = source.search(new RegExp(`^export interface ${name}\\b`, 'm'))
  expect(start, `${name} in ${path}`).toBeGreaterThanOrEqual(0)
  const block = source.slice(start, source.indexOf('\n}\n', start))
  return [...block.matchAll(/^ {2}(?:readonly )?(\w+)\??[:(]/gm)].map(([, member = '']) => member)
}

describe('a page says everything that can be set', () => {
  it.each([
    ['docs/guides/functions.md', 'src/core/function.ts', 'FunctionDefinition'],
    ['docs/guides/functions.md', 'src/core/function.ts', 'Invocation'],
    ['docs/guides/functions.md', 'src/system/create-service.ts', 'ServiceOptions'],
    ['docs/guides/functions.md', 'src/core/service.ts', 'Limits'],
    ['docs/guides/hosts.md', 'src/http/app.ts', 'AppOptions'],
    ['docs/guides/hosts.md', 'src/http/serve.ts', 'ServeOptions'],
    ['docs/guides/hosts.md', 'src/net/guard.ts', 'GuardOptions'],
    ['docs/guides/client.md', 'src/client/settings.ts', 'ClientBaseOptions'],
    ['docs/guides/client.md', 'src/client/client.ts', 'FunctionClient'],
    ['docs/guides/client.md', 'src/client/transport.ts', 'FetchTransportOptions'],
    ['docs/guides/client.md', 'src/client/retry.ts', 'CallOptions'],
    ['docs/guides/verify.md', 'src/change/verify/verify.ts', 'VerifyOptions'],
    ['docs/guides/verify.md', 'src/change/verify/verify.ts', 'VerifyReport'],
    ['docs/guides/run-tool-spec.md', 'src/sources/runtime/run-tool.ts', 'ToolFunctionsOptions'],
    ['docs/guides/run-tool-spec.md', 'src/sources/runtime/call-tool.ts', 'CallerOptions'],
  ])('%s: %s %s', (page, path, name) => {
    const code = read(page).match(/```[\s\S]*?```|`[^`\n]+`/g) ?? []
    const said = new Set(code.flatMap((part) => part.split(/\W+/)))
    const members = listMembers(path, name)
    expect(members.length).toBeGreaterThan(0)
    expect(members.filter((member) => !said.has(member))).toEqual([])
  })

  it('every option of every command', () => {
    const text = pages.map((page) => page.text).join('\n')
    const missing = COMMANDS.flatMap(({ name, flags }) =>
      Object.keys(flags)
        .filter((flag) => !text.includes(`--${flag}`))
        .map((flag) => `waymark ${name} --${flag}`),
    )
    expect(missing).toEqual([])
  })
})

describe('a reader', () => {
  it.each(pages)('of $file finds a way on at its end', ({ text }) => {
    const end = text.trimEnd().split('\n').slice(-6).join('\n')
    expect(end).toMatch(/\]\([\w./-]+\.md(?:#[\w-]+)?\)/)
  })
})
