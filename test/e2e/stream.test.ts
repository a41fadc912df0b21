import { request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createClient } from '../../src/client/client.ts'
import { defineFunction } from '../../src/core/function.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { createApp } from '../../src/http/app.ts'
import { HOSTS, type RunningHost } from '../support/hosts.ts'
import { serviceOf } from '../support/service.ts'
import { toStreamDocument } from '../support/stream.ts'

interface Watch {
  yielded: number
  left: boolean
}

const FILLER = 'x'.repeat(10_000)

function createReports(watch: Watch) {
  return defineFunction({
    name: 'reports.build',
    version: '1.0.0',
    input: z.object({ rows: z.number() }),
    item: z.object({ row: z.number(), filler: z.string() }),
    output: z.object({ rows: z.number() }),
    async *handler({ input }) {
      try {
        for (let row = 1; row <= input.rows; row += 1) {
          watch.yielded = row
          yield { row, filler: FILLER }
        }
        return { rows: input.rows }
      } finally {
        watch.left = true
      }
    },
  })
}

async function withHost(
  start: (app: ReturnType<typeof createApp>) => Promise<RunningHost>,
  run: (url: string, watch: Watch) => Promise<void>,
): Promise<void> {
  const watch: Watch = { yielded: 0, left: false }
  const host = await start(
    createApp(serviceOf([createReports(watch)]), { surfaces: allSurfaces() }),
  )
  try {
    await run(`${host.url}/forrst`, watch)
  } finally {
    await host.close()
  }
}

/** Opens a stream on a bare connection, and does not read it. */
function openUnread(url: string): Promise<{ readonly destroy: () => void }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const outgoing = request(url, { method: 'POST', headers }, (response) => {
      response.pause()
      resolve({ destroy: () => response.destroy() })
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(toStreamDocument('reports.build', { rows: 100_000 })))
  })
}

describe.each(Object.entries(HOSTS))('a stream served by %s', (_name, start) => {
  it('brings every item, in order, and the result', () =>
    withHost(start, async (url) => {
      const client = createClient({ url, name: 'test', retry: false })
      const stream = client.stream('reports.build', { rows: 200 })
      const rows: number[] = []
      for await (const item of stream) rows.push((item as { row: number }).row)
      expect(rows).toEqual(Array.from({ length: 200 }, (_, at) => at + 1))
      expect(await stream.result()).toEqual({ rows: 200 })
    }))

  it('stops the function while nobody reads, and ends it when the peer leaves', () =>
    withHost(start, async (url, watch) => {
      const peer = await openUnread(url)
      let before = -1
      while (before !== watch.yielded) {
        before = watch.yielded
        await delay(300)
      }
      // Of a gigabyte, what fits into the buffers on the way.
      expect(watch.yielded).toBeGreaterThan(0)
      expect(watch.yielded).toBeLessThan(3_000)
      expect(watch.left).toBe(false)
      peer.destroy()
      await expect.poll(() => watch.left, { timeout: 10_000 }).toBe(true)
    }))
})
