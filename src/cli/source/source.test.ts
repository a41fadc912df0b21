import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import type { Io } from '../command.ts'
import { loadSources } from './source.ts'

const cwd = mkdtempSync(join(tmpdir(), 'waymark-source-'))
afterAll(() => rmSync(cwd, { recursive: true }))

const signal = new AbortController().signal
const io = { cwd, env: {}, signal, out() {}, err() {} } as unknown as Io

it('reads what an API description refers to in the same folder', async () => {
  writeFileSync(
    join(cwd, 'orders.yaml'),
    `openapi: 3.0.3
info: { title: Orders, version: 1.0.0 }
servers: [{ url: https://orders.example }]
paths:
  /orders:
    post:
      operationId: createOrder
      summary: Create an order
      requestBody:
        required: true
        content:
          application/json: { schema: { $ref: 'schemas.yaml#/Order' } }
      responses: { '200': { description: ok } }
`,
  )
  writeFileSync(
    join(cwd, 'schemas.yaml'),
    'Order: { type: object, required: [customer], properties: { customer: { type: string } } }\n',
  )
  const { service, close } = await loadSources(['orders.yaml'], io)
  const [entry] = [...service.registry.entries()].filter(({ ordered }) => !ordered[0]?.system)
  expect(JSON.stringify(entry?.ordered[0]?.inputSchema)).toContain('"customer"')
  await service.close()
  await close()
})
