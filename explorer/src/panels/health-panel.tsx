import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import type { ComponentSample, HealthSample } from '../model/health.ts'
import { Trouble } from '../view/controls.tsx'
import { formatElapsed } from '../view/result-view.tsx'
import type { Panel } from './panel.ts'
import { Sparkline } from './sparkline.tsx'

const WATCH_MS = 3000
const GLANCE_MS = 15_000

/** Components of the service, how they are and how long they take, over time. */
export const healthPanel: Panel = {
  id: 'health',
  title: 'Health',
  icon: 'pulse',
  probe: ({ health }) => health.read(),
  View: HealthView,
  Status: HealthDot,
}

function HealthView(): JSX.Element {
  const { health } = useExplorer()
  const samples = useCell(health.samples)
  const problem = useCell(health.problem)
  useEffect(() => {
    void health.read()
    return health.watch(WATCH_MS)
  }, [])
  const latest = samples.at(-1)
  return (
    <div class="panel">
      <header class="panel-head">
        <h2>Health</h2>
        {latest && <StatusText sample={latest} />}
      </header>
      {problem && <Trouble reason={problem} onRetry={() => void health.read()} />}
      {latest && <Components latest={latest} samples={samples} />}
      {latest && <TroubledFunctions latest={latest} />}
    </div>
  )
}

function StatusText({ sample }: { readonly sample: HealthSample }): JSX.Element {
  return (
    <p class="panel-lead">
      <span class={`dot is-${sample.status}`} aria-hidden="true" />
      The service is <strong>{sample.status}</strong>
      {sample.version && ` · version ${sample.version}`}
      {` · checked ${new Date(sample.at).toLocaleTimeString()}`}
    </p>
  )
}

function Components({
  latest,
  samples,
}: {
  readonly latest: HealthSample
  readonly samples: readonly HealthSample[]
}): JSX.Element {
  return (
    <ul class="component-grid">
      {[...latest.components].map(([name, component]) => (
        <li key={name} class="component">
          <ComponentCard
            name={name}
            component={component}
            history={samples.map((sample) => sample.components.get(name)?.latency)}
          />
        </li>
      ))}
    </ul>
  )
}

function ComponentCard({
  name,
  component,
  history,
}: {
  readonly name: string
  readonly component: ComponentSample
  readonly history: readonly (number | undefined)[]
}): JSX.Element {
  const known = history.filter((latency) => latency !== undefined)
  return (
    <>
      <div class="component-head">
        <h3>{name}</h3>
        <span class={`state is-${component.status}`}>{component.status}</span>
      </div>
      <p class="component-latency">
        {component.latency === undefined ? '–' : formatElapsed(component.latency)}
      </p>
      <Sparkline values={history} label={`Latency of ${name} over ${known.length} checks`} />
      <p class="component-range">
        {known.length > 0 &&
          `${formatElapsed(Math.min(...known))} to ${formatElapsed(Math.max(...known))}`}
      </p>
      {component.message && <p class="component-message">{component.message}</p>}
    </>
  )
}

function TroubledFunctions({ latest }: { readonly latest: HealthSample }): JSX.Element | null {
  const troubled = [...latest.functions].filter(([, { status }]) => status !== 'healthy')
  if (troubled.length === 0) return null
  return (
    <section class="block" aria-label="Functions that are not healthy">
      <h3 class="block-title">Functions</h3>
      <dl class="pairs">
        {troubled.map(([name, { status, message }]) => (
          <div key={name}>
            <dt>
              <code>{name}</code>
            </dt>
            <dd>
              <span class={`state is-${status}`}>{status}</span> {message}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}

function HealthDot(): JSX.Element {
  const { health } = useExplorer()
  const samples = useCell(health.samples)
  useEffect(() => health.watch(GLANCE_MS), [])
  const status = samples.at(-1)?.status ?? 'unknown'
  return (
    <>
      <span class={`dot is-${status}`} aria-hidden="true" />
      <span class="unseen">{status}: </span>
    </>
  )
}
