import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const MEASURE = fileURLToPath(new URL('./measure.mjs', import.meta.url))

/**
 * Bytes that one plain call allocates, by surface, on Node 20. Not a time: the same code gives the same figure on every
 * machine. Whoever raises one knows that every call pays for it, and says in the commit what for.
 */
const FIGURES: Readonly<Record<string, number>> = { forrst: 3082, rest: 2729, mcp: 6497 }
/** Room for another patch release of Node. */
const ROOM = 1.03

describe('a plain call', () => {
  let dist = ''
  let measured: Readonly<Record<string, number>> = {}
  beforeAll(async () => {
    // Inside the repository, so that the build finds its packages.
    dist = await mkdtemp(join(ROOT, 'node_modules', '.allocations-'))
    await run('npx', ['tsc', '-p', 'tsconfig.build.json', '--noCheck', '--outDir', dist], {
      cwd: ROOT,
    })
    const flags = [
      '--jitless',
      '--single-threaded',
      '--expose-gc',
      '--min-semi-space-size=128',
      '--max-semi-space-size=128',
    ]
    const { stdout } = await run(process.execPath, [...flags, MEASURE, dist])
    measured = JSON.parse(stdout) as typeof measured
  }, 120_000)
  afterAll(() => rm(dist, { recursive: true, force: true }))

  it.each(Object.entries(FIGURES))('over %s allocates no more than it did', (surface, figure) => {
    expect(measured[surface]).toBeLessThan(figure * ROOM)
  })

  it.each(Object.entries(FIGURES))(
    'over %s has a figure that is not out of date',
    (surface, figure) => {
      // A gain is written down, so that it cannot be lost again unseen.
      expect(measured[surface]).toBeGreaterThan(figure / ROOM ** 2)
    },
  )
})
