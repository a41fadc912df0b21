import { isRecord } from '../core/json.ts'
import { quote, type Report } from './finding.ts'
import { KEYS, kindAt } from './keys.ts'
import type { Step } from './yaml-source.ts'

/** Reports every key and value that the seed format does not know (E090). */
export function checkSeedOnly(value: unknown, report: Report): void {
  const triggers = isRecord(value) && Array.isArray(value['triggers']) ? value['triggers'] : []
  const visit = (node: unknown, path: readonly Step[]): void => {
    if (Array.isArray(node)) {
      for (const [index, child] of node.entries()) visit(child, [...path, index])
      return
    }
    if (!isRecord(node)) return
    const kind = kindAt(path, (index) => typeOf(triggers[index]))
    if (kind === undefined) return
    for (const [key, child] of Object.entries(node)) {
      if (key.startsWith('x-') || key === 'default') continue
      if (KEYS[kind].extensions.includes(key)) {
        const message = `"${key}" is an extension; the seed knows ${KEYS[kind].seed.join(', ')}`
        report({ code: 'E090', path: [...path, key], atKey: true, message, hint: 'remove it' })
      } else if (key === 'enum' && Array.isArray(child)) {
        checkSeedEnum(child, [...path, key], report)
      } else visit(child, [...path, key])
    }
  }
  visit(value, [])
}

function checkSeedEnum(members: readonly unknown[], path: readonly Step[], report: Report): void {
  const odd = members.find((member) => typeof member !== 'string')
  if (odd === undefined) return
  const message = `enum values other than texts are an extension; found ${quote(odd)}`
  report({ code: 'E090', path, message, hint: 'use texts, or remove enum' })
}

function typeOf(trigger: unknown): unknown {
  return isRecord(trigger) ? trigger['type'] : undefined
}
