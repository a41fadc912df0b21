import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { generateCode } from '../../src/codegen/generate.ts'
import { parseToolSpec } from '../../src/spec/parse.ts'
import { formatProblems } from '../../src/spec/problem.ts'
import type { ToolSpec } from '../../src/spec/types.ts'

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

describe('generated files compile', () => {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url))

  it('[TS-179] [TS-148] under every strict flag with TypeScript 7', () => {
    expect(compile(tsc)).toBe('')
  })
})

function compile(compiler: string): string {
  try {
    execFileSync(process.execPath, [compiler, '-p', `${here}golden`, '--pretty', 'false'])
    return ''
  } catch (thrown) {
    const { stdout } = thrown as { stdout?: Buffer }
    return stdout?.toString() || String(thrown)
  }
}
