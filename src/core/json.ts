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

/** Tells whether a value is an object that is neither null nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
