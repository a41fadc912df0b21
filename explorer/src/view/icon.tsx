import type { JSX } from 'preact'

const PATHS = {
  search: 'M7 12.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11ZM11 11l3.5 3.5',
  key: 'M10.5 9.5a4 4 0 1 0-3.4-1.9L2 12.7V14.5h2.2v-1.6h1.6v-1.6h1.6l1.3-1.3M11 5h.01',
  sun: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6ZM8 1.2v1.4M8 13.4v1.4M1.2 8h1.4M13.4 8h1.4M3.2 3.2l1 1M11.8 11.8l1 1M3.2 12.8l1-1M11.8 4.2l1-1',
  moon: 'M13.8 9.6A6.2 6.2 0 0 1 6.4 2.2a6.2 6.2 0 1 0 7.4 7.4Z',
  chevron: 'M6 3.5 10.5 8 6 12.5',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  check: 'M3 8.5 6.5 12 13 4.5',
  download: 'M8 2.5v8M4.5 7 8 10.5 11.5 7M2.5 13.5h11',
  plus: 'M8 3v10M3 8h10',
  close: 'M4 4l8 8M12 4l-8 8',
  up: 'M8 12.5v-9M4 7.5l4-4 4 4',
  down: 'M8 3.5v9M4 8.5l4 4 4-4',
  play: 'M4.5 2.8v10.4L13 8z',
  stop: 'M4 4h8v8H4z',
  pulse: 'M1.5 8h3l2-5 3 10 2-5h3',
  layers: 'M8 2 14.5 5.5 8 9 1.5 5.5zM1.5 8.5 8 12l6.5-3.5M1.5 11.2 8 14.7l6.5-3.5',
  graph:
    'M3.5 6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM3.5 13.6a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM12.5 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6ZM5.3 4.4l5.6 2.8M5.3 11.6l5.6-2.8',
  cut: 'M4 6.2a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM4 13.8a2 2 0 1 0 0-4 2 2 0 0 0 0 4ZM5.6 5.4 14 12M5.6 10.6 14 4',
  home: 'M2.5 7.2 8 2.5l5.5 4.7V13.5h-3.8V9.8H6.3v3.7H2.5z',
  history: 'M2.2 8a5.8 5.8 0 1 0 1.7-4.1L2.2 5.6M2.2 2.4v3.2h3.2M8 5v3.2l2.2 1.4',
  link: 'M6.8 9.2a2.8 2.8 0 0 0 4 0l2-2a2.8 2.8 0 0 0-4-4l-.9.9M9.2 6.8a2.8 2.8 0 0 0-4 0l-2 2a2.8 2.8 0 0 0 4 4l.9-.9',
  warning: 'M8 2 15 14H1zM8 6.5v3.5M8 12h.01',
  info: 'M8 14.5a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13ZM8 7.3v4M8 4.8h.01',
  reset: 'M13.5 8A5.5 5.5 0 1 1 11.9 4.1L13.5 5.7M13.5 2.5v3.2h-3.2',
  bolt: 'M9 1.5 3 9h4.2L6.5 14.5 13 6.8H8.6z',
  menu: 'M2.5 4.5h11M2.5 8h11M2.5 11.5h11',
  flask: 'M6 1.8h4M6.7 1.8v4.4L2.6 13a1 1 0 0 0 .9 1.5h9a1 1 0 0 0 .9-1.5L9.3 6.2V1.8M4.6 10h6.8',
  arrow: 'M2.5 8h11M9 3.5 13.5 8 9 12.5',
  keyboard: 'M1.5 4h13v8.5h-13zM4 6.8h.01M6.7 6.8h.01M9.3 6.8h.01M12 6.8h.01M4.5 9.8h7',
} as const

/** The name of a drawing. */
export type IconName = keyof typeof PATHS

/** Gives the line of an icon, for drawings that are not its own. */
export function iconPath(name: IconName): string {
  return PATHS[name]
}

/** Draws an icon; it says nothing to screen readers, so its button must. */
export function Icon({
  name,
  size = 16,
}: {
  readonly name: IconName
  readonly size?: number
}): JSX.Element {
  return (
    <svg
      class="icon"
      width={size}
      height={size}
      viewBox="0 0 16 16"
      aria-hidden="true"
      focusable="false"
    >
      <path d={PATHS[name]} />
    </svg>
  )
}

/** The mark of Waymark. */
export function Mark(): JSX.Element {
  return (
    <svg
      class="mark"
      width="26"
      height="26"
      viewBox="0 0 32 32"
      aria-hidden="true"
      focusable="false"
    >
      <rect width="32" height="32" rx="8" />
      <path d="M7.5 10.5 12 22.5l4-9 4 9 4.5-12" />
    </svg>
  )
}
