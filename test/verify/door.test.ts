import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it } from 'vitest'
import { toLocalDoor, toRemoteDoor } from '../../src/change/verify/door.ts'
import { type Exchange, isWorthKeeping, replayExchange } from '../../src/change/verify/exchange.ts'
import { verifyService } from '../../src/entries/verify.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { createHonestShop } from './shop.ts'

const LIMIT = 100_000
const ASK = { method: 'GET', path: '/endless' } as const

it('stops reading an answer that never ends, and ends the connection', async () => {
  let closed = false
  const server = createServer((_, response) => {
    response.on('close', () => {
      closed = true
    })
    const write = (): void => {
      while (!response.destroyed && response.write('x'.repeat(10_000))) {}
    }
    response.on('drain', write)
    write()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const door = toRemoteDoor(new URL(`http://127.0.0.1:${port}/forrst`), {}, LIMIT)
  await expect(door(ASK)).rejects.toMatchObject({ code: 'CLIENT_RESPONSE_TOO_LARGE' })
  await expect.poll(() => closed, { timeout: 10_000 }).toBe(true)
  server.close()
})

it('stops reading an answer of this process that never ends', async () => {
  const app = createApp(await createHonestShop(), { surfaces: allSurfaces() })
  let left = false
  async function* endless(): AsyncGenerator<string> {
    try {
      for (;;) yield 'x'.repeat(10_000)
    } finally {
      left = true
    }
  }
  const door = toLocalDoor(
    { ...app, handle: async () => ({ status: 200, headers: {}, body: endless() }) },
    LIMIT,
  )
  await expect(door(ASK)).rejects.toThrow('An answer has more than 100000 bytes')
  expect(left).toBe(true)
})

it('keeps exchanges that another service of the same kind answers alike', async () => {
  const kept: Exchange[] = []
  const onExchange = (exchange: Exchange) => {
    if (isWorthKeeping(exchange)) kept.push(JSON.parse(JSON.stringify(exchange)) as Exchange)
  }
  await verifyService(await createHonestShop(), { onExchange })
  const door = toLocalDoor(createApp(await createHonestShop(), { surfaces: allSurfaces() }))
  const changes: string[] = []
  for (const exchange of kept) {
    const change = await replayExchange(door, exchange)
    if (change !== undefined) changes.push(`${exchange.function}: ${change}`)
  }
  expect(kept.length).toBeGreaterThan(60)
  expect(changes).toEqual([])
})
