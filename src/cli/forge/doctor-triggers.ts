import { toReason } from '../../core/text.ts'
import type { Environment } from '../../runtime/index.ts'
import { expandEnvText } from '../../spec/env-text.ts'
import type { ToolSpec, TriggerDef } from '../../spec/index.ts'
import { loadOptional } from '../../store/optional-package.ts'
import { type QueueKind, readQueueAddress } from '../../triggers/queue-address.ts'
import type { Fault } from './doctor-tools.ts'

/** Finds what triggers lack: variables that are not set, a queue that is nowhere. */
export function findTriggerFaults({ triggers = [] }: ToolSpec, env: Environment): Fault[] {
  return triggers.flatMap((trigger) =>
    listFaults(trigger, env).map(
      (fault): Fault => ({ level: 'error', message: `trigger ${trigger.name}: ${fault}` }),
    ),
  )
}

function listFaults(trigger: TriggerDef, env: Environment): string[] {
  if (trigger.type === 'webhook') {
    const names = [trigger.secret_env, trigger.verify_env].filter((name) => name !== undefined)
    return names.filter((name) => !env[name]).map((name) => `${name} is not set`)
  }
  if (trigger.type === 'file') {
    const expanded = expandEnvText(trigger.watch_path, (name) => env[name])
    return expanded.ok ? [] : expanded.missing.map((name) => `${name} is not set`)
  }
  if (trigger.type !== 'queue') return []
  try {
    readQueueAddress(trigger, env)
    return []
  } catch (thrown) {
    return [toReason(thrown).replace(`queue ${trigger.name}: `, '')]
  }
}

const PACKAGES: Readonly<Record<QueueKind, string>> = {
  rabbitmq: 'amqplib',
  redis: 'ioredis',
  sqs: '@aws-sdk/client-sqs',
}

/** Finds the packages that queues of a spec need and that are not installed. */
export async function findMissingPackages(
  { triggers = [] }: ToolSpec,
  env: Environment,
  load?: (name: string) => Promise<unknown>,
): Promise<Fault[]> {
  const kinds = new Map<QueueKind, string>()
  for (const trigger of triggers) {
    const kind = trigger.type === 'queue' ? resolveKind(trigger, env) : undefined
    if (kind !== undefined) kinds.set(kind, kinds.get(kind) ?? trigger.name)
  }
  const faults: Fault[] = []
  for (const [kind, name] of kinds) {
    try {
      await loadOptional(PACKAGES[kind], kind, load, 'queue')
    } catch {
      const message = `trigger ${name}: the package ${PACKAGES[kind]} is not installed or cannot be loaded`
      faults.push({ level: 'error', message, fix: `npm install ${PACKAGES[kind]}` })
    }
  }
  return faults
}

function resolveKind(
  trigger: Parameters<typeof readQueueAddress>[0],
  env: Environment,
): QueueKind | undefined {
  try {
    return readQueueAddress(trigger, env).kind
  } catch {
    return undefined
  }
}
