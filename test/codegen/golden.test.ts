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

describe('generated files are the committed ones', () => {
  it.each(files)('[TS-180] %s', async (file) => {
    for (const { path, text } of generateCode(readSpec(file))) {
      await expect(text).toMatchFileSnapshot(`golden/${path}`)
    }
  })
})

/** The last TypeScript written in JavaScript, where a tool of ours has brought it along. */
const older = resolveOlderCompiler()

describe('generated files compile under every strict flag', () => {
  it('[TS-179] [TS-148] with TypeScript 7', async () => {
    expect(await compile(OWN_COMPILER)).toBe('')
  })

  it.skipIf(older === undefined)(
    '[TS-179] with TypeScript 5 (needs the one of attw)',
    async () => {
      const files = readdirSync(`${here}golden`).filter((file) => file.endsWith('.ts'))
      const directory = mkdtempSync(join(tmpdir(), 'waymark-golden-'))
      for (const file of files) copyFileSync(`${here}golden/${file}`, join(directory, file))
      expect(await compileProject(directory, older)).toEqual([])
      rmSync(directory, { recursive: true })
    },
    120_000,
  )
})

describe('generated files that import the runtime', () => {
  it('compile, and hold nothing but the tools', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'waymark-package-'))
    const root = fileURLToPath(new URL('../../', import.meta.url))
    for (const file of ['orchard', 'own-code', 'auth']) {
      for (const { path, text } of generateCode(readSpec(`${file}.tool-spec.yaml`), {
        runtime: 'package',
      })) {
        expect(text.length).toBeLessThan(8000)
        writeFileSync(join(directory, path), text)
      }
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

function compile(compiler: string): Promise<string> {
  return runCompiler([compiler, '-p', `${here}golden`, '--pretty', 'false'])
}

function runCompiler(args: readonly string[]): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, args, (_failure, stdout, stderr) => resolve(stdout + stderr))
  })
}
