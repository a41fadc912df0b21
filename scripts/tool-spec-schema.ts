import { writeFileSync } from 'node:fs'
import { buildToolSpecJsonSchema } from '../src/spec/index.ts'

const target = new URL('../src/spec/tool-spec.schema.json', import.meta.url)
writeFileSync(target, `${JSON.stringify(buildToolSpecJsonSchema(), null, 2)}\n`)
