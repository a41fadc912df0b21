import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The TypeScript of this repository. */
export const OWN_COMPILER: string = fileURLToPath(
  new URL('../../node_modules/typescript/bin/tsc', import.meta.url),
)

/** Finds an older TypeScript than our own, which another tool brings along. */
export function resolveOlderCompiler(): string | undefined {
  const require = createRequire(import.meta.url)
  try {
    const cli = createRequire(require.resolve('@arethetypeswrong/cli/package.json'))
    const path = createRequire(cli.resolve('@arethetypeswrong/core')).resolve('typescript/bin/tsc')
    return path === OWN_COMPILER ? undefined : path
  } catch {
    return undefined
  }
}

const OPTIONS = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  typeRoots: [fileURLToPath(new URL('../../node_modules/@types', import.meta.url))],
  module: 'nodenext',
  moduleResolution: 'nodenext',
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noFallthroughCasesInSwitch: true,
  noPropertyAccessFromIndexSignature: true,
  verbatimModuleSyntax: true,
  isolatedDeclarations: true,
  declaration: true,
  noEmit: true,
  skipLibCheck: true,
}

/** Compiles all TypeScript below a directory in one go, under every strict flag; gives the errors. */
export function compileProject(directory: string, compiler = OWN_COMPILER): Promise<string[]> {
  const project = join(directory, 'tsconfig.json')
  // Older compilers do not know the flag.
  const compilerOptions = {
    ...OPTIONS,
    ...(compiler === OWN_COMPILER && { erasableSyntaxOnly: true }),
  }
  writeFileSync(project, JSON.stringify({ compilerOptions, include: ['**/*.ts'] }))
  writeFileSync(join(directory, 'package.json'), '{ "type": "module" }')
  const args = [compiler, '-p', project, '--pretty', 'false']
  return new Promise((resolve) => {
    execFile(process.execPath, args, { maxBuffer: 1 << 28 }, (failure, stdout, stderr) => {
      const lines = `${stdout}${stderr}`.split('\n').filter((line) => line.trim() !== '')
      resolve(failure && lines.length === 0 ? [failure.message] : lines)
    })
  })
}
