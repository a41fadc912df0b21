/** Any value JSON can hold. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject

/** An object of JSON values. */
export interface JsonObject {
  readonly [key: string]: Json | undefined
}

/** A length of time as Forrst writes it. */
export interface Duration {
  readonly value: number
  readonly unit: 'millisecond' | 'second' | 'minute' | 'hour' | 'day'
}

/** Reads JSON that was written by ourselves or is decoded next; what came as bytes goes through `wire/json.ts`. */
export function fromJson(text: string): Json {
  return JSON.parse(text) as Json
}

/** Makes a record without a prototype, so that no key from outside meets what every object inherits. */
export function createRecord<Value>(): Record<string, Value> {
  return Object.create(null) as Record<string, Value>
}

/** Looks up a name from outside; what every object inherits, such as `constructor`, is not there. */
export function ownMember<Value>(
  record: Readonly<Record<string, Value>> | undefined,
  name: string,
): Value | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined
}

/** Tells whether a value is a list; `Array.isArray` would make its items `any`. */
export function isList(value: unknown): value is readonly unknown[] {
  return Array.isArray(value)
}

/** Tells whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Gives a list, or an empty one: a document of others may hold anything. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** Gives the members of an object, or none. */
export function entriesOf(value: unknown): [string, unknown][] {
  return isRecord(value) ? Object.entries(value) : []
}
