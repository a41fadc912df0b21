import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { ArgumentForm } from '../form/argument-form.tsx'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import type { FunctionFacts } from '../model/forrst.ts'
import { formatToolRoute } from '../model/route.ts'
import { toLabel } from '../model/search.ts'
import { hideSecrets } from '../model/secrets.ts'
import { parseArguments, type Session } from '../model/session.ts'
import type { Load } from '../model/types.ts'
import { Badges, StabilityBadges } from './badges.tsx'
import { Boundary } from './boundary.tsx'
import { ConsoleView } from './console-view.tsx'
import { CopyButton, Trouble } from './controls.tsx'
import { Icon } from './icon.tsx'
import { Prose } from './prose.tsx'
import { ReferenceView } from './reference-view.tsx'

/** Everything about one tool: what it is, its form, and a console to try it. */
export function ToolView({
  tool,
  args,
}: {
  readonly tool: string
  readonly args: string | undefined
}): JSX.Element {
  const { openSession } = useExplorer()
  const [load, setLoad] = useState<Load<Session>>({ state: 'loading' })
  const open = () => {
    setLoad({ state: 'loading' })
    openSession(tool).then(
      (session) => {
        if (args !== undefined) loadArguments(session, args)
        setLoad({ state: 'ready', value: session })
      },
      (thrown: Error) => setLoad({ state: 'failed', reason: thrown.message }),
    )
  }
  useEffect(open, [tool, args])
  if (load.state === 'loading')
    return (
      <p class="list-note" role="status">
        Loading {tool}…
      </p>
    )
  if (load.state === 'failed') return <Trouble reason={load.reason} onRetry={open} />
  return <OpenTool key={tool} session={load.value} />
}

function OpenTool({ session }: { readonly session: Session }): JSX.Element {
  const { service } = useExplorer()
  const facts = useCell(service)
  const versions = facts?.functions.get(toLabel(session.detail, facts.functions)) ?? []
  const current =
    versions.findLast(({ stability }) => stability === undefined || stability === 'stable') ??
    versions.at(-1)
  return (
    <div class="tool-view">
      <div class="reading">
        <ToolHead session={session} facts={current} />
        <section class="block" aria-label="Arguments">
          <h3 class="block-title">Arguments</h3>
          <Boundary name="The form">
            <ArgumentForm session={session} />
          </Boundary>
        </section>
        <div class="reference">
          <Boundary name="The schema">
            <ReferenceView
              detail={session.detail}
              facts={current}
              versions={versions}
              root={facts?.root}
            />
          </Boundary>
        </div>
      </div>
      <ConsoleView session={session} facts={current} />
    </div>
  )
}

function ToolHead({
  session,
  facts,
}: {
  readonly session: Session
  readonly facts: FunctionFacts | undefined
}): JSX.Element {
  const { detail } = session
  const label = facts?.name ?? toLabel(detail, undefined)
  const description = facts?.description ?? detail.description
  return (
    <header class="tool-head">
      <h2 dir="auto">{label}</h2>
      <p class="tool-meta">
        {facts && <span class="version">v{facts.version}</span>}
        <StabilityBadges facts={facts} />
        <Badges annotations={detail.annotations} />
        {label !== detail.name && <code title="The name agents use">{detail.name}</code>}
        <CopyButton text={() => toLink(session)} label="Link" />
      </p>
      <Deprecation facts={facts} />
      {description && <Prose text={description} />}
    </header>
  )
}

function Deprecation({ facts }: { readonly facts: FunctionFacts | undefined }): JSX.Element | null {
  if (facts?.deprecated === undefined) return null
  const { reason, sunset } = facts.deprecated
  return (
    <p class="deprecation">
      <Icon name="warning" />
      <span>
        <strong>Deprecated.</strong> {reason} {sunset && `It goes away on ${sunset}.`}
      </span>
    </p>
  )
}

/** An address that opens this tool with the arguments as they are now, secrets aside: links are sent around. */
function toLink({ detail, text }: Session): string {
  const parsed = parseArguments(text.get())
  const args = parsed.ok ? hideSecrets(JSON.stringify(parsed.value), detail.inputSchema) : '{}'
  return new URL(formatToolRoute(detail.name, args === '{}' ? undefined : args), location.href).href
}

function loadArguments(session: Session, args: string): void {
  const parsed = parseArguments(args)
  if (parsed.ok) session.load(parsed.value)
  else session.edit(args)
}
