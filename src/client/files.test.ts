import { describe, expect, expectTypeOf, it } from 'vitest'
import { createApp, createService, defineFunction, file, forrst } from 'waymark'
import { createClient, createLocalTransport } from 'waymark/client'
import { createMemoryStore } from 'waymark/store'
import { z } from 'zod'

const stamp = defineFunction({
  name: 'files.stamp',
  version: '1.0.0',
  input: z.object({ label: z.string(), photos: z.array(file({ types: ['image/png'] })) }),
  output: z.object({ text: z.string(), last: file() }),
  handler: async ({ input: { label, photos } }) => {
    expectTypeOf(photos).toEqualTypeOf<File[]>()
    const last = photos.at(-1) ?? new File([], 'none')
    return {
      text: `data:text/plain;base64,${label}`,
      last: new File([last, label], last.name, { type: last.type }),
    }
  },
})

const whole = defineFunction({
  name: 'files.whole',
  version: '1.0.0',
  output: file(),
  handler: () => new File(['x'.repeat(100)], 'x.txt', { type: 'text/plain' }),
})

const large = defineFunction({
  name: 'files.large',
  version: '1.0.0',
  output: file(),
  handler: () => new File([new Uint8Array(9_000_000)], 'x'),
})

describe('a typed client', () => {
  const functions = [stamp, whole, large] as const
  const service = createService({
    info: { title: 'F', version: '1.0.0' },
    functions,
    store: createMemoryStore(),
  })
  const client = createClient<typeof service>({
    transport: createLocalTransport(createApp(service, { surfaces: [forrst()] }).handle),
  })
  const photo = (name: string) => new File(['1'], name, { type: 'image/png' })

  it('sends a Blob and gets a File, and only where the service says so', async () => {
    const given = {
      label: 'seen',
      photos: [new Blob(['0'], { type: 'image/png' }), photo('a.png')],
    }
    const outcome = await client.call('files.stamp', given)
    if (!outcome.ok) throw new Error(outcome.error.message)
    expectTypeOf(outcome.result.last).toEqualTypeOf<File>()
    const { last, text } = outcome.result
    expect([text, last.name, last.type, await last.text()]).toEqual([
      'data:text/plain;base64,seen',
      'a.png',
      'image/png',
      '1seen',
    ])
  })

  it('gets a File that is the whole result', async () => {
    const outcome = await client.call('files.whole', {})
    expect(outcome.ok && [outcome.result.name, outcome.result.size]).toEqual(['x.txt', 100])
  })

  it('gets one from an operation', async () => {
    const operation = await client.start('files.stamp', { label: '!', photos: [photo('b.png')] })
    const result = await operation.result()
    expect(result.ok && (await result.result.last.text())).toBe('1!')
  })

  it('is told how large a file may be', async () => {
    const outcome = await client.call('files.large', {})
    expect(!outcome.ok && outcome.error.message).toContain(
      'larger than 7864320 bytes; ask for it over REST',
    )
  })
})
