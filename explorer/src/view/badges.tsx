import type { JSX } from 'preact'
import type { FunctionFacts } from '../model/forrst.ts'
import type { Annotations } from '../model/types.ts'

/** Shows the hints a tool really gives; what it leaves unsaid is not claimed. */
export function Badges({
  annotations = {},
}: {
  readonly annotations: Annotations | undefined
}): JSX.Element {
  return (
    <span class="badges">
      {annotations.readOnlyHint && <span class="badge good">readOnly</span>}
      {annotations.destructiveHint && <span class="badge bad">destructive</span>}
      {annotations.idempotentHint && <span class="badge note">idempotent</span>}
      {annotations.openWorldHint === false && <span class="badge">closedWorld</span>}
    </span>
  )
}

/** Shows how settled a function is. */
export function StabilityBadges({
  facts,
}: {
  readonly facts: FunctionFacts | undefined
}): JSX.Element | null {
  if (facts === undefined) return null
  const { stability, deprecated } = facts
  const unsettled = stability !== undefined && stability !== 'stable' && stability !== 'deprecated'
  return (
    <>
      {(deprecated || stability === 'deprecated') && <span class="badge warn">deprecated</span>}
      {unsettled && <span class="badge note">{stability}</span>}
    </>
  )
}
