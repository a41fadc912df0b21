import type { Tag } from '../core/description.ts'
import { resolveReference } from '../core/reference.ts'
import type { Service } from '../core/service.ts'
import type { Target } from '../core/target.ts'

/** Picks functions; one match is enough. */
export interface ToolSelection {
  readonly tags?: readonly string[]
  /** Beginnings of function names: `orders.` */
  readonly prefixes?: readonly string[]
  /** Declared side effects; `none` for functions without any, `unknown` for functions that do not say. */
  readonly sideEffects?: readonly string[]
}

/** Which functions become tools. */
export interface ToolFilter {
  /** Only these; all when absent. */
  readonly only?: ToolSelection
  /** All but these. */
  readonly except?: ToolSelection
}

/** Creates the check that decides whether a function becomes a tool. */
export function createToolFilter(
  service: Service,
  { only, except }: ToolFilter,
): (target: Target) => boolean {
  const wanted = only && toMatcher(service, only)
  const unwanted = except && toMatcher(service, except)
  return (target) => (wanted?.(target) ?? true) && !unwanted?.(target)
}

/** Reads selections as the command line writes them: `tag:orders`, `prefix:orders.`, `effect:delete`. */
export function parseToolSelection(texts: readonly string[]): ToolSelection {
  const lists: Record<'tags' | 'prefixes' | 'sideEffects', string[]> = {
    tags: [],
    prefixes: [],
    sideEffects: [],
  }
  for (const text of texts) {
    const [, kind = '', value = ''] = /^(tag|prefix|effect):(.+)$/.exec(text) ?? []
    const list = lists[KINDS[kind] ?? 'tags']
    if (kind === '') {
      throw new TypeError(`"${text}" must be tag:NAME, prefix:TEXT or effect:NAME`)
    }
    list.push(value)
  }
  return lists
}

const KINDS: Readonly<Record<string, 'tags' | 'prefixes' | 'sideEffects'>> = {
  tag: 'tags',
  prefix: 'prefixes',
  effect: 'sideEffects',
}

/** Lists the tags of a function by name. */
export function tagNames(target: Target, service: Service): readonly string[] {
  return (target.definition.tags ?? []).flatMap(
    (tag) => resolveReference<Tag>(tag, service.components, 'tags')?.name ?? [],
  )
}

function toMatcher(service: Service, selection: ToolSelection): (target: Target) => boolean {
  const tags = new Set(selection.tags)
  const effects = new Set(selection.sideEffects)
  const prefixes = selection.prefixes ?? []
  return (target) =>
    prefixes.some((prefix) => target.name.startsWith(prefix)) ||
    effectNames(target).some((effect) => effects.has(effect)) ||
    (tags.size > 0 && tagNames(target, service).some((tag) => tags.has(tag)))
}

function effectNames({ sideEffects }: Target): readonly string[] {
  if (sideEffects === undefined) return ['unknown']
  return sideEffects.length === 0 ? ['none'] : sideEffects
}
