import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import type { DiscoveryDocument } from '../../src/discovery/decode.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { generateClient } from '../../src/entries/codegen.ts'
import { importOpenApi, parseDocument } from '../../src/entries/openapi.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import { createService } from '../../src/system/create-service.ts'
import { compileProject } from './compile-project.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-corpus-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/openapi/', import.meta.url))
const HAS_CORPUS = existsSync(CORPUS)

function fromCorpus(file: string): DiscoveryDocument | undefined {
  const parsed = parseDocument(readFileSync(`${CORPUS}${file}`, 'utf8'))
  const imported = parsed.ok ? importOpenApi(parsed.document) : undefined
  if (!imported?.ok) return undefined
  const service = createService({
    info: { title: imported.spec.domain, version: '1.0.0' },
    functions: createToolFunctions(imported.spec, { env: {} }),
  })
  return buildDocument(service)
}

describe('clients of real APIs', () => {
  it.skipIf(!HAS_CORPUS)(
    'of 30 APIs of the corpus compile in one go',
    async () => {
      let made = 0
      for (const file of readdirSync(CORPUS).sort()) {
        if (made === 30) break
        const document = fromCorpus(file)
        if (document === undefined) continue
        writeFileSync(join(folder, `client-${made}.ts`), generateClient(document))
        made += 1
      }
      expect(made).toBe(30)
      expect(await compileProject(folder)).toEqual([])
    },
    120_000,
  )
})
