import { argumentName, locationOf } from '../spec/fields.ts'
import type { ToolDef } from '../spec/types.ts'
import type { Draft } from './draft.ts'

/** What model providers accept as the name of an argument. */
const ARGUMENT = /^[A-Za-z0-9_.-]{1,64}$/

/** Gives every field of a tool an argument name of its own; the body keeps its names. */
export function assignArguments(
  path: string,
  params: readonly Draft[],
  body: readonly Draft[],
  root: Draft | undefined,
): void {
  const tool = { path } as ToolDef
  const taken = new Set<string>()
  const claim = (field: Draft, suffix: string): void => {
    const plain = plainName(argumentName(field))
    let name = plain
    if (taken.has(name)) name = `${plain.slice(0, 56)}_${suffix}`
    for (let count = 2; taken.has(name); count++) name = `${plain.slice(0, 52)}_${suffix}_${count}`
    taken.add(name)
    if (name !== argumentName(field)) field.arg = name
  }
  for (const field of body) claim(field, 'body')
  if (root) claim(root, 'body')
  const order = ['path', 'query', 'header', 'cookie']
  for (const location of order) {
    for (const field of params) if (locationOf(tool, field) === location) claim(field, location)
  }
}

function plainName(name: string): string {
  // An argument of this name would reach the prototype of the object that holds it.
  if (name === '__proto__') return 'proto'
  if (ARGUMENT.test(name)) return name
  const cleaned = name
    .normalize('NFKD')
    .replace(/[^A-Za-z0-9_.-]+/g, '_')
    .replace(/^_+|(?<!_)_+$/g, '')
    .slice(0, 64)
  return cleaned === '' ? 'value' : cleaned
}
