import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { isRecord, toText } from '../../../src/values/json.ts'
import type { Schema, SchemaObject } from '../model/types.ts'
import { IconButton } from '../view/controls.tsx'
import { Icon } from '../view/icon.tsx'
import { AbsentField } from './absent-field.tsx'
import { type ControlProps, focusField, focusSoon, toFieldId, useForm } from './field-context.ts'
import { describeType, placesOf, resolveSchema, variantsOf } from './schema.ts'
import { chooseVariant, type Path, startValue } from './value.ts'

type Props = ControlProps & { readonly schema: SchemaObject }

/** Optional members offered before somebody asks for all. */
const OFFERED = 8

/** Edits the members of an object: those that are there, then those that could be. */
export function ObjectControl({ schema, value, path }: Props): JSX.Element {
  const { root, change, Field } = useForm()
  const [all, setAll] = useState(false)
  const members = isRecord(value) ? value : {}
  const required = new Set(schema.required)
  const properties = schema.properties ?? {}
  const names = [...new Set([...Object.keys(properties), ...required])].filter(
    (name) => !(isRecord(properties[name]) && properties[name].readOnly),
  )
  const present = names.filter((name) => required.has(name) || Object.hasOwn(members, name))
  const unknown = Object.keys(members).filter((name) => !names.includes(name))
  const absent = names.filter((name) => !present.includes(name))
  const remove = (name: string) => {
    change([...path, name], undefined)
    focusSoon(() => document.getElementById(toOfferId([...path, name])))
  }
  return (
    <div class="fields">
      {[...present, ...unknown].map((name) => (
        <Field
          key={name}
          schema={properties[name]}
          path={[...path, name]}
          name={name}
          value={members[name] ?? null}
          required={required.has(name)}
          onRemove={required.has(name) ? undefined : () => remove(name)}
        />
      ))}
      {absent.length > 0 && (
        <div class="absent-fields">
          {absent.slice(0, all ? absent.length : OFFERED).map((name) => (
            <AbsentField
              key={name}
              schema={properties[name]}
              name={name}
              id={toOfferId([...path, name])}
              onAdd={() => {
                change([...path, name], startValue(properties[name], root))
                focusField([...path, name])
              }}
            />
          ))}
          {!all && absent.length > OFFERED && (
            <button type="button" class="quiet-button" onClick={() => setAll(true)}>
              {absent.length - OFFERED} more optional fields
            </button>
          )}
        </div>
      )}
    </div>
  )
}

/** Edits an object whose names are free. */
export function MapControl({ schema, value, path }: Props): JSX.Element {
  const { root, change, Field } = useForm()
  const inner =
    typeof schema.additionalProperties === 'object' ? schema.additionalProperties : undefined
  const members = Object.entries(isRecord(value) ? value : {})
  const rename = (from: string, to: string) =>
    change(
      path,
      Object.fromEntries(members.map(([name, member]) => [name === from ? to : name, member])),
    )
  const add = () =>
    change(path, { ...Object.fromEntries(members), [freeName(members)]: startValue(inner, root) })
  return (
    <div class="fields">
      {members.map(([name, member], at) => (
        <div class="map-entry" key={at}>
          <input
            type="text"
            class="map-key"
            aria-label={`Name of entry ${at + 1}`}
            value={name}
            onChange={(event) => rename(name, event.currentTarget.value)}
          />
          <Field
            schema={inner}
            path={[...path, name]}
            name={name}
            value={member}
            required={false}
            onRemove={() => change([...path, name], undefined)}
          />
        </div>
      ))}
      <AddButton label="Add entry" onClick={add} />
    </div>
  )
}

