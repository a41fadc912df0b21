import {
  type GeneratedFile,
  generateCode,
  generateDefinitions,
  type RuntimeSource,
} from '../../codegen/index.ts'
import type { ToolSpec } from '../../sources/tool-spec/index.ts'
import { type CommandInput, UsageError } from '../command.ts'
import { readChoiceFlag } from '../flags.ts'
import { TARGETS } from './forge-flags.ts'
import type { ReadEarlier } from './merge-spec.ts'

const RUNTIMES: readonly RuntimeSource[] = ['inline', 'package']

/** What `--target` asks to be generated; TypeScript when nobody said so. */
export function readTarget(input: CommandInput): (typeof TARGETS)[number] {
  const target = readChoiceFlag(input, 'target', TARGETS) ?? 'ts'
  if (readChoiceFlag(input, 'runtime', RUNTIMES) === undefined || target === 'ts') return target
  throw new UsageError(`--runtime belongs to --target ts; it has no effect on ${target}`)
}

function readRuntime(input: CommandInput): RuntimeSource {
  return readChoiceFlag(input, 'runtime', RUNTIMES) ?? 'inline'
}

/** Files made from a spec, and which of them may be replaced whatever they hold. */
export interface TargetFiles {
  readonly files: readonly GeneratedFile[]
  readonly mayReplace: (path: string) => boolean
}

/** Generates what `--target` asks for, for a folder that may hold an earlier version. */
export function generateTarget(
  spec: ToolSpec,
  read: ReadEarlier,
  input: CommandInput,
): TargetFiles {
  const target = readTarget(input)
  if (target === 'ts') {
    const files = generateCode(spec, { previous: read, runtime: readRuntime(input) })
    return { files, mayReplace: () => false }
  }
  const file = generateDefinitions(spec, target)
  // JSON has no place for a signature: what was written last time is kept beside it.
  const record = { path: `.forge/${file.path}`, text: file.text }
  const isOurs = read(file.path) === read(record.path)
  return {
    files: [file, record],
    mayReplace: (path) => path === record.path || (path === file.path && isOurs),
  }
}

/** Gives what `--target` asks for as text, for standard output. */
export function printTarget(spec: ToolSpec, input: CommandInput): string {
  const target = readTarget(input)
  return target === 'ts'
    ? generateCode(spec, { runtime: readRuntime(input) })
        .map(({ text }) => text)
        .join('')
    : generateDefinitions(spec, target).text
}
