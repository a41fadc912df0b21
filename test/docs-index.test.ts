import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { SLOW } from '../vitest.unit.config.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const read = (path: string): string => readFileSync(`${ROOT}${path}`, 'utf8')

describe('docs/README.md', () => {
  const sections = new Map(
    [...read('docs/README.md').matchAll(/^## (\w+)\n([\s\S]*?)(?=^## |$(?![\s\S]))/gm)].map(
      ([, title = '', text = '']) => [title.toLowerCase(), text] as const,
    ),
  )

  it('has a section for every folder of docs, and no other', () => {
    const folders = readdirSync(`${ROOT}docs`, { withFileTypes: true })
    const names = folders.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect([...sections.keys()].sort()).toEqual(names.sort())
  })

  it.each([...sections])('has one line for every page of docs/%s', (folder, text) => {
    const listed = [...text.matchAll(/^- \[[^\]]+\]\(([^)]+)\): \S.*$/gm)].map(([, path]) => path)
    const files = readdirSync(`${ROOT}docs/${folder}`).filter((file) => file.endsWith('.md'))
    expect(listed.sort()).toEqual(files.map((file) => `${folder}/${file}`).sort())
  })
})

describe('CONTRIBUTING.md', () => {
  const text = read('CONTRIBUTING.md')

  it('names only files and folders that exist', () => {
    const named = [...text.matchAll(/`((?:src|test|scripts|docs)\/[\w./-]+)`/g)]
    expect(named.length).toBeGreaterThan(20)
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(ROOT + path))).toEqual(
      [],
    )
  })

  it('names only scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json'))
    const named = [...text.matchAll(/`npm run ([\w:-]+)/g)].map(([, name = '']) => name)
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(named))
  })

  it('says why each slow file is not in the unit run', () => {
    const table = text.slice(text.indexOf('### What the unit run leaves out'))
    const named = [...table.matchAll(/^\| `(src\/[^`]+)` \| \S/gm)].map(([, path]) => path)
    expect(named).toEqual([...SLOW])
  })
})
