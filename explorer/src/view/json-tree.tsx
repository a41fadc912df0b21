import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { hasMembers, isExactNumber } from '../model/exact-json.ts'

/** Members shown before somebody asks for more. */
const CHUNK = 100
const OPEN_DEPTH = 4
/** Lines that are open at first, shared out among the branches. */
const ROOM = 3000
/** Characters of a text shown before somebody asks for more. */
const MAX_TEXT = 5000

/** Shows a JSON value as indented text whose parts fold away. */
export function JsonTree({ value }: { readonly value: unknown }): JSX.Element {
  return (
    <div class="tree">
      <Node value={value} depth={0} room={ROOM} last />
    </div>
  )
}

interface NodeProps {
  readonly value: unknown
  readonly depth: number
  readonly room: number
  readonly name?: string
  readonly last: boolean
}

function Node(props: NodeProps): JSX.Element {
  const { value, name, last } = props
  if (Array.isArray(value) && value.length > 0) return <Branch {...props} brackets="[]" />
  if (hasMembers(value) && Object.keys(value).length > 0) return <Branch {...props} brackets="{}" />
  return (
    <div class="tree-line">
      <Name name={name} />
      <Leaf value={value} />
      {!last && ','}
    </div>
  )
}

function Branch({
  value,
  depth,
  room,
  name,
  last,
  brackets,
}: NodeProps & { readonly brackets: string }): JSX.Element {
  const isList = Array.isArray(value)
  const members = Object.entries(value as object)
  const drawn = Math.min(members.length, CHUNK)
  const [open, setOpen] = useState(depth < OPEN_DEPTH && drawn <= room)
  const [shown, setShown] = useState(CHUNK)
  const end = `${brackets[1]}${last ? '' : ','}`
  const toggle = (
    <button
      type="button"
      class="tree-toggle"
      aria-expanded={open}
      aria-label={`${open ? 'Fold' : 'Unfold'} ${name ?? 'value'}`}
      onClick={() => setOpen(!open)}
    />
  )
  if (!open) {
    return (
      <div class="tree-line">
        {toggle}
        <Name name={name} />
        {brackets[0]}{' '}
        <span class="tree-count">
          {members.length} {isList ? 'items' : 'members'}
        </span>{' '}
        {end}
      </div>
    )
  }
  return (
    <>
      <div class="tree-line">
        {toggle}
        <Name name={name} />
        {brackets[0]}
      </div>
      <div class="tree-inner">
        {members.slice(0, shown).map(([key, member], at) => (
          <Node
            key={key}
            value={member}
            depth={depth + 1}
            room={room / drawn}
            {...(!isList && { name: key })}
            last={at === members.length - 1}
          />
        ))}
        {members.length > shown && (
          <button type="button" class="quiet-button" onClick={() => setShown(shown + CHUNK * 5)}>
            Show more ({members.length - shown} left)
          </button>
        )}
      </div>
      <div class="tree-line">{end}</div>
    </>
  )
}

function Name({ name }: { readonly name: string | undefined }): JSX.Element | null {
  if (name === undefined) return null
  return (
    <>
      <span class="j-key">{JSON.stringify(name)}</span>
      {': '}
    </>
  )
}

function Leaf({ value }: { readonly value: unknown }): JSX.Element {
  const text = JSON.stringify(value) ?? 'undefined'
  if (typeof value === 'string') return <TextLeaf text={text} />
  const isNumber = typeof value === 'number' || isExactNumber(value)
  return <span class={isNumber ? 'j-number' : 'j-word'}>{text}</span>
}

function TextLeaf({ text }: { readonly text: string }): JSX.Element {
  const [shown, setShown] = useState(MAX_TEXT)
  return (
    <>
      <bdi class="j-string">{text.slice(0, shown)}</bdi>
      {text.length > shown && (
        <button type="button" class="quiet-button" onClick={() => setShown(shown * 20)}>
          … {(text.length - shown).toLocaleString('en')} characters left
        </button>
      )}
    </>
  )
}
