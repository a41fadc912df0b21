import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { createTurns } from './turns.ts'

describe('turns', () => {
  it('run some items at once and the rest in later turns, in order', async () => {
    const ran: number[] = []
    const take = createTurns<number>(2, (item) => ran.push(item))
    for (const item of [1, 2, 3, 4, 5]) take(item)
    expect(ran).toEqual([1, 2])
    await nextTurn()
    expect(ran).toEqual([1, 2, 3, 4])
    take(6)
    expect(ran).toEqual([1, 2, 3, 4])
    await nextTurn()
    expect(ran).toEqual([1, 2, 3, 4, 5, 6])
    for (let turn = 0; turn < 3; turn += 1) await nextTurn()
    for (const item of [7, 8, 9]) take(item)
    expect(ran.slice(6)).toEqual([7, 8])
  })
})
