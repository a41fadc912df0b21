import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkplace, type Run, zendeskDocument } from '../../../test/cli/run-main.ts'

/** A watch that is running, with what it has printed so far. */
function startWatch(...args: string[]) {
  const place = createWorkplace()
  place.write('zendesk-openapi.json', zendeskDocument())
  const stop = new AbortController()
  let printed = ''
  const waiting = new Set<() => void>()
  const take = (text: string): void => {
    printed += text
    for (const look of waiting) look()
  }
  const ended: Promise<Run> = place.runWith(
    { out: take, err: take, signal: stop.signal },
    ...[
      'forge',
      'tool',
      '--spec',
      'zendesk-openapi.json',
      '--pick',
      'listUsers',
      '--watch',
      ...args,
    ],
  )
  /** Waits until the watch has finished that many rounds. */
  const rounds = (count: number): Promise<string> =>
    new Promise((resolve, reject) => {
      const look = (): void => {
        if (printed.split('Ctrl-C ends.').length <= count) return
        waiting.delete(look)
        resolve(printed)
      }
      waiting.add(look)
      ended.catch(reject)
      look()
    })
  return { place, stop, ended, rounds }
}

describe('waymark forge tool --watch', () => {
  it('generates again when document or spec change, survives mistakes, and ends when interrupted', async () => {
    const { place, stop, ended, rounds } = startWatch('--out', 'tools')
    await rounds(1)
    expect(place.read('tools/zendesk.capabilities.ts')).toContain('Lists users.')

    place.write(
      'zendesk-openapi.json',
      zendeskDocument().replaceAll('Lists users.', 'Lists all users.'),
    )
    await rounds(2)
    expect(place.read('tools/zendesk.capabilities.ts')).toContain('Lists all users.')

    place.write('zendesk-openapi.json', '{ "openapi": ')
    expect(await rounds(3)).toContain('E100')

    place.write('zendesk-openapi.json', zendeskDocument())
    await rounds(4)
    const spec = join(place.folder, 'tools/zendesk.tool-spec.yaml')
    const edited = place.read('tools/zendesk.tool-spec.yaml').replace('Lists users.', 'My words.')
    writeFileSync(spec, edited)
    await rounds(5)
    expect(place.read('tools/zendesk.capabilities.ts')).toContain('My words.')

    stop.abort()
    expect((await ended).code).toBe(0)
  })

  it('needs a file, and something to write', async () => {
    const place = createWorkplace()
    const web = await place.run('forge', 'tool', '--spec', 'http://127.0.0.1:9/x', '--watch')
    expect(web).toMatchObject({ code: 2, err: expect.stringContaining('--watch needs a file') })
    const check = await place.run('forge', 'tool', '--spec', 'x.yaml', '--watch', '--check')
    expect(check.err).toContain('--watch and --check exclude each other')
  })
})
