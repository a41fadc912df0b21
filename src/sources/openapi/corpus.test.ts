import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkDocument, listCorpus } from '../../../scripts/corpus.ts'
import type { DocumentReport } from '../../../scripts/examine.ts'
import { importOpenApi } from './import.ts'

const FILES = listCorpus()
const NAME = /^[a-z][a-z0-9_]{0,63}$/

function expectSound(report: DocumentReport): void {
  expect(report.failures).toEqual([])
  expect(report.tools + report.skipped).toBe(report.operations)
  const names = report.spec?.tools.map((tool) => tool.name) ?? []
  expect(names.filter((name) => !NAME.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
}

/** Each document is taken through once, however many tests look at it. */
const reports = new Map<string, DocumentReport>()

function reportOf(path: string): DocumentReport {
  const report = reports.get(path) ?? checkDocument(path)
  reports.set(path, report)
  return report
}

describe.skipIf(FILES.length === 0)('real documents (needs ../shared/corpus)', () => {
  it.each(FILES.map((path) => [basename(path), path]))(
    '[TS-144] [TS-146] [TS-194] %s lists, imports, and reads back valid with every operation',
    (_, path) => expectSound(reportOf(path)),
  )

  it('[TS-195] at least 99.5 % of the operations become tools', () => {
    const all = FILES.map(reportOf)
    const operations = all.reduce((sum, report) => sum + report.operations, 0)
    const tools = all.reduce((sum, report) => sum + report.tools, 0)
    expect(tools / operations).toBeGreaterThan(0.995)
  })
})

describe('large documents', () => {
  it('[TS-199] imports 2,958 operations', () => {
    const operations = Array.from({ length: 2958 }, (_, index) => [
      `/v1/things_${index}/{id}`,
      {
        post: {
          operationId: `things${index}Update`,
          summary: 'Updates a thing.',
          parameters: [
            { name: 'id', in: 'path', type: 'integer', required: true },
            ...['ApiIntegrationCode', 'Secret', 'UserName'].map((name) => ({
              name,
              in: 'header',
              type: 'string',
              required: true,
            })),
            { name: 'thing', in: 'body', schema: { $ref: '#/definitions/Thing' } },
          ],
        },
      },
    ])
    const thing = {
      type: 'object',
      properties: Object.fromEntries(
        Array.from({ length: 40 }, (_, index) => [`field${index}`, { type: 'string' }]),
      ),
    }
    const document = {
      swagger: '2.0',
      info: { title: 'Autotask', version: '1' },
      host: 'a.example',
      paths: Object.fromEntries(operations),
      definitions: { Thing: thing },
    }
    const result = importOpenApi(document)
    expect(result.ok && result.spec.tools.length).toBe(2958)
    expect(result.ok && result.spec.auth).toMatchObject({
      header: 'Secret',
      also: [{ header: 'UserName' }],
    })
  })
})
