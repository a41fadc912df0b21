import { expandEnvText, type ToolSpec } from '../../sources/tool-spec/index.ts'

const AMQP = { amqplib: '^2.0.0' }
const REDIS = { ioredis: '^6.0.0' }
const SQS = { '@aws-sdk/client-sqs': '^3.0.0' }

const CLIENTS = new Map<string, Readonly<Record<string, string>>>([
  ['amqp', AMQP],
  ['amqps', AMQP],
  ['redis', REDIS],
  ['rediss', REDIS],
  ['sqs', SQS],
  ['https', SQS],
])

/**
 * Lists the packages that the queue triggers of specs need, with their versions. A queue whose address only a variable
 * knows brings none: the agent says at its start what to install.
 */
export function listQueueClients(specs: readonly ToolSpec[]): Readonly<Record<string, string>> {
  const found = specs
    .flatMap(({ triggers = [] }) => triggers)
    .flatMap((trigger) => {
      if (trigger.type !== 'queue') return []
      const url = expandEnvText(trigger.queue_url, () => undefined)
      const scheme = url.ok ? /^([a-z]+):/i.exec(url.text)?.[1]?.toLowerCase() : undefined
      return Object.entries(CLIENTS.get(scheme ?? '') ?? {})
    })
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}
