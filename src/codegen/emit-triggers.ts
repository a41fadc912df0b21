import { toTypeNode } from '../schema/index.ts'
import type { TriggerDef } from '../sources/tool-spec/index.ts'
import { type CustomRegions, writeRegion } from './custom-regions.ts'
import type { RuntimeSource } from './embedded-runtime.ts'
import { writeType } from './emit-types.ts'
import { toLiteral, toPropertyKey, toStringLiteral } from './literals.ts'
import type { CodeModel, TriggerModel } from './model.ts'
import { createWriter, type Writer } from './writer.ts'

/** Emits the triggers file of a domain: one function to fill in per trigger, and the list of all. */
export function emitTriggers(
  model: CodeModel,
  custom: CustomRegions = new Map(),
  runtime: RuntimeSource = 'inline',
): string {
  const writer = createWriter()
  if (runtime === 'package') writer.line(TRIGGER_IMPORT)
  writeRegion(writer, 'imports', custom, '// Imports of your own code go here.')
  for (const trigger of model.triggers) writeTrigger(writer, trigger, custom)
  writeList(writer, model, runtime)
  if (runtime === 'package') return writer.toString()
  writer.gap()
  writer.line(TRIGGER_TYPES)
  return writer.toString()
}

function writeTrigger(writer: Writer, trigger: TriggerModel, custom: CustomRegions): void {
  const { definition, functionName, payloadName } = trigger
  writer.gap()
  writer.doc({ text: `Payload of ${definition.name}.` })
  writeType(writer, payloadName, toTypeNode(trigger.payload ?? USUAL_PAYLOADS[definition.type]))
  writer.gap()
  writer.doc({ text: definition.description })
  writer.block(
    `export async function ${functionName}(event: TriggerEvent<${payloadName}>): Promise<unknown> {`,
    '}',
    () => {
      const beginning = `return { received: ${toStringLiteral(definition.name)}, payload: event.payload }`
      writeRegion(writer, functionName, custom, beginning)
    },
  )
}

function writeList(writer: Writer, model: CodeModel, runtime: RuntimeSource): void {
  writer.gap()
  writer.doc({ text: `All triggers of ${model.domain}.` })
  writer.block(`export const ${model.triggersName}: readonly TriggerDefinition[] = [`, ']', () => {
    for (const { definition, functionName, payloadName } of model.triggers) {
      const write = (): void => {
        const named = runtime === 'package' ? nameFunction(definition, model) : definition
        for (const [key, value] of settingsOf(named)) {
          const name = toPropertyKey(key)
          writer.line(`${name}: ${toLiteral(value, writer.indent(), name.length + 7)},`)
        }
        writer.line(`handler: (event) => ${functionName}(event as TriggerEvent<${payloadName}>),`)
      }
      writer.block('{', '},', write)
    }
  })
}

/** A tool of the spec is a function of the service under its full name. */
function nameFunction(definition: TriggerDef, { domain, tools }: CodeModel): TriggerDef {
  const { tool = definition.name } = definition
  const isOwn = tools.some(({ name }) => name === tool)
  return isOwn ? { ...definition, tool: `${domain}.${tool}` } : definition
}

// What starts with `x-` is for other readers of the spec; the payload has become a type.
function settingsOf(definition: TriggerDef): [string, unknown][] {
  return Object.entries(definition).filter(([key, value]) => {
    return key !== 'payload' && !key.startsWith('x-') && value !== undefined
  })
}

const TRIGGER_IMPORT =
  "import type { ReceivedEvent as TriggerEvent, TriggerDefinition } from 'waymark/triggers'"

/** Payloads that follow from the kind of trigger. */
const USUAL_PAYLOADS: Record<TriggerDef['type'], unknown> = {
  webhook: true,
  emit: true,
  queue: true,
  schedule: { type: 'object', additionalProperties: false },
  file: {
    type: 'object',
    properties: {
      event: { enum: ['create', 'modify', 'delete'] },
      path: { type: 'string' },
      relative_path: { type: 'string' },
      size: { type: 'number' },
      mtime: { type: 'string' },
    },
    required: ['event', 'path', 'relative_path'],
  },
}

const TRIGGER_TYPES = `/** What a trigger hands to its code. */
export interface TriggerEvent<Payload = unknown> {
  readonly id: string
  /** Name of the trigger. */
  readonly trigger: string
  readonly type: TriggerDefinition['type']
  readonly event?: string
  readonly received_at: string
  readonly payload: Payload
  readonly meta: Readonly<Record<string, unknown>>
  /** Aborts when the run has taken too long. */
  readonly signal?: AbortSignal
}

/** A trigger of the spec with the code it runs. */
export interface TriggerDefinition {
  readonly type: 'webhook' | 'schedule' | 'emit' | 'queue' | 'file'
  readonly name: string
  readonly description: string
  readonly prompt?: string
  readonly payload_map?: Readonly<Record<string, string>>
  readonly tool?: string
  /** Version of the tool. */
  readonly version?: string
  /** What the event does not give. */
  readonly arguments?: Readonly<Record<string, unknown>>
  /** How often an event is tried; 5 when absent. */
  readonly attempts?: number
  /** How long one run may take; a minute when absent. */
  readonly timeout?: { readonly value: number; readonly unit: string }
  /** Runs at the same time; 10 when absent. */
  readonly concurrency?: number
  readonly path?: string
  readonly event?: string
  readonly secret_env?: string
  readonly signature?: string | { readonly scheme: string; readonly header?: string }
  readonly wait?: boolean
  readonly challenge?: 'meta' | 'twitter'
  readonly verify_env?: string
  readonly cron?: string
  readonly timezone?: string
  readonly overlap?: 'skip' | 'queue' | 'allow'
  readonly catch_up?: 'none' | 'one'
  readonly jitter?: { readonly value: number; readonly unit: string }
  readonly queue_url?: string
  readonly queue_env?: string
  readonly watch_path?: string
  readonly events?: readonly ('create' | 'modify' | 'delete')[]
  readonly poll?: boolean
  readonly handler: (event: TriggerEvent) => Promise<unknown>
}`
