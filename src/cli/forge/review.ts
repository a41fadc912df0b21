import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatDraft } from '../../codegen/index.ts'
import {
  formatProblems,
  parseToolSpec,
  type SpecProblem,
  type ToolSpec,
} from '../../sources/tool-spec/index.ts'
import { type Io, UsageError } from '../command.ts'
import { ask as askPerson, printable } from '../print.ts'

/** Something a person decides about before it is written. */
export interface Draft {
  readonly spec: ToolSpec
  readonly text: string
  readonly warnings: readonly SpecProblem[]
}

/** Shows a draft and asks Y / n / edit until it is taken or refused; undefined means refused. */
export async function reviewDraft(first: Draft, io: Io): Promise<Draft | undefined> {
  const ask = (question: string) => askPerson(question, io, 'n')
  let draft = first
  for (;;) {
    io.err(`${printable(formatDraft(draft.spec))}\n`)
    if (draft.warnings.length > 0) {
      io.err(`\n${printable(formatProblems(draft.warnings, 'text'))}\n`)
    }
    const answer = (await ask('\nWrite these tools? [Y/n/edit] ')).trim().toLowerCase()
    if (answer === '' || answer === 'y' || answer === 'yes') return draft
    if (answer === 'n' || answer === 'no') return undefined
    if (answer === 'e' || answer === 'edit') draft = await editDraft(draft, { io, ask })
    else io.err('Please answer y, n or edit.\n')
  }
}

/** Lets a person change the YAML until it is a valid spec, or give the change up. */
async function editDraft(
  draft: Draft,
  { io, ask }: { readonly io: Io; readonly ask: (question: string) => Promise<string> },
): Promise<Draft> {
  let { text } = draft
  for (;;) {
    text = await editText(text, io)
    const parsed = parseToolSpec(text, { file: 'draft.tool-spec.yaml' })
    if (parsed.ok) return { spec: parsed.spec, text, warnings: parsed.warnings }
    io.err(`${printable(formatProblems(parsed.problems, 'text'))}\n`)
    const answer = (await ask('\nEdit again? [Y/n] ')).trim().toLowerCase()
    if (answer.startsWith('n')) return draft
  }
}

async function editText(text: string, io: Io): Promise<string> {
  const editor = io.env['VISUAL'] || io.env['EDITOR']
  if (!editor) throw new UsageError('set EDITOR to your editor, or accept and edit the file then')
  const folder = await mkdtemp(join(tmpdir(), 'waymark-draft-'))
  const file = join(folder, 'draft.tool-spec.yaml')
  try {
    await writeFile(file, text)
    await runEditor(editor, file, io)
    return await readFile(file, 'utf8')
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs the editor as git does: EDITOR may hold arguments, so the shell splits it. */
function runEditor(editor: string, file: string, io: Io): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn(`${editor} "${file}"`, {
      shell: true,
      stdio: 'inherit',
      env: io.env,
      signal: io.signal,
    })
    child.on('error', (error) => fail(new UsageError(`${editor} did not start: ${error.message}`)))
    child.on('exit', (code) =>
      code === 0 ? done() : fail(new UsageError(`${editor} ended with code ${code}`)),
    )
  })
}
