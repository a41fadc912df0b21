import { execFile } from 'node:child_process'
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { generateCode } from '../../src/codegen/generate.ts'
import { formatProblems } from '../../src/sources/tool-spec/finding.ts'
import { parseToolSpec } from '../../src/sources/tool-spec/parse.ts'
import type { ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { compileProject, OWN_COMPILER, resolveOlderCompiler } from './compile-project.ts'

const here = fileURLToPath(new URL('.', import.meta.url))
const files = readdirSync(`${here}specs`).sort()

function readSpec(file: string): ToolSpec {
  const parsed = parseToolSpec(readFileSync(`${here}specs/${file}`, 'utf8'), { file })
  if (parsed.ok) return parsed.spec
  throw new TypeError(formatProblems(parsed.problems, 'text'))
}

// On waymark/runtime: what differs from spec to spec. What a file carries instead is the same for all.
describe('generated files are the committed ones', () => {
  it.each(files)('[TS-180] %s', async (file) => {
    for (const { path, text } of generateCode(readSpec(file), { runtime: 'package' })) {
      await expect(text).toMatchFileSnapshot(`golden/${path}`)
    }
  })

  it('[TS-180] with the runtime inside', async () => {
    for (const { path, text } of generateCode(readSpec('orchard.tool-spec.yaml'))) {
      await expect(text).toMatchFileSnapshot(`golden/inline/${path}`)
    }
  })

  it.each(files)('%s: the same tools stand before the runtime', (file) => {
    const [inline = '', imported = ''] = (['inline', 'package'] as const).map((runtime) => {
      const found = generateCode(readSpec(file), { runtime })
      return found.find(({ path }) => path.endsWith('.capabilities.ts'))?.text ?? ''
    })
    const tools = (text: string): string | undefined =>
      /\/\*\* Arguments of .*?(?=\n*$|\n\n\/\* From here on: )/s.exec(text)?.[0]
    expect(tools(inline)).toBe(tools(imported))
  })
})

/** The last TypeScript written in JavaScript, where a tool of ours has brought it along. */
const older = resolveOlderCompiler()

describe('generated files compile under every strict flag', () => {
  it('[TS-179] [TS-148] with TypeScript 7', async () => {
    expect(await compile(OWN_COMPILER)).toEqual([])
  }, 60_000)

  it.skipIf(older === undefined)(
    '[TS-179] with TypeScript 5 (needs the one of attw)',
    async () => {
      expect(await compile(older)).toEqual([])
    },
    120_000,
  )

  async function compile(compiler: string | undefined): Promise<string[]> {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-golden-'))
    copyFileSync(`${here}golden/schema-types.ts`, join(directory, 'schema-types.ts'))
    for (const { path, text } of files.flatMap((file) => generateCode(readSpec(file)))) {
      writeFileSync(join(directory, path), text)
    }
    const errors = await compileProject(directory, compiler)
    rmSync(directory, { recursive: true })
    return errors
  }
})

describe('generated files that import the runtime', () => {
  it('compile, and hold nothing but the tools', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-package-'))
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const generated = files.flatMap((file) => generateCode(readSpec(file), { runtime: 'package' }))
    for (const { path, text } of generated) {
      expect(text.length).toBeLessThan(12_000)
      writeFileSync(join(directory, path), text)
    }
    const compilerOptions = {
      noEmit: true,
      paths: {
        'waymark/runtime': [`${root}src/entries/runtime.ts`],
        'waymark/triggers': [`${root}src/entries/triggers.ts`],
      },
    }
    const settings = {
      extends: `${root}tsconfig.json`,
      compilerOptions,
      include: ['*.ts'],
      exclude: [],
    }
    writeFileSync(join(directory, 'tsconfig.json'), JSON.stringify(settings))
    writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
    symlinkSync(`${root}node_modules`, join(directory, 'node_modules'))
    const errors = await runCompiler([OWN_COMPILER, '-p', directory, '--pretty', 'false'])
    expect(errors.split('\n').filter((line) => line.includes(directory.slice(1)))).toEqual([])
    rmSync(directory, { recursive: true })
  }, 60_000)
})

function runCompiler(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_failure, stdout, stderr) => resolve(stdout + stderr))
  })
}
