import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { isRecord } from '../../../src/values/json.ts'
import type { Schema, SchemaObject } from '../model/types.ts'
import { IconButton } from '../view/controls.tsx'
import { Prose } from '../view/prose.tsx'
import {
  ListControl,
  MapControl,
  ObjectControl,
  TupleControl,
  VariantControl,
} from './compound-controls.tsx'
import {
  type ControlProps,
  type FieldProps,
  toFieldId,
  toPointer,
  useForm,
} from './field-context.ts'
import {
  BooleanControl,
  ChoiceControl,
  JsonControl,
  NumberControl,
  TextControl,
} from './scalar-controls.tsx'
import {
  describeRules,
  describeType,
  type FieldKind,
  isNullable,
  resolveSchema,
  toFieldKind,
} from './schema.ts'
import { getAt, startValue } from './value.ts'

const CONTROLS: Readonly<
  Record<
    Exclude<FieldKind, 'fixed'>,
    (props: ControlProps & { readonly schema: SchemaObject }) => JSX.Element
  >
> = {
  text: TextControl,
  number: NumberControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  object: ObjectControl,
  map: MapControl,
  list: ListControl,
  tuple: TupleControl,
  variants: VariantControl,
  json: JsonControl,
}
const GROUPS = new Set<FieldKind>(['object', 'map', 'list', 'tuple', 'variants', 'boolean'])

/** Levels of required members that are drawn before anybody fills them in. */
const UNFOLDED = 4

/** One value of the arguments: its name, what it means, a control, and what is wrong with it. */
export function Field({ schema, path, name, value, required, onRemove }: FieldProps): JSX.Element {
  const { root, failures } = useForm()
  const resolved = resolveSchema(schema, root)
  const kind = toFieldKind(resolved)
  const id = toFieldId(path)
  const pointer = toPointer(path)
  const own = failures.filter((failure) => failure.path === pointer)
  const describedBy = own.length > 0 ? `${id}-error` : undefined
  const isGroup = GROUPS.has(kind)
  return (
    <div
      class={`field ${own.length > 0 ? 'is-invalid' : ''}`}
      {...(isGroup && { role: 'group', 'aria-label': name })}
      data-pointer={pointer}
    >
      <div class="field-head">
        {isGroup ? (
          <span class="field-name">{name}</span>
        ) : (
          <label class="field-name" for={id}>
            {name}
          </label>
        )}
        {kind !== 'fixed' && <span class="field-type">{describeType(schema, root)}</span>}
        {required && <span class="required">required</span>}
        {resolved.deprecated && <span class="badge warn">deprecated</span>}
        <FieldActions {...{ schema, path, name, value, onRemove }} />
      </div>
      {resolved.description && <Prose text={resolved.description} class="field-help" />}
      <Control {...{ id, path, value, describedBy, schema }} invalid={own.length > 0} />
      {own.length > 0 && (
        <p class="field-error" id={`${id}-error`}>
          {own.map(({ message }) => message).join('; ')}
        </p>
      )}
      <Rules schema={resolved} />
    </div>
  )
}

/** The control for a schema, or the word null where that is the value. */
export function Control({
  schema,
  ...props
}: ControlProps & { readonly schema: Schema | undefined }): JSX.Element {
  const { root, change } = useForm()
  const resolved = resolveSchema(schema, root)
  const kind = toFieldKind(resolved)
  // What is not there yet is unfolded only so far: a schema may require itself.
  const isFar = props.path.length >= UNFOLDED && GROUPS.has(kind) && kind !== 'boolean'
  if (props.value === null && (isFar || isNullable(schema, root))) {
    return (
      <button
        type="button"
        id={props.id}
        class="null-value"
        onClick={() => change(props.path, startValue(resolved, root))}
      >
        <code>null</code> · enter a value
      </button>
    )
  }
  if (kind === 'fixed') return <FixedControl {...props} schema={resolved} />
  const Chosen = CONTROLS[kind]
  return <Chosen {...props} schema={resolved} />
}

function FixedControl({
  schema,
  value,
  path,
  id,
}: ControlProps & { readonly schema: SchemaObject }): JSX.Element {
  const { change, value: all } = useForm()
  const parent = getAt(all, path.slice(0, -1))
  const missing = isRecord(parent) && !Object.hasOwn(parent, path.at(-1) ?? '')
  // Whoever fills in a member of an alternative means that alternative; its mark comes along by itself.
  useEffect(() => {
    if (missing && path.length > 1) change(path, schema.const)
  }, [missing])
  const set = JSON.stringify(value) === JSON.stringify(schema.const)
  return (
    <div class="control-row">
      <code id={id} class="fixed">
        {JSON.stringify(schema.const)}
      </code>
      {!set && (
        <button type="button" class="quiet-button" onClick={() => change(path, schema.const)}>
          Use it
        </button>
      )}
    </div>
  )
}

function FieldActions({
  schema,
  path,
  name,
  value,
  onRemove,
}: Pick<FieldProps, 'schema' | 'path' | 'name' | 'value' | 'onRemove'>): JSX.Element {
  const { root, change } = useForm()
  return (
    <span class="field-actions">
      {isNullable(schema, root) && value !== null && (
        <button
          type="button"
          class="quiet-button"
          aria-label={`Set ${name} to null`}
          onClick={() => change(path, null)}
        >
          null
        </button>
      )}
      {onRemove && <IconButton icon="close" label={`Remove ${name}`} onClick={onRemove} />}
    </span>
  )
}

function Rules({ schema }: { readonly schema: SchemaObject }): JSX.Element | null {
  const rules = describeRules(schema)
  if (rules.length === 0) return null
  return <p class="field-rules">{rules.join(' · ')}</p>
}
