import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readDocuments } from './read-documents.ts'

let directory: string
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'waymark-docs-'))
  await mkdir(join(directory, 'node_modules'))
  await writeFile(join(directory, 'a.md'), '# A')
  await writeFile(join(directory, 'b.ts'), 'export {}')
  await writeFile(join(directory, 'c.png'), 'no')
  await writeFile(join(directory, 'node_modules', 'd.js'), 'no')
})
afterAll(() => rm(directory, { recursive: true }))

const page =
  '<html><style>x{}</style><body><h1>Title</h1><p>GET&nbsp;/x &lt;id&gt;</p><script>no()</script></body></html>'
const fetchText = async (): Promise<string> => page

it('[TS-127] reads addresses, files and directories, in the order given', async () => {
  const sources = ['https://docs.example.com', join(directory, 'c.png'), directory]
  const documents = await readDocuments(sources, { fetchText })
  expect(documents.map(({ name, text }) => [name.replace(directory, ''), text])).toEqual([
    ['https://docs.example.com', 'Title\nGET /x <id>'],
    ['/c.png', 'no'],
    ['/a.md', '# A'],
    ['/b.ts', 'export {}'],
  ])
})

it('fails on a path that is not there', async () => {
  await expect(readDocuments([join(directory, 'nothing')], { fetchText })).rejects.toThrow(/ENOENT/)
})
