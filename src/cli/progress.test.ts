import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { Io } from './command.ts'
import { createProgressLine } from './print.ts'

function watch(changes: Partial<Io> = {}) {
  let err = ''
  let time = 0
  const io: Io = {
    out: () => undefined,
    err: (text) => {
      err += text
    },
    env: {},
    cwd: '/',
    terminal: true,
    signal: new AbortController().signal,
    ...changes,
  }
  return {
    progress: createProgressLine(io, () => time),
    written: () => err,
    pass: (milliseconds: number) => {
      time += milliseconds
    },
  }
}

describe('progress', () => {
  it('is shown to a person who waits, and leaves nothing behind', () => {
    const { progress, written, pass } = watch()
    progress.show('reading a')
    pass(200)
    progress.show('reading b, which is longer')
    pass(200)
    progress.show('reading c')
    expect(written()).toContain('reading b, which is longer')
    progress.end()
    const [, shown = ''] = written().split('\r').toReversed().slice(0, 3)
    expect(written().endsWith('\r')).toBe(true)
    expect(shown.trim()).toBe('')
    expect(written()).not.toContain('\u001b')
  })

  it('turns while the work waits', async () => {
    let time = 0
    let err = ''
    const io = { terminal: true, env: {}, err: (text: string) => (err += text) }
    const progress = createProgressLine(io as unknown as Io, () => (time += 200))
    progress.show('waiting')
    await expect.poll(() => err.split('waiting').length, { timeout: 10_000 }).toBeGreaterThan(2)
    progress.end()
    const after = err
    await sleep(300)
    expect(err).toBe(after)
  })

  it('stays away when the work is over in a moment', () => {
    const { progress, written, pass } = watch()
    progress.show('reading a')
    pass(50)
    progress.show('reading b')
    progress.end()
    expect(written()).toBe('')
  })

  it.each([
    ['a pipe', { terminal: false }],
    ['messages in a file', { errTerminal: false }],
    ['a dumb terminal', { env: { TERM: 'dumb' } }],
    ['CI', { env: { CI: 'true' } }],
  ])('writes nothing for %s', (_, changes) => {
    const { progress, written, pass } = watch(changes)
    progress.show('reading a')
    pass(1_000)
    progress.show('reading b')
    progress.end()
    expect(written()).toBe('')
  })

  it('keeps control characters of names away, and to one line', () => {
    const { progress, written, pass } = watch()
    pass(200)
    progress.show(`evil \u001b[2J ${'x'.repeat(500)}`)
    expect(written()).not.toContain('\u001b')
    expect(written().length).toBeLessThan(80)
    progress.end()
  })
})
