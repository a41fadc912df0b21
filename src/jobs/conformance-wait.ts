import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'

/** Waits until something is so; throws what was expected when it never is. */
export async function until(
  expected: string,
  condition: () => boolean,
  withinMs = 20_000,
): Promise<void> {
  const end = performance.now() + withinMs
  while (!condition()) {
    assert.ok(performance.now() < end, `Waited in vain for: ${expected}`)
    await sleep(10)
  }
}

/** Waits long enough for something to happen that should not. */
export async function quiet(): Promise<void> {
  await sleep(400)
}

/** Creates something to wait at until it is opened. */
export function createGate(): { readonly opened: Promise<void>; readonly open: () => void } {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}
