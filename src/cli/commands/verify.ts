import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  type Exchange,
  isWorthKeeping,
  replayExchange,
  toDoor,
  type VerifyReport,
  verifyService,
} from '../../change/verify/index.ts'
import type { Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError, untilInterrupted } from '../command.ts'
import { readListFlag, readTextFlag } from '../flags.ts'
import { countOf, createPaint, createProgressLine, formatJson, printable } from '../print.ts'
import { readJsonFile } from '../read-json.ts'
import { advise, readHeaders } from '../remote.ts'
import { loadSources } from '../source/source.ts'
import { writeAllInside } from '../write-inside.ts'

/** Exercises what a service says about itself. */
export async function runVerifyCommand(input: CommandInput): Promise<number> {
  const [reference] = input.positionals
  if (reference === undefined) {
    throw new UsageError('which service? Give its URL or its source: waymark verify service.ts')
  }
  const { target, close } = await open(reference, input)
  try {
    const replay = readTextFlag(input, 'replay')
    if (replay !== undefined) return await runReplay(target, replay, input)
    return await runVerify(target, input)
  } catch (thrown) {
    if (thrown instanceof RangeError) throw new UsageError(thrown.message)
    if (!(thrown instanceof CallError || thrown instanceof TypeError)) throw thrown
    const code = thrown instanceof CallError ? thrown.code : ''
    throw new RemoteError(`${thrown.message}${advise(code, thrown.message)}`)
  } finally {
    await close()
  }
}

interface Opened {
  readonly target: Service | string
  readonly close: () => Promise<void>
}

async function open(reference: string, input: CommandInput): Promise<Opened> {
  if (/^https?:\/\//i.test(reference)) return { target: reference, close: async () => undefined }
  const { service, close } = await loadSources([reference], input.io)
  return {
    target: service,
    async close() {
      await service.close()
      await close()
    },
  }
}

async function runVerify(target: Service | string, input: CommandInput): Promise<number> {
  const { io } = input
  const folder = readTextFlag(input, 'record')
  const exchanges: Exchange[] = []
  const progress = createProgressLine(io)
  const examination = verifyService(target, {
    only: readListFlag(input, 'only'),
    allowEffects: input.flags['allow-effects'] === true,
    headers: readHeaders(input),
    onExchange: (exchange) => exchanges.push(exchange),
    onProgress: (part) => progress.show(`checking ${part}`),
  })
  const report = await untilInterrupted(examination, io.signal).finally(progress.end)
  if (folder !== undefined) await writeExchanges(resolve(io.cwd, folder), exchanges)
  io.out(input.flags['json'] ? formatJson(report) : formatReport(report, input))
  return report.ok ? EXIT.ok : EXIT.found
}

function formatReport(report: VerifyReport, { io }: CommandInput): string {
  const paint = createPaint(io)
  const { findings, skipped, unproven, exchanges } = report
  const lines = findings.map(({ severity, rule, sentence }) => {
    const mark = severity === 'error' ? paint.bad('error') : paint.warn('warning')
    return `${mark} ${rule}: ${printable(sentence)}`
  })
  const notes = [
    ...formatList('not called, because of side effects (--allow-effects):', skipped),
    ...formatList('declared, but never returned:', unproven),
  ].map((note) => paint.dim(printable(note)))
  const sum =
    findings.length === 0 ? paint.good('no findings') : countOf(findings.length, 'finding')
  return `${[...lines, ...notes, `${sum} in ${countOf(exchanges, 'exchange')}`].join('\n')}\n`
}

function formatList(title: string, entries: readonly string[]): readonly string[] {
  return entries.length === 0 ? [] : [title, ...entries.map((entry) => `  ${entry}`)]
}

/** Ids of this run stand in the requests, so a file holds all there is to send again. */
async function writeExchanges(folder: string, exchanges: readonly Exchange[]): Promise<void> {
  const files = exchanges.filter(isWorthKeeping).map((exchange, index) => {
    const { request, response } = exchange
    const name = exchange.function.replace(/[^A-Za-z0-9._-]+/g, '-').replace(/^-/, '')
    const file = `${String(index + 1).padStart(3, '0')}-${name.slice(0, 80)}.json`
    return { path: file, text: formatJson({ request, response }) }
  })
  await writeAllInside(folder, files)
}

async function runReplay(
  target: Service | string,
  folder: string,
  input: CommandInput,
): Promise<number> {
  const door = toDoor(target, { headers: readHeaders(input) })
  const path = resolve(input.io.cwd, folder)
  const changes: { readonly file: string; readonly change: string }[] = []
  const files = listFiles(path, folder)
  for (const file of files) {
    const exchange = readJsonFile(join(folder, file), input.io.cwd) as Exchange
    const change = await replayExchange(door, exchange)
    if (change !== undefined) changes.push({ file, change })
  }
  if (input.flags['json']) input.io.out(formatJson({ replayed: files.length, changes }))
  else {
    for (const { file, change } of changes) input.io.out(`changed ${file}: ${printable(change)}\n`)
    input.io.out(`${files.length} exchanges replayed, ${changes.length} changed\n`)
  }
  return changes.length === 0 ? EXIT.ok : EXIT.found
}

function listFiles(path: string, folder: string): readonly string[] {
  try {
    const files = readdirSync(path).filter((file) => file.endsWith('.json'))
    if (files.length > 0) return files.toSorted()
  } catch {
    // Said below, as for a folder without exchanges.
  }
  throw new UsageError(`${folder} holds no recorded exchanges; make some with --record ${folder}`)
}
