import { monitorEventLoopDelay } from 'node:perf_hooks'
import { formatFamily } from './exposition.ts'

/** How often the event loop is looked at, in milliseconds. */
const RESOLUTION_MS = 20

/** Creates what writes the numbers of the process: delay of the event loop since the last look, memory, CPU. */
export function createProcessGauges(): () => string {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  const toSeconds = (nanoseconds: number) =>
    // The histogram counts the wait of its own timer too.
    Number.isFinite(nanoseconds) ? Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3) : 0
  const gauge = (name: string, help: string, value: number) =>
    formatFamily({ name, help, type: 'gauge', labels: [] }, [[[], value]])
  return () => {
    const stats = [
      [['mean'], toSeconds(delay.mean)],
      [['p99'], toSeconds(delay.percentile(99))],
      [['max'], toSeconds(delay.max)],
    ] as const
    delay.reset()
    const { rss, heapUsed, external } = process.memoryUsage()
    const { user, system } = process.cpuUsage()
    return [
      formatFamily(
        {
          name: 'waymark_event_loop_delay_seconds',
          help: 'Delay of the event loop since the last scrape.',
          type: 'gauge',
          labels: ['stat'],
        },
        stats,
      ),
      gauge('process_resident_memory_bytes', 'Memory of the process.', rss),
      gauge('nodejs_heap_size_used_bytes', 'Heap in use.', heapUsed),
      gauge('nodejs_external_memory_bytes', 'Memory of buffers outside the heap.', external),
      gauge(
        'process_start_time_seconds',
        'Start of the process since the epoch.',
        Math.round(performance.timeOrigin / 1_000),
      ),
      formatFamily(
        {
          name: 'process_cpu_seconds_total',
          help: 'CPU time of the process.',
          type: 'counter',
          labels: [],
        },
        [[[], (user + system) / 1e6]],
      ),
    ].join('')
  }
}
