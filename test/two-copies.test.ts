import { describe, expect, it, vi } from 'vitest'
import { createMemoryStore } from '../src/entries/store.ts'
import * as mine from '../src/entries/waymark.ts'

/** Another copy of the package in the same process: a command line installed for all, a package of the project. */
async function loadOther(): Promise<typeof mine> {
  vi.resetModules()
  return import('../src/entries/waymark.ts')
}

describe('a service made by one copy of the package and served by another', () => {
  it('describes itself', async () => {
    const other = await loadOther()
    expect(other.createService).not.toBe(mine.createService)
    const info = { title: 'Shop', version: '1.0.0' }
    const service = mine.createService({ info, functions: [] })
    const handle = other.toFetchHandler(other.createApp(service, { surfaces: other.allSurfaces() }))
    const call = { function: 'urn:cline:forrst:ext:discovery:fn:describe', version: '1.0.0' }
    const answer = await handle(
      new Request('http://127.0.0.1/forrst', {
        method: 'POST',
        headers: { 'content-type': 'application/json', host: '127.0.0.1' },
        body: JSON.stringify({ protocol: { name: 'forrst', version: '0.1.0' }, id: '1', call }),
      }),
    )
    expect(await answer.json()).toMatchObject({ info })
  })

  it('keeps what agents are promised in its own store', async () => {
    const store = createMemoryStore()
    const info = { title: 'Shop', version: '1.0.0' }
    const service = mine.createService({ info, functions: [], store })
    expect(service.store).toBe(store)
    await service.close()
    await store.close()
  })

  it('knows the errors of the other', async () => {
    const { CallError } = await loadOther()
    expect(CallError).not.toBe(mine.CallError)
    expect(new CallError('NOT_FOUND')).toBeInstanceOf(mine.CallError)
    expect(new Error('not found')).not.toBeInstanceOf(mine.CallError)
    expect(Object.create(null)).not.toBeInstanceOf(mine.CallError)
    expect('NOT_FOUND').not.toBeInstanceOf(mine.CallError)
    class Own extends mine.CallError {}
    expect(new Own('NOT_FOUND')).toBeInstanceOf(Own)
    expect(new mine.CallError('NOT_FOUND')).not.toBeInstanceOf(Own)
  })
})
