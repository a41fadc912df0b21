import { getEventListeners } from 'node:events'
import { describe, expect, it } from 'vitest'
import { createAbortable, openScope } from './abort.ts'

const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length

describe('createAbortable', () => {
  it('makes no signal before somebody asks, and follows the one above with its reason', () => {
    const above = new AbortController()
    let asked = 0
    const { signal, aborted } = createAbortable(() => {
      asked += 1
      return above.signal
    })
    expect(asked).toBe(0)
    const own = signal()
    expect(signal()).toBe(own)
    above.abort('gone')
    expect([own.aborted, own.reason, aborted(), asked]).toEqual([true, 'gone', true, 1])
  })

  it('keeps the first reason, also of an abort before the signal was asked for', () => {
    const above = new AbortController()
    const { signal, abort } = createAbortable(() => above.signal)
    abort('late')
    abort('later')
    above.abort('gone')
    expect(signal().reason).toBe('late')
  })

  it('says why in its own words when told so', () => {
    const above = AbortSignal.abort('gone')
    expect(
      createAbortable(
        () => above,
        () => 'cancelled',
      ).signal().reason,
    ).toBe('cancelled')
  })

  it('leaves nothing behind on the signal above once detached', () => {
    const above = new AbortController()
    const { signal, detach } = createAbortable(() => above.signal)
    const own = signal()
    expect(listeners(above.signal)).toBe(1)
    detach()
    expect(listeners(above.signal)).toBe(0)
    above.abort()
    expect(own.aborted).toBe(false)
  })
})

describe('openScope', () => {
  it('leaves nothing behind on what it follows once closed', () => {
    const sources = [new AbortController(), new AbortController()]
    const { signal, close } = openScope(sources.map((source) => source.signal))
    close()
    expect(sources.map((source) => listeners(source.signal))).toEqual([0, 0])
    sources[0]?.abort()
    expect(signal.aborted).toBe(false)
  })
})
