import type { Store } from '../store.ts'

/** Work that several processes do at the same time on one store. */
export interface ConformanceTask {
  readonly kind: 'increment' | 'putIfAbsent' | 'compareAndSet' | 'next'
  /** A key, the start of keys, or the name of a sequence. */
  readonly key: string
  readonly times: number
}

/** What a case needs besides a store. */
export interface ConformanceTools {
  /** Starts the keys of this run of the case; no other run has it. */
  readonly prefix: string
  /** Opens a second store: on the same data where it is shared, empty where it is not. */
  readonly open: () => Promise<Store>
  /** Lets at least so many milliseconds pass on the clock of the store. */
  readonly passTime: (milliseconds: number) => Promise<void>
  /** Counts the records that really lie in the store, expired or not, under the prefix. */
  readonly countRecords: () => Promise<number>
  /** Runs a task in several processes at once and answers what each of them saw. */
  readonly inProcesses: (task: ConformanceTask) => Promise<readonly (readonly number[])[]>
}

/** One thing that every store must do. */
export interface ConformanceCase {
  /** A behaviour, as a sentence about the store. */
  readonly name: string
  /** `shared`: only for stores that outlive a process; `processes`: also several of them are needed. */
  readonly needs?: 'shared' | 'processes'
  /** Throws when the store does something else. */
  run(store: Store, tools: ConformanceTools): Promise<void>
}
