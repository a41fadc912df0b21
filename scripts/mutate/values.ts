import { readFileSync } from 'node:fs'
import type { Node } from './sites.ts'

interface Values {
  readonly names: readonly string[]
  readonly texts: readonly unknown[]
  readonly schemas: readonly unknown[]
  readonly mediaTypes: readonly string[]
  readonly paths: readonly string[]
  readonly security: readonly unknown[]
  readonly schemes: readonly unknown[]
  readonly servers: readonly unknown[]
  readonly callbacks: readonly unknown[]
  readonly webhooks: readonly unknown[]
  readonly versions: readonly Node[]
}

const HUGE = {
  type: 'string',
  enum: Array.from({ length: 3000 }, (_, index) => `member ${index}`),
}

function readValues(): Values {
  const file = new URL('./values.json', import.meta.url)
  const values = JSON.parse(readFileSync(file, 'utf8')) as Values
  return { ...values, schemas: [...values.schemas, HUGE] }
}

/** What real and hostile documents hold where something else belongs. */
export const VALUES: Values = readValues()
