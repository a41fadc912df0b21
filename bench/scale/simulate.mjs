// A small model of many processes on one store: every call is work in its process, then in the engine, and so on.
// Stations serve first come, first served; time is simulated, so a thousand processes fit on a laptop.

/**
 * Plays a load on processes and an engine until enough calls are done.
 *
 * @param options.processes Node processes, one thread each
 * @param options.callers calls that each process has under way
 * @param options.steps what a call does: `{ at: 'process' | 'engine', ms }`, in turn
 * @param options.engine `{ shards, servers }`: independent engines, each with this many threads
 * @param options.delayMs network and disk, between a process and the engine, once per visit
 * @param options.cores cores that everything shares; every thread has its own when absent
 */
export function simulate({
  processes,
  callers,
  steps,
  engine,
  delayMs,
  cores,
  calls = 40_000,
  seed = 1,
}) {
  const random = createRandom(seed)
  const events = createHeap()
  const machine = cores === undefined ? undefined : createStation(cores)
  const threads = Array.from({ length: processes }, () => createStation(1))
  const shards = Array.from({ length: engine.shards }, () => createStation(engine.servers))
  const latencies = []
  // Long enough that what is under way at the beginning and at the end does not count.
  const measured = Math.max(calls, processes * callers * 5)
  const warm = Math.max(Math.ceil(measured / 5), processes * callers * 2)
  let now = 0
  let done = 0
  let warmAt = 0
  let engineBusy = 0

  const after = (ms, next) => events.push({ at: now + ms, next })
  const work = (station, ms, next) => {
    // A thread without a core waits for one, as the scheduler of the machine lets it.
    station.acquire(() => {
      const serve = () =>
        after(ms * (0.5 + random()), () => {
          machine?.release()
          station.release()
          next()
        })
      if (machine) machine.acquire(serve)
      else serve()
    })
  }

  function begin(process) {
    const startedAt = now
    const shard = shards[Math.floor(random() * shards.length)]
    const step = (index) => {
      const current = steps[index]
      if (current === undefined) {
        done += 1
        if (done === warm) warmAt = now
        if (done > warm) latencies.push(now - startedAt)
        begin(process)
      } else if (current.at === 'process') {
        work(threads[process], current.ms, () => step(index + 1))
      } else {
        after(delayMs / 2, () => {
          if (done >= warm) engineBusy += current.ms
          work(shard, current.ms, () => after(delayMs / 2, () => step(index + 1)))
        })
      }
    }
    step(0)
  }

  for (let process = 0; process < processes; process += 1) {
    for (let caller = 0; caller < callers; caller += 1) begin(process)
  }
  while (done < warm + measured) {
    const event = events.pop()
    now = event.at
    event.next()
  }
  latencies.sort((left, right) => left - right)
  const elapsed = now - warmAt
  return {
    callsPerSecond: (measured / elapsed) * 1000,
    p50: latencies[Math.floor(latencies.length * 0.5)],
    p99: latencies[Math.floor(latencies.length * 0.99)],
    engineUse: Math.min(1, engineBusy / (elapsed * engine.shards * engine.servers)),
  }
}

function createStation(servers) {
  let free = servers
  const waiting = []
  let head = 0
  return {
    acquire(serve) {
      if (free > 0) {
        free -= 1
        serve()
      } else waiting.push(serve)
    },
    release() {
      const next = waiting[head]
      if (next === undefined) {
        free += 1
        return
      }
      waiting[head] = undefined
      head += 1
      if (head > 1_000 && head * 2 > waiting.length) {
        waiting.splice(0, head)
        head = 0
      }
      next()
    },
  }
}

function createHeap() {
  const items = []
  const swap = (left, right) => {
    const item = items[left]
    items[left] = items[right]
    items[right] = item
  }
  return {
    push(item) {
      let index = items.push(item) - 1
      while (index > 0) {
        const parent = (index - 1) >> 1
        if (items[parent].at <= items[index].at) break
        swap(parent, index)
        index = parent
      }
    },
    pop() {
      const first = items[0]
      const last = items.pop()
      if (items.length === 0) return first
      items[0] = last
      let index = 0
      for (;;) {
        const left = index * 2 + 1
        const right = left + 1
        let least = index
        if (left < items.length && items[left].at < items[least].at) least = left
        if (right < items.length && items[right].at < items[least].at) least = right
        if (least === index) return first
        swap(least, index)
        index = least
      }
    },
  }
}

function createRandom(seed) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
