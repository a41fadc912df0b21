/** A set of numbers with the same name, told apart by the values of its labels. */
export interface Family {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
}

/** A number that only grows. */
export interface Counter {
  readonly add: (values: readonly string[], by?: number) => void
}

/** How many values of each size there were. */
export interface Histogram {
  readonly observe: (values: readonly string[], value: number) => void
}

/** One number of a family, with the values of its labels. */
export type Sample = readonly [values: readonly string[], value: number]

/** The numbers of a process, written in the text format of Prometheus (version 0.0.4). */
export interface Exposition {
  readonly counter: (name: string, help: string, labels?: readonly string[]) => Counter
  readonly histogram: (
    name: string,
    help: string,
    labels: readonly string[],
    buckets: readonly number[],
  ) => Histogram
  readonly write: () => string
}

/** What is beyond this many sets of label values is counted together, so that no caller can fill the memory. */
const MOST_SERIES = 1_000
const LONGEST_VALUE = 120
const OTHER = 'other'

/** Creates the counters and histograms of a process. */
export function createExposition(): Exposition {
  const families: (() => string)[] = []
  return {
    counter(name, help, labels = []) {
      const series = createSeries(labels.length, () => ({ value: 0 }))
      families.push(() =>
        formatFamily(
          { name, help, type: 'counter', labels },
          [...series.all()].map(([values, { value }]) => [values, value]),
        ),
      )
      return {
        add(values, by = 1) {
          series.find(values).value += by
        },
      }
    },
    histogram(name, help, labels, buckets) {
      const series = createSeries(labels.length, () => ({
        counts: new Array<number>(buckets.length + 1).fill(0),
        sum: 0,
      }))
      families.push(() =>
        formatHistogram({ name, help, type: 'histogram', labels }, buckets, series.all()),
      )
      return {
        observe(values, value) {
          const one = series.find(values)
          let at = 0
          while (at < buckets.length && value > (buckets[at] ?? 0)) at += 1
          one.counts[at] = (one.counts[at] ?? 0) + 1
          one.sum += value
        },
      }
    },
    write: () => families.map((format) => format()).join(''),
  }
}

interface Series<One> {
  readonly find: (values: readonly string[]) => One
  readonly all: () => Iterable<readonly [readonly string[], One]>
}

function createSeries<One>(labels: number, create: () => One): Series<One> {
  const known = new Map<string, readonly [readonly string[], One]>()
  const others: readonly string[] = new Array<string>(labels).fill(OTHER)
  function find(given: readonly string[]): One {
    const found = known.get(given.join('\0'))
    if (found !== undefined) return found[1]
    // One place is kept for what is counted together.
    const values = known.size < MOST_SERIES - 1 ? given : others
    const key = values.join('\0')
    const one = known.get(key)?.[1] ?? create()
    known.set(key, [values, one])
    return one
  }
  return { find, all: () => known.values() }
}

/** Writes a family with its samples; one without any says nothing. */
export function formatFamily(family: Family, samples: Iterable<Sample>): string {
  const lines = [...samples].map(
    ([values, value]) =>
      `${family.name}${formatLabels(family.labels, values)} ${formatNumber(value)}\n`,
  )
  return lines.length === 0 ? '' : `${formatHead(family)}${lines.join('')}`
}

function formatHistogram(
  family: Family,
  buckets: readonly number[],
  all: Iterable<
    readonly [readonly string[], { readonly counts: readonly number[]; readonly sum: number }]
  >,
): string {
  const { name, labels } = family
  const lines: string[] = []
  for (const [values, { counts, sum }] of all) {
    let total = 0
    for (const [at, count] of counts.entries()) {
      total += count
      const le = at < buckets.length ? formatNumber(buckets[at] ?? 0) : '+Inf'
      lines.push(`${name}_bucket${formatLabels([...labels, 'le'], [...values, le])} ${total}\n`)
    }
    lines.push(`${name}_sum${formatLabels(labels, values)} ${formatNumber(sum)}\n`)
    lines.push(`${name}_count${formatLabels(labels, values)} ${total}\n`)
  }
  return lines.length === 0 ? '' : `${formatHead(family)}${lines.join('')}`
}

function formatHead({ name, help, type }: Family): string {
  return `# HELP ${name} ${help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}\n# TYPE ${name} ${type}\n`
}

function formatLabels(names: readonly string[], values: readonly string[]): string {
  if (names.length === 0) return ''
  return `{${names.map((name, at) => `${name}="${escapeValue(values[at] ?? '')}"`).join(',')}}`
}

function escapeValue(text: string): string {
  return text
    .slice(0, LONGEST_VALUE)
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
}

function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  return Number.isFinite(value) ? String(value) : value > 0 ? '+Inf' : '-Inf'
}
