// npx tsx --conditions=waymark-source examples/helpdesk/main.ts, then open http://127.0.0.1:4000/desk
import { mkdirSync } from 'node:fs'
import { createApiKeys } from 'waymark/auth'
import { openStore } from 'waymark/store'
import { startHelpdesk } from './server.ts'

mkdirSync('.data', { recursive: true })
const store = await openStore('sqlite:.data/helpdesk-state.db')
const { key } = await createApiKeys(store).create({
  name: 'main',
  scopes: ['tickets:read', 'tickets:write', 'subscribers:write'],
  ttlMs: 86_400_000,
})
const secret =
  process.env['HELPDESK_SECRET'] ??
  `whsec_${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64')}`
const { server } = await startHelpdesk({
  database: '.data/helpdesk.db',
  store,
  secret,
  port: Number(process.env['PORT'] ?? 4000),
})
console.log(`${server.url}/desk, with this token for a day: ${key}`)
