import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('agent projects carry src/codegen/agent/parts as they are', async () => {
  const directory = fileURLToPath(new URL('../../src/codegen/agent/parts', import.meta.url))
  const names = readdirSync(directory)
    .filter((file) => !file.includes('.test'))
    .map((file) => file.replace(/\.ts$/, ''))
  const shared = 'exact-json'
  const entries = [...names, shared].sort().map((name) => {
    const file = name === shared ? `${directory}/../../../core/${name}` : `${directory}/${name}`
    const text = readFileSync(`${file}.ts`, 'utf8').replaceAll('../../../core/', './')
    return `  ${JSON.stringify(name)}: ${JSON.stringify(text)},\n`
  })
  const code = `/* Made from src/codegen/agent/parts by test/codegen/agent-parts.test.ts; run it with -u to make it anew. */

/** Files of the folder \`lib\` of an agent project, by name. */
export const AGENT_PARTS: Readonly<Record<string, string>> = {
${entries.join('')}}
`
  await expect(code).toMatchFileSnapshot('../../src/codegen/agent/agent-parts.gen.ts')
})
