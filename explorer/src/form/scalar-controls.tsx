import type { JSX, TargetedInputEvent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { parseExactly } from '../model/exact-json.ts'
import { readBase64 } from '../model/save.ts'
import type { SchemaObject } from '../model/types.ts'
import { type ControlProps, useForm } from './field-context.ts'

type Props = ControlProps & { readonly schema: SchemaObject }

const INPUT_TYPES: Readonly<Record<string, 'date' | 'email' | 'url' | 'password'>> = {
  date: 'date',
  email: 'email',
  uri: 'url',
  password: 'password',
}
const EXAMPLES: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T09:00:00Z',
  uuid: '123e4567-e89b-12d3-a456-426614174000',
  uri: 'https://example.com',
  email: 'name@example.com',
  duration: 'P1DT2H',
  ipv4: '192.0.2.1',
  hostname: 'example.com',
}

/** Edits text, with the keyboard and picker its format asks for. */
export function TextControl({ schema, value, path, ...field }: Props): JSX.Element {
  const { change } = useForm()
  const text = toText(value)
  const shared = {
    id: field.id,
    value: text,
    placeholder: toPlaceholder(schema),
    'aria-label': field.label,
    'aria-invalid': field.invalid,
    'aria-describedby': field.describedBy,
    spellcheck: false,
    dir: 'auto',
    autocomplete: 'off',
    onInput: (event: TargetedInputEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      change(path, event.currentTarget.value),
  } as const
  if (takesFile(schema))
    return (
      <div class="control-row">
        <input {...shared} type="text" placeholder="base64" />
        <FilePicker
          name={field.label ?? String(path.at(-1))}
          onRead={(data) => change(path, data)}
        />
      </div>
    )
  if (isLong(schema, text))
    return <textarea {...shared} rows={Math.min(12, text.split('\n').length + 2)} />
  const type = (
    schema.writeOnly ? 'password' : (INPUT_TYPES[schema.format ?? ''] ?? 'text')
  ) as 'text'
  return (
    <div class="control-row">
      <input {...shared} type={type} />
      {schema.format === 'date-time' && (
        <button
          type="button"
          class="quiet-button"
          onClick={() => change(path, new Date().toISOString())}
        >
          Now
        </button>
      )}
    </div>
  )
}

/** Makes base64 from a file. */
function FilePicker({
  name,
  onRead,
}: {
  readonly name: string
  readonly onRead: (data: string) => void
}): JSX.Element {
  return (
    <input
      type="file"
      aria-label={`Choose a file for ${name}`}
      onChange={({ currentTarget: { files } }) => {
        const [file] = files ?? []
        if (file) void readBase64(file).then(onRead)
      }}
    />
  )
}

/** Edits a number as text, so that nothing typed is lost; what is no number is sent as typed and refused there. */
export function NumberControl({ schema, value, path, ...field }: Props): JSX.Element {
  const { change } = useForm()
  const [typed, setTyped] = useState(toText(value))
  useEffect(() => {
    if (toJson(toNumber(typed)) !== toJson(value)) setTyped(toText(value))
  }, [value])
  return (
    <input
      id={field.id}
      type="text"
      inputMode={schema.type === 'integer' ? 'numeric' : 'decimal'}
      class="short"
      value={typed}
      placeholder={toPlaceholder(schema)}
      aria-label={field.label}
      aria-invalid={field.invalid}
      aria-describedby={field.describedBy}
      autocomplete="off"
      onInput={(event) => {
        setTyped(event.currentTarget.value)
        change(path, toNumber(event.currentTarget.value))
      }}
    />
  )
}

/** Chooses yes or no; neither is chosen while the value is null. */
export function BooleanControl({ value, path, ...field }: Props): JSX.Element {
  const { change } = useForm()
  return (
    <div
      class="pills"
      role="radiogroup"
      id={field.id}
      aria-describedby={field.describedBy}
      aria-label="true or false"
    >
      {[true, false].map((choice) => (
        <label key={JSON.stringify(choice)} class="pill">
          <input
            type="radio"
            name={field.id}
            checked={value === choice}
            onChange={() => change(path, choice)}
          />
          <span>{String(choice)}</span>
        </label>
      ))}
    </div>
  )
}

/** Chooses one of the values a schema lists. */
export function ChoiceControl({ schema, value, path, ...field }: Props): JSX.Element {
  const { change } = useForm()
  const choices = schema.enum ?? []
  const current = choices.indexOf(value)
  return (
    <select
      id={field.id}
      value={String(current)}
      aria-label={field.label}
      aria-invalid={field.invalid}
      aria-describedby={field.describedBy}
      onChange={(event) => {
        const choice = Number(event.currentTarget.value)
        if (choice >= 0) change(path, choices[choice])
      }}
    >
      {current === -1 && <option value="-1">Choose…</option>}
      {choices.map((choice, at) => (
        <option key={JSON.stringify(choice)} value={String(at)}>
          {toText(choice) || JSON.stringify(choice)}
        </option>
      ))}
    </select>
  )
}

/** Edits any JSON value as text. */
export function JsonControl({ value, path, ...field }: Props): JSX.Element {
  const { change } = useForm()
  const [typed, setTyped] = useState(toJson(value))
  const [broken, setBroken] = useState(false)
  useEffect(() => {
    if (!broken && toJson(parse(typed)) !== toJson(value)) setTyped(toJson(value))
  }, [value])
  const edit = (text: string) => {
    setTyped(text)
    const parsed = parse(text)
    setBroken(parsed === undefined)
    if (parsed !== undefined) change(path, parsed)
  }
  return (
    <>
      <textarea
        id={field.id}
        class="mono"
        rows={Math.min(12, typed.split('\n').length + 1)}
        value={typed}
        placeholder="Any JSON value"
        aria-label={field.label}
        aria-invalid={field.invalid || broken}
        aria-describedby={field.describedBy}
        spellcheck={false}
        onInput={(event) => edit(event.currentTarget.value)}
      />
      {broken && <p class="field-error">Not valid JSON yet; the last valid value is kept.</p>}
    </>
  )
}

function toText(value: unknown): string {
  if (value === null || value === undefined) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** A kept number is an object: see `parseExactly`. */
function toNumber(text: string): unknown {
  if (text.trim() === '') return null
  if (/^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(text)) return parseExactly(text)
  const number = Number(text)
  return Number.isFinite(number) ? number : text
}

function toJson(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

function parse(text: string): unknown {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

function toPlaceholder({ examples, format }: SchemaObject): string {
  const [example] = examples ?? []
  return example === undefined ? (EXAMPLES[format ?? ''] ?? '') : toText(example)
}

/** `byte` and `binary` are how OpenAPI 3.0 says it. */
function takesFile({ contentEncoding, format }: SchemaObject): boolean {
  return contentEncoding === 'base64' || format === 'byte' || format === 'binary'
}

function isLong({ maxLength = 0, format, contentMediaType }: SchemaObject, text: string): boolean {
  if (format === 'password') return false
  return (
    maxLength > 300 ||
    contentMediaType !== undefined ||
    format === 'markdown' ||
    text.includes('\n')
  )
}
