import type { JSX } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { type Judgement, judgeProfile } from '../model/judgement.ts'
import type { Business } from '../model/negotiation.ts'
import { Card, Trouble } from '../view/controls.tsx'
import { PlatformInput } from './capabilities-input.tsx'
import { CapabilityPicture } from './capabilities-picture.tsx'
import { CapabilityTable } from './capabilities-table.tsx'
import { Remarks, Verdict } from './capabilities-verdict.tsx'
import type { Panel } from './panel.ts'

/** What this service and a platform can do together, as a picture. */
export const capabilitiesPanel: Panel = {
  id: 'capabilities',
  title: 'Capabilities',
  icon: 'graph',
  probe: ({ negotiation }) => negotiation.probe(),
  View: CapabilitiesView,
}

function CapabilitiesView(): JSX.Element {
  const { negotiation } = useExplorer()
  const business = useCell(negotiation.business)
  useEffect(() => void negotiation.read(), [])
  return (
    <div class="panel capabilities">
      <header class="panel-head">
        <h2>Capabilities</h2>
        <p class="panel-lead">
          What this service and a platform can do together, worked out here in the page.
        </p>
      </header>
      {business.state === 'failed' && (
        <Trouble reason={business.reason} onRetry={() => void negotiation.read()} />
      )}
      {business.state === 'ready' && <Desk business={business.value} />}
    </div>
  )
}

function Desk({ business }: { readonly business: Business }): JSX.Element {
  const { negotiation } = useExplorer()
  const text = useCell(negotiation.platform)
  const judgement = useMemo(() => judgeProfile(text, business), [text, business])
  return (
    <>
      <div class="desk">
        <PlatformInput
          text={text}
          wrong={judgement.state === 'refused'}
          own={business.profile}
          onChange={negotiation.platform.set}
        />
        <Verdict judgement={judgement} />
      </div>
      <Outcome judgement={judgement} />
    </>
  )
}

function Outcome({ judgement }: { readonly judgement: Judgement }): JSX.Element | null {
  if (judgement.state !== 'judged') return null
  const { picture, remarks } = judgement
  return (
    <>
      <Card title="The picture">
        <CapabilityPicture capabilities={picture.capabilities} />
      </Card>
      <Card title="The same as a table">
        <CapabilityTable capabilities={picture.capabilities} />
      </Card>
      <Remarks remarks={remarks} />
    </>
  )
}
