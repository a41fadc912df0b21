import type { JSX } from 'preact'

const WIDTH = 240
const HEIGHT = 44
const PAD = 3
/** Room for this many checks, so that a young line does not jump about. */
const MIN_STEPS = 30

/** Draws values over time as a line; a gap where nothing was known. */
export function Sparkline({
  values,
  label,
}: {
  readonly values: readonly (number | undefined)[]
  readonly label: string
}): JSX.Element {
  const top = Math.max(1, ...values.map((value) => value ?? 0))
  const steps = Math.max(MIN_STEPS, values.length - 1)
  const points = values.flatMap((value, at) => {
    if (value === undefined) return []
    const x = WIDTH - PAD - ((values.length - 1 - at) / steps) * (WIDTH - 2 * PAD)
    return [{ x, y: HEIGHT - PAD - (value / top) * (HEIGHT - 2 * PAD) }]
  })
  const line = points
    .map(({ x, y }, at) => `${at === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`)
    .join('')
  const last = points.at(-1)
  const first = points[0]
  return (
    <svg
      class="sparkline"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {first && last && (
        <path class="spark-area" d={`${line}L${last.x} ${HEIGHT}L${first.x} ${HEIGHT}Z`} />
      )}
      <path class="spark-base" d={`M0 ${HEIGHT - 0.5}H${WIDTH}`} />
      <path class="spark-line" d={line} />
      {last && <circle class="spark-end" cx={last.x} cy={last.y} r="2.5" />}
    </svg>
  )
}
