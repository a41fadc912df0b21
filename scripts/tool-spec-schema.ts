import { writeFileSync } from 'node:fs'
import { buildToolSpecJsonSchema } from '../src/entries/tool-spec.ts'

const target = new URL('../src/sources/tool-spec/tool-spec.schema.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(buildToolSpecJsonSchema(), null, 2)}\n`)
