import { planFiles } from '../../../codegen/index.ts'
import { CallError } from '../../../errors/index.ts'
import type { SpecProblem } from '../../../sources/tool-spec/index.ts'
import type { JsonObject } from '../../../values/index.ts'
import { type CommandInput, type Io, RemoteError, UsageError } from '../../command.ts'
import { explainFileError } from '../../system-error.ts'
import { pathToAddress, type SourceText } from '../read-source.ts'
import { FoundProblems } from '../report.ts'
import type { TargetFiles } from '../target.ts'
import { writeOut } from '../write-out.ts'
import type { Fence } from './fence.ts'

/** What the functions of `forge mcp` work with. */
export interface Workshop {
  readonly fence: Fence
  readonly allowWrite: boolean
  readonly io: Io
  /** The model to ask, as `--model` names it. */
  readonly model: string | undefined
}

/** Where a document comes from: a file inside the fence, or its text. */
export interface GivenDocument {
  readonly file?: string
  readonly spec?: string
}

/** Reads the one document that was given, as file or as text. */
export function readGivenDocument({ file, spec }: GivenDocument, { fence }: Workshop): SourceText {
  if ((file === undefined) === (spec === undefined)) {
    throw new UsageError('give either file or spec')
  }
  if (file === undefined) return { file: 'spec.tool-spec.yaml', text: spec ?? '' }
  return { file, text: fence.read(file), url: pathToAddress(fence.place(file)) }
}

/** Makes the input that the same work has on the command line, without a terminal. */
export function toCommandInput(
  flags: Readonly<Record<string, CommandInput['flags'][string]>>,
  { io, fence, model }: Workshop,
  signal: AbortSignal,
): CommandInput {
  const given = Object.entries({ ...flags, model }).filter(([, value]) => value !== undefined)
  const silent = { out: () => {}, err: () => {}, terminal: false, errTerminal: false }
  return {
    positionals: [],
    flags: Object.fromEntries(given),
    io: { ...io, ...silent, cwd: fence.root, signal },
  }
}

/** What a caller wants done with generated files. */
export interface FileWish {
  readonly out: string
  readonly write: boolean
  /** Files whose text is wanted; those that fit when absent, none of them when they are written. */
  readonly show?: readonly string[] | undefined
}

/** Most text of files in one answer, so that a model can read it. */
const MAX_SHOWN = 64 * 1024

/** Gives generated files back, and writes them when that is asked for and allowed. */
export async function writeForCaller(
  { files, mayReplace }: TargetFiles,
  { out, write, show }: FileWish,
  { workshop, input }: { readonly workshop: Workshop; readonly input: CommandInput },
): Promise<JsonObject> {
  const { fence } = workshop
  const folder = fence.place(out)
  for (const { path } of files) fence.assertInside(folder, path)
  const planned = await planFiles(folder, files)
  if (write) await writeOut(files, { out: folder, mayReplace }, input)
  const shown = selectShown(files, show ?? (write ? [] : files.map(({ path }) => path)))
  return {
    written: write,
    out,
    files: planned.map(({ path, state, text }) => ({
      path,
      state: state === 'edited' && mayReplace(path) ? 'stale' : state,
      bytes: Buffer.byteLength(text),
      ...(shown.has(path) && { text }),
    })),
  }
}

/** The smallest first: the spec says more than the code that comes of it, and records only repeat it. */
function selectShown(files: TargetFiles['files'], wanted: readonly string[]): ReadonlySet<string> {
  let left = MAX_SHOWN
  const fitting = files
    .filter(({ path }) => wanted.includes(path))
    .toSorted(
      (one, other) =>
        Number(isRecordFile(one)) - Number(isRecordFile(other)) ||
        one.text.length - other.text.length,
    )
    .filter(({ text }) => {
      left -= text.length
      return left >= 0
    })
  return new Set(fitting.map(({ path }) => path))
}

function isRecordFile({ path }: TargetFiles['files'][number]): boolean {
  return path.startsWith('.forge/')
}

/** Refuses to write where nobody allowed it, before any work is done. */
export function assertMayWrite(write: boolean, { allowWrite }: Workshop): void {
  if (!write || allowWrite) return
  throw new CallError('FORBIDDEN', {
    message:
      'this server was started without --allow-write: leave write out and the files are returned as text',
  })
}

/** Writes problems as data. */
export function toPlainProblems(problems: readonly SpecProblem[]): JsonObject[] {
  return problems.map((problem) => ({ ...problem }))
}

/** Runs work of the command line; what it would tell a person becomes an error of the call. */
export async function runForCaller<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    throw toCallError(explainFileError(thrown) ?? thrown)
  }
}

function toCallError(thrown: unknown): unknown {
  if (thrown instanceof FoundProblems) {
    const problems = toPlainProblems(thrown.problems)
    return new CallError('VALIDATION_ERROR', { message: thrown.message, details: { problems } })
  }
  if (thrown instanceof UsageError) {
    return new CallError('INVALID_ARGUMENTS', { message: thrown.message })
  }
  if (thrown instanceof RemoteError) {
    return new CallError('DEPENDENCY_ERROR', { message: thrown.message })
  }
  return thrown
}
