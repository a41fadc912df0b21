import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { send } from '../../../test/support/forrst.ts'

const page = await readFile(new URL('../../../docs/guides/query.md', import.meta.url), 'utf8')
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map(
    ([, code = '']) => code,
  )
const folder = await mkdtemp(join(tmpdir(), 'waymark-query-docs-'))
afterAll(() => rm(folder, { recursive: true }))

/** Runs a fence as the module it is, with the sources of this repository in place of the packages. */
async function runFence(index: number) {
  const file = join(folder, `fence-${index}.ts`)
  const code = fences('ts')
    [index]?.replaceAll(
      "'waymark'",
      `'${fileURLToPath(new URL('../../entries/waymark.ts', import.meta.url))}'`,
    )
    .replaceAll(
      "'waymark/query'",
      `'${fileURLToPath(new URL('../../entries/query.ts', import.meta.url))}'`,
    )
    .replaceAll("'libsql'", `'${createRequire(import.meta.url).resolve('libsql')}'`)
  await writeFile(file, code ?? '')
  return await import(/* @vite-ignore */ file)
}

describe('docs/guides/query.md', () => {
  it('prints what the service answers', async () => {
    const { service } = await runFence(0)
    const [request, response] = fences('json').map((text) => JSON.parse(text))
    const protocol = { name: 'forrst', version: '0.1.0' }
    const { body } = await send(service, { protocol, id: 'req_1', context: {}, ...request })
    expect(body).toEqual({ protocol, id: 'req_1', ...response })
  })

  it('shows a plan that runs in a database', async () => {
    const { document } = await runFence(1)
    expect(document).toEqual({
      data: [{ type: 'event', id: 'e3', attributes: { name: 'Gala', seats: 300 } }],
      meta: { pagination: { limit: 1, offset: 0, total: 2, has_more: true } },
    })
  })
})
