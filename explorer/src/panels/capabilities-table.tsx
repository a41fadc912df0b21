import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { PictureCapability } from '../model/capability-picture.ts'
import { StateTag } from './capabilities-state.tsx'

const CHUNK = 100

/** Says everything the picture shows in words, row by row. */
export function CapabilityTable({
  capabilities,
}: {
  readonly capabilities: readonly PictureCapability[]
}): JSX.Element {
  const [shown, setShown] = useState(CHUNK)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable without a mouse
    <section class="cap-table" tabIndex={0} aria-label="Capabilities as a table">
      <table>
        <thead>
          <tr>
            <th scope="col">Capability</th>
            <th scope="col">State</th>
            <th scope="col">Why</th>
            <th scope="col">Operations</th>
          </tr>
        </thead>
        <tbody>
          {capabilities.slice(0, shown).map((capability) => (
            <Row key={capability.name} capability={capability} />
          ))}
        </tbody>
      </table>
      {capabilities.length > shown && (
        <button type="button" class="quiet-button" onClick={() => setShown(shown + CHUNK * 5)}>
          Show more ({capabilities.length - shown} left)
        </button>
      )}
    </section>
  )
}

function Row({ capability }: { readonly capability: PictureCapability }): JSX.Element {
  const { name, parents, state, reason, operations } = capability
  return (
    <tr>
      <th scope="row">
        <code>{name}</code>
        {parents && <span class="cap-extends">extends {parents.join(', ')}</span>}
      </th>
      <td>
        <StateTag mood={state} />
      </td>
      <td>{reason}</td>
      <td>
        <ul>
          {operations.map(({ id, callable, summary }) => (
            <li key={id}>
              <code>{id}</code> <span>{callable ? summary : `not callable: ${summary}`}</span>
            </li>
          ))}
        </ul>
        {operations.length === 0 && (parents ? 'owns none' : 'none')}
      </td>
    </tr>
  )
}
