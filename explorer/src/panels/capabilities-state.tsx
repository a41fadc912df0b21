import type { JSX } from 'preact'
import type { CapabilityState } from '../model/capability-picture.ts'
import { Icon, type IconName, iconPath } from '../view/icon.tsx'

/** What a part of the picture can be; colour, sign and word go together. */
export type Mood = CapabilityState | 'callable' | 'uncallable'

const SIGNS: Readonly<Record<Mood, { readonly icon: IconName; readonly word: string }>> = {
  active: { icon: 'check', word: 'active' },
  excluded: { icon: 'close', word: 'excluded' },
  pruned: { icon: 'cut', word: 'pruned' },
  missing: { icon: 'info', word: 'missing' },
  callable: { icon: 'play', word: 'callable' },
  uncallable: { icon: 'stop', word: 'not callable' },
}

/** Gives the word for a state. */
export function wordOf(mood: Mood): string {
  return SIGNS[mood].word
}

/** Shows a state as sign and word. */
export function StateTag({ mood }: { readonly mood: Mood }): JSX.Element {
  return (
    <span class={`cap-tag is-${mood}`}>
      <Icon name={SIGNS[mood].icon} size={12} />
      {SIGNS[mood].word}
    </span>
  )
}

/** Draws the sign of a state inside the picture. */
export function StateSign({
  mood,
  x,
  y,
  radius,
}: {
  readonly mood: Mood
  readonly x: number
  readonly y: number
  readonly radius: number
}): JSX.Element {
  const scale = radius / 11
  return (
    <g class="cap-sign" transform={`translate(${x} ${y})`}>
      <circle r={radius} />
      <path transform={`scale(${scale}) translate(-8 -8)`} d={iconPath(SIGNS[mood].icon)} />
    </g>
  )
}