/** Edits the items of a list. */
export function ListControl({ schema, value, path }: Props): JSX.Element {
  const { root, change, Field } = useForm()
  const inner = schema.items as Schema | undefined
  const items = Array.isArray(value) ? (value as readonly unknown[]) : []
  const swap = (from: number, to: number) => {
    const next = [...items]
    ;[next[from], next[to]] = [next[to], next[from]]
    change(path, next)
  }
  const remove = (at: number) => {
    change([...path, at], undefined)
    if (items.length > 1) focusField([...path, Math.min(at, items.length - 2)])
    else focusSoon(() => document.getElementById(toOfferId(path)))
  }
  return (
    <div class="fields">
      {items.map((item, at) => (
        <div class="list-item" key={at}>
          <Field
            schema={inner}
            path={[...path, at]}
            name={`item ${at + 1}`}
            value={item}
            required={false}
            onRemove={() => remove(at)}
          />
          <span class="list-moves">
            <IconButton
              icon="up"
              label={`Move item ${at + 1} up`}
              disabled={at === 0}
              onClick={() => swap(at, at - 1)}
            />
            <IconButton
              icon="down"
              label={`Move item ${at + 1} down`}
              disabled={at === items.length - 1}
              onClick={() => swap(at, at + 1)}
            />
          </span>
        </div>
      ))}
      <AddButton
        label="Add item"
        id={toOfferId(path)}
        onClick={() => {
          change(path, [...items, startValue(inner, root)])
          focusField([...path, items.length])
        }}
      />
    </div>
  )
}

/** Edits a list whose places have schemas of their own. */
export function TupleControl({ schema, value, path }: Props): JSX.Element {
  const { Field } = useForm()
  const items = Array.isArray(value) ? (value as readonly unknown[]) : []
  return (
    <div class="fields">
      {placesOf(schema).map((place, at) => (
        <Field
          key={at}
          schema={place}
          path={[...path, at]}
          name={
            (isRecord(place) && typeof place.title === 'string' && place.title) || `place ${at + 1}`
          }
          value={items[at] ?? null}
          required={false}
        />
      ))}
    </div>
  )
}

/** Chooses among alternatives, then edits the chosen one. */
export function VariantControl({ schema, ...field }: Props): JSX.Element {
  const { root, change, Control } = useForm()
  const { value, path, id } = field
  const variants = variantsOf(schema)
  const [picked, setPicked] = useState<number | undefined>(undefined)
  const current = picked ?? chooseVariant(variants, value, root)
  const { oneOf: _one, anyOf: _any, ...shared } = schema
  const chosen = { ...shared, ...resolveSchema(variants[current], root) }
  return (
    <div class="variant">
      <select
        id={id}
        aria-label="Alternative"
        value={String(current)}
        onChange={(event) => {
          const next = Number(event.currentTarget.value)
          setPicked(next)
          change(path, startValue(variants[next], root))
        }}
      >
        {variants.map((variant, at) => (
          <option key={at} value={String(at)}>
            {nameVariant(variant, root, at)}
          </option>
        ))}
      </select>
      <Control {...field} schema={chosen} id={`${id}-value`} label="Value" />
    </div>
  )
}

/** The id of the button that adds what is at a path, or to it. */
function toOfferId(path: Path): string {
  return `add-${toFieldId(path)}`
}

function AddButton({
  label,
  id,
  onClick,
}: {
  readonly label: string
  readonly id?: string
  readonly onClick: () => void
}): JSX.Element {
  return (
    <button type="button" id={id} class="quiet-button add" onClick={onClick}>
      <Icon name="plus" size={14} />
      {label}
    </button>
  )
}

function nameVariant(variant: Schema, root: Schema, at: number): string {
  const { title, properties = {} } = resolveSchema(variant, root)
  if (title !== undefined) return title
  const fixed = Object.values(properties).find(
    (property) => isRecord(property) && 'const' in property,
  )
  if (isRecord(fixed)) return toText(fixed.const)
  return `${at + 1}: ${describeType(variant, root)}`
}

function freeName(members: readonly (readonly [string, unknown])[]): string {
  const taken = new Set(members.map(([name]) => name))
  let count = members.length + 1
  while (taken.has(`key${count}`)) count += 1
  return `key${count}`
}
