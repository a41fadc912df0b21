import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sendRaw } from '../support/raw-http.ts'
import type { WaymarkProcess } from '../support/waymark-process.ts'
import { type Attack, isExpected, post } from './attacks.ts'

/** What came of one phase. */
export interface Phase {
  readonly counts: Readonly<Record<string, number>>
  /** What did not go as it should, in words. */
  readonly faults: readonly string[]
  /** Milliseconds that probes took. */
  readonly probes: readonly number[]
  /** The same of a server that has nothing else to do, asked at the same moments from the same process. */
  readonly idle?: readonly number[]
}

const WAIT_MS = 10_000

/** Sends each request in turn, with a probe after each that must be answered. */
export async function runAttacks(
  { port }: WaymarkProcess,
  attacks: readonly Attack[],
): Promise<Phase> {
  const counts: Record<string, number> = {}
  const faults: string[] = []
  const probes: number[] = []
  for (const { name, bytes, expected, says } of attacks) {
    const { status, text } = await sendRaw(port, bytes, { timeoutMs: WAIT_MS })
    counts[status] = (counts[status] ?? 0) + 1
    if (!isExpected(status, expected)) {
      faults.push(`${name}: ${status || 'no answer'}, expected ${expected}`)
    }
    if (says && !says.test(text)) faults.push(`${name}: the answer does not say ${says.source}`)
    if (text.length > MOST_ANSWER) faults.push(`${name}: an answer of ${text.length} bytes`)
    const probe = await askProbe(port)
    probes.push(probe.took)
    if (probe.status !== 200) faults.push(`${name}: the probe after it got ${probe.status}`)
  }
  return { counts, faults, probes }
}

/** An API whose description holds exponential patterns, and a copy of the description that says where it listens. */
export async function startPatternApi(): Promise<{
  readonly document: string
  readonly close: () => void
}> {
  const api = createServer((asked, answer) => {
    asked.resume()
    answer.setHeader('content-type', 'application/json').end('{}')
  })
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve))
  const source = readFileSync(new URL('./hostile-patterns.openapi.json', import.meta.url), 'utf8')
  const folder = mkdtempSync(join(tmpdir(), 'waymark-hostile-'))
  const document = join(folder, 'patterns.openapi.json')
  const { port } = api.address() as AddressInfo
  writeFileSync(document, source.replace('127.0.0.1:9', `127.0.0.1:${port}`))
  return {
    document,
    close() {
      api.closeAllConnections()
      api.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A document of the service may be long, an echo may not. */
const MOST_ANSWER = 100_000

/** How an overload is made. */
export interface OverloadRun {
  readonly seconds: number
  /** Calls of 10 ms that are sent every 10 ms. */
  readonly burst?: number
  readonly path?: string
  /** A server that has nothing else to do, for comparison. */
  readonly idle?: WaymarkProcess
}

/** Sends more calls than one process can do, and asks the probe on a new connection ten times a second. */
export async function runOverload(
  { port }: WaymarkProcess,
  { seconds, burst = 10, path = '/api/target.busy', idle }: OverloadRun,
): Promise<Phase> {
  const counts: Record<string, number> = {}
  const faults: string[] = []
  const probes: number[] = []
  const idleProbes: number[] = []
  const pending = new Set<Promise<void>>()
  const begin = (work: Promise<void>) => {
    pending.add(work)
    void work.finally(() => pending.delete(work))
  }
  const call = async () => {
    const { status } = await sendRaw(port, post(path, '{}'), { timeoutMs: WAIT_MS })
    counts[status] = (counts[status] ?? 0) + 1
  }
  const probe = async () => {
    const { status, took } = await askProbe(port)
    probes.push(took)
    if (status !== 200) faults.push(`a probe got ${status || 'no answer'}`)
  }
  const compare = async (other: WaymarkProcess) => {
    idleProbes.push((await askProbe(other.port)).took)
  }
  const end = performance.now() + seconds * 1_000
  for (let turn = 0; performance.now() < end; turn += 1) {
    for (let count = 0; count < burst && pending.size < MOST_PENDING; count += 1) begin(call())
    if (turn % 10 === 0) {
      begin(probe())
      if (idle) begin(compare(idle))
    }
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await Promise.all(pending)
  for (const status of Object.keys(counts)) {
    if (status !== '200' && status !== '503') faults.push(`${counts[status]} calls got ${status}`)
  }
  if (!counts['200']) faults.push('no call was done')
  if (!counts['503']) faults.push('no call was refused')
  return { counts, faults, probes, idle: idleProbes }
}

/** As many sockets as a client may hold without running out of files. */
const MOST_PENDING = 500

function askProbe(port: number): Promise<{ readonly status: number; readonly took: number }> {
  const began = performance.now()
  return new Promise((resolve) => {
    const finish = (status: number) => resolve({ status, took: performance.now() - began })
    const asking = request(
      { port, host: '127.0.0.1', path: '/health/live', agent: false, timeout: WAIT_MS },
      (response) => {
        response.resume()
        response.on('end', () => finish(response.statusCode ?? 0))
      },
    )
    asking.on('timeout', () => asking.destroy()).on('error', () => finish(0))
    asking.end()
  })
}

/** Gives the value below which a share of the numbers lies. */
export function quantile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
}
