import type { JSX } from 'preact'
import type { Picture } from '../model/capability-picture.ts'
import type { Judgement, Remark } from '../model/judgement.ts'
import { Icon } from '../view/icon.tsx'
import { StateTag } from './capabilities-state.tsx'

const MAX_SHOWN = 40
const MAX_FOREIGN = 8

const MEANINGS = [
  ['active', 'both sides have it in one version'],
  ['excluded', 'one side lacks it, or its entry does not count'],
  ['pruned', 'an extension of which nothing is left to extend'],
] as const

/** Says in a sentence and three numbers what the profile comes to; the numbers are the key to the picture. */
export function Verdict({ judgement }: { readonly judgement: Judgement }): JSX.Element {
  return (
    <section class="verdict-card" aria-label="Result" id="verdict">
      <div role="status">
        <Headline judgement={judgement} />
        {judgement.state === 'refused' && <RemarkList remarks={judgement.remarks} />}
      </div>
      {judgement.state === 'judged' && <Key picture={judgement.picture} />}
      {judgement.state === 'judged' && <Foreign names={judgement.picture.foreign} />}
    </section>
  )
}

function Headline({ judgement }: { readonly judgement: Judgement }): JSX.Element {
  if (judgement.state === 'empty') {
    return (
      <>
        <h3>Whose profile?</h3>
        <p class="hint">
          Paste the profile of a platform, drop a file on the text, or start with this service’s own
          to see everything it offers. Nothing leaves this page.
        </p>
      </>
    )
  }
  const { picture } = judgement.state === 'judged' ? judgement : {}
  const good = picture?.capabilities.some(({ state }) => state === 'active')
  return (
    <h3 class={good ? 'is-good' : 'is-bad'}>
      <Icon name={good ? 'check' : 'warning'} />
      {judgement.headline}
      {picture && <span class="version">protocol {picture.protocolVersion}</span>}
    </h3>
  )
}

function Key({ picture }: { readonly picture: Picture }): JSX.Element {
  return (
    <ul class="cap-key">
      {MEANINGS.map(([mood, meaning]) => (
        <li key={mood}>
          <strong>{picture.capabilities.filter(({ state }) => state === mood).length}</strong>
          <StateTag mood={mood} />
          <span>{meaning}</span>
        </li>
      ))}
    </ul>
  )
}

function Foreign({ names }: { readonly names: readonly string[] }): JSX.Element | null {
  if (names.length === 0) return null
  const more = names.length - MAX_FOREIGN
  return (
    <p class="hint cap-foreign">
      The platform also has, and this service does not offer:{' '}
      {names.slice(0, MAX_FOREIGN).map((name) => (
        <code key={name}>{name}</code>
      ))}
      {more > 0 && ` and ${more} more`}
    </p>
  )
}

/** Lists what is remarkable about the two profiles and their documents. */
export function Remarks({ remarks }: { readonly remarks: readonly Remark[] }): JSX.Element | null {
  if (remarks.length === 0) return null
  const grave = remarks.some(({ severity }) => severity !== 'info')
  return (
    <details class="card cap-remarks" open={grave}>
      <summary>
        {remarks.length} {remarks.length === 1 ? 'remark' : 'remarks'} on the way
      </summary>
      <RemarkList remarks={remarks} />
    </details>
  )
}

function RemarkList({ remarks }: { readonly remarks: readonly Remark[] }): JSX.Element {
  const more = remarks.length - MAX_SHOWN
  return (
    <ul class="remark-list">
      {remarks.slice(0, MAX_SHOWN).map(({ severity, place, message }) => (
        <li>
          <span
            class={`badge ${severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : ''}`}
          >
            {severity}
          </span>
          <span>
            {place && <code>{place}</code>} {message}
          </span>
        </li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  )
}
