import { existsSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { fromFileUrl } from '../read-json.ts'
import { explainListenError } from '../system-error.ts'
import { type Front, openFront } from './front.ts'
import { type Life, readAge, startLife, type WatchStatus } from './life.ts'

/** How often files are looked at: looking misses no change, not even one made while a process starts. */
const LOOK_MS = 200

/**
 * Serves, and serves anew when a file changes that the service is made of. This process keeps the port and runs none of
 * the files; each version of them has a process of its own, because a module cannot be loaded twice into one. The old
 * one answers until the new one does, and then finishes its calls.
 */
export async function runWatch(
  input: CommandInput,
  place: { readonly port: number; readonly host: string },
): Promise<number> {
  if (input.flags['stdio']) throw new UsageError('--watch and --stdio exclude each other')
  let status: WatchStatus = { generation: 0 }
  const front = await openFront(place, () => status).catch((thrown: unknown) => {
    throw explainListenError(thrown, place) ?? thrown
  })
  const files = createFiles(input)
  const lives = new Set<Life>()
  let current: Life | undefined

  const say = (text: string): void => input.io.err(text)
  const isOver = (): boolean => input.io.signal.aborted

  function begin(): Life {
    files.settle()
    const args = process.argv.slice(2).filter((argument) => argument !== '--watch')
    const life = startLife(args, { address: front.address, onFile: files.add })
    lives.add(life)
    void life.ended.then((code) => {
      lives.delete(life)
      if (current !== life || isOver()) return
      current = undefined
      fail(`the service ended with exit code ${code}`)
    })
    return life
  }

  function replace(life: Life, text: string, functions: number): void {
    current?.send({ type: 'drain' })
    current = life
    status = { generation: status.generation + 1 }
    front.lead(life)
    if (status.generation === 1) input.io.out(text)
    else say(`Reloaded: ${functions} functions.\n`)
  }

  function fail(error: string): void {
    status = { ...status, error }
    if (current === undefined) front.lead(undefined)
    say(
      current
        ? 'The service goes on as it was before the change.\n'
        : 'Nothing is served until a file changes.\n',
    )
  }

  try {
    while (!isOver()) {
      const life = begin()
      let isBegun = false
      // Whoever saves again does not want to wait for what was there before.
      const begun = await Promise.race([life.begun, files.changed(() => isBegun || isOver())])
      isBegun = true
      if (begun === undefined) {
        life.kill()
        continue
      }
      if (begun.type === 'ready') replace(life, begun.text, begun.functions)
      else {
        await life.ended
        fail(begun.message)
      }
      current?.send({ type: 'status', status })
      await files.changed(isOver)
    }
    return await endAll(front, lives, current)
  } finally {
    for (const life of lives) life.kill()
  }
}

async function endAll(
  front: Front,
  lives: ReadonlySet<Life>,
  current: Life | undefined,
): Promise<number> {
  for (const life of lives) life.send({ type: 'drain' })
  await Promise.all([...lives].map(({ ended }) => ended))
  front.close()
  return (await current?.ended) ?? EXIT.ok
}

interface Files {
  readonly add: (path: string, mtimeMs: number) => void
  /** Takes the files as they are now for the ones that are served. */
  readonly settle: () => void
  /** Resolves when one has changed and is no longer being written, or when nobody waits any more. */
  readonly changed: (isOver: () => boolean) => Promise<undefined>
}

function createFiles({ positionals, io }: CommandInput): Files {
  const ages = new Map<string, number>()
  for (const reference of positionals) {
    const path = resolve(io.cwd, fromFileUrl(reference))
    // What is in a folder, the process tells that loads it.
    if (existsSync(path) && statSync(path).isFile()) ages.set(path, readAge(path))
  }
  const settle = (): void => {
    for (const path of ages.keys()) ages.set(path, readAge(path))
  }
  const read = (): string => [...ages.keys()].map(readAge).join()
  return {
    add: (path, mtimeMs) => void ages.set(path, mtimeMs),
    settle,
    async changed(isOver) {
      let before = [...ages.values()].join()
      let isChanged = false
      while (!isOver()) {
        await sleep(LOOK_MS)
        const now = read()
        if (isChanged && now === before) return undefined
        isChanged ||= now !== [...ages.values()].join()
        before = now
      }
      return undefined
    },
  }
}
