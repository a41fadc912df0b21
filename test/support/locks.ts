import { defineFunction, type Invocation } from '../../src/core/function.ts'
import type { Store } from '../../src/entries/store.ts'
import { deadlineExtension } from '../../src/extensions/deadline/deadline.ts'
import {
  type AtomicLockExtensionOptions,
  atomicLockExtension,
} from '../../src/extensions/lock/lock.ts'
import { createService } from '../../src/system/create-service.ts'
import { call, createTestClock, createTestLog, type TestResponse } from './forrst.ts'

/** The URN of the extension. */
export const URN = 'urn:forrst:ext:atomic-lock'
const FN = 'urn:cline:forrst:ext:atomic-lock:fn'

/** A span of seconds as it travels. */
export const seconds = (value: number) => ({ value, unit: 'second' })

/** Makes a service whose functions can be locked, and what calls it. */
export function setUp(
  store: Store,
  handler: (invocation: Invocation) => unknown = () => ({ done: true }),
  options: Omit<AtomicLockExtensionOptions, 'store'> = {},
) {
  const clock = createTestClock()
  const log = createTestLog()
  const work = (name: string) =>
    defineFunction({
      name,
      version: '1.0.0',
      handler: (invocation) => handler(invocation as unknown as Invocation),
    })
  const service = createService({
    info: { title: 'Payments', version: '1.0.0' },
    functions: [work('payments.charge'), work('payments.refund')],
    extensions: [atomicLockExtension({ ...options, store }), deadlineExtension()],
    clock,
    log,
  })
  const lock = (
    entry: Record<string, unknown>,
    name = 'payments.charge',
    more: { signal?: AbortSignal; extensions?: object[]; urn?: string } = {},
  ): Promise<TestResponse> =>
    call(
      service,
      {
        function: name,
        extensions: [{ urn: more.urn ?? URN, options: entry }, ...(more.extensions ?? [])],
      },
      more,
    )
  const manage = (name: string, input: Record<string, unknown>) =>
    call(service, { function: `${FN}:${name}`, version: '1.0.0', arguments: input })
  return { service, clock, log, lock, manage }
}

/** A handler that goes on until it is told to stop. */
export function holdOn() {
  const finishers: ((value: unknown) => void)[] = []
  return {
    handler: () => new Promise((resolve) => finishers.push(resolve)),
    running: () => finishers.length,
    finish: () => finishers.forEach((finish) => void finish({ done: true })),
  }
}
