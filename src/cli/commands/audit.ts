import { type AuditRecord, readAudit } from '../../observe/index.ts'
import { defined, toMilliseconds } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { parseDuration, readChoiceFlag, readNumber, readTextFlag } from '../flags.ts'
import { formatTable, printAnswer, printable } from '../print.ts'
import { openStoreOf, requireStore } from '../serve/store.ts'

const OUTCOMES = ['ok', 'accepted', 'replaced', 'refused', 'failed'] as const

/** Shows the newest records of the audit in a store, the latest last. */
export async function runAuditCommand(input: CommandInput): Promise<number> {
  if (input.positionals.length > 0) throw new UsageError('audit takes flags only')
  const age = readTextFlag(input, 'since')
  const query = defined({
    principal: readTextFlag(input, 'principal'),
    function: readTextFlag(input, 'function'),
    outcome: readChoiceFlag(input, 'outcome', OUTCOMES),
    limit: readNumber(input, 'limit', { from: 1, to: 10_000 }),
    since:
      age === undefined
        ? undefined
        : Date.now() - (toMilliseconds(parseDuration(age, '--since')) ?? 0),
  })
  const store = await openStoreOf(input)
  try {
    const records = [...(await readAudit(requireStore(store, 'audit'), query))].reverse()
    printAnswer(input, { records }, () =>
      records.length === 0 ? 'No records.\n' : formatTable(records.map(toRow), ''),
    )
    return EXIT.ok
  } finally {
    await store?.close()
  }
}

function toRow(record: AuditRecord): readonly string[] {
  const { time, surface, outcome, code, principal, key, effects, reason, address } = record
  const { version, repeated } = record
  const who = principal ?? address ?? 'unknown'
  const what = record.function === undefined ? '-' : `${record.function}@${version ?? '?'}`
  return [
    time,
    printable(key === undefined || who === `key:${key}` ? who : `${who} (key ${key})`),
    surface,
    printable(what),
    printable(effects?.join(' ') ?? '-'),
    outcome,
    printable([code, reason, repeated && `${repeated} more`].filter(Boolean).join(' ')),
  ]
}
