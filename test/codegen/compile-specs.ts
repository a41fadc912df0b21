import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateCode } from '../../src/codegen/generate.ts'
import type { ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { compileProject } from './compile-project.ts'

/** What generating and compiling many specs came to. */
export interface CompileReport {
  readonly files: number
  readonly bytes: number
  /** One line per error of the compiler; must be empty. */
  readonly errors: readonly string[]
}

/** Generates the TypeScript of every spec and compiles all of it in one project, strictly. */
export async function compileSpecs(specs: readonly ToolSpec[]): Promise<CompileReport> {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-compile-'))
  try {
    let files = 0
    let bytes = 0
    for (const [index, spec] of specs.entries()) {
      // Domains may repeat between documents, so each gets a folder of its own.
      const folder = join(directory, String(index))
      mkdirSync(folder)
      for (const { path, text } of generateCode(spec)) {
        writeFileSync(join(folder, path), text)
        files += 1
        bytes += text.length
      }
    }
    return { files, bytes, errors: await compileProject(directory) }
  } finally {
    rmSync(directory, { recursive: true })
  }
}
