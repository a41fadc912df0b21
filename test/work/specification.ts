/** How a work item stands, and who has it. docs/internals/work.md shows the same machine. */
export type ItemState =
  | { readonly kind: 'absent' }
  | { readonly kind: 'waiting' }
  | { readonly kind: 'running'; readonly run: string; readonly worker: string }
  | { readonly kind: 'over'; readonly end: string; readonly run: string | undefined }

/** Something that happened to an item, as the store has it. */
export type ItemEvent =
  | { readonly kind: 'added' }
  | { readonly kind: 'begun'; readonly run: string; readonly worker: string }
  | { readonly kind: 'reported'; readonly run: string }
  | { readonly kind: 'ended'; readonly run: string; readonly end: string }
  | { readonly kind: 'cancelled' }

/** What the specification needs to know of a worker at the moment of an event. */
export interface WorkerFacts {
  /** Whether it has the function and the version of the item. */
  readonly knows: (worker: string) => boolean
  /** Whether it may have lost or given up what it holds: it was killed, stopped, refused, or cut off for a lease. */
  readonly mayHaveLost: (worker: string) => boolean
}

/** Follows an event; throws the promise that it breaks. */
export function follow(state: ItemState, event: ItemEvent, facts: WorkerFacts): ItemState {
  if (state.kind === 'over') throw broken(state, event, 'an end is written once and stays')
  if (event.kind === 'added') {
    if (state.kind === 'absent') return { kind: 'waiting' }
    throw broken(state, event, 'an item is added once')
  }
  if (state.kind === 'absent') throw broken(state, event, 'nothing happens to what is not there')
  if (event.kind === 'cancelled') return { kind: 'over', end: 'cancelled', run: undefined }
  if (event.kind === 'begun') {
    if (!facts.knows(event.worker)) {
      throw broken(state, event, 'a worker begins only what it knows')
    }
    if (state.kind === 'running' && !facts.mayHaveLost(state.worker)) {
      throw broken(state, event, 'nobody begins what another worker holds')
    }
    return { kind: 'running', run: event.run, worker: event.worker }
  }
  if (state.kind !== 'running' || state.run !== event.run) {
    throw broken(state, event, 'only the run that has an item reports and ends it')
  }
  return event.kind === 'reported' ? state : { kind: 'over', end: event.end, run: event.run }
}

/** A key stands for one item, until that one came to nothing: it was cancelled, or failed. */
export function passKeyOn(state: ItemState): void {
  if (state.kind === 'over' && state.end !== 'completed') return
  throw new Error(`a key has two operations, and the first is ${JSON.stringify(state)}`)
}

function broken(state: ItemState, event: ItemEvent, promise: string): Error {
  return new Error(`${promise}: ${JSON.stringify(event)} in ${JSON.stringify(state)}`)
}
