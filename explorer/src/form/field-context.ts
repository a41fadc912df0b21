import { createContext, type JSX } from 'preact'
import { useContext } from 'preact/hooks'
import { formatPointer } from '../../../src/values/json.ts'
import type { Failure, Schema } from '../model/types.ts'
import type { Path } from './value.ts'

/** What a field is told about itself. */
export interface FieldProps {
  readonly schema: Schema | undefined
  readonly path: Path
  readonly name: string
  readonly value: unknown
  readonly required: boolean
  /** Takes the field away; a required one has no such thing. */
  readonly onRemove?: (() => void) | undefined
}

/** What every field of a form shares. */
export interface FormContext {
  /** Draws a field; here, because fields hold controls that hold fields. */
  readonly Field: (props: FieldProps) => JSX.Element
  /** Draws only the control of a field. */
  readonly Control: (props: ControlProps & { readonly schema: Schema | undefined }) => JSX.Element
  /** All the arguments. */
  readonly value: unknown
  /** The whole schema, for references. */
  readonly root: Schema
  readonly failures: readonly Failure[]
  readonly change: (path: Path, next: unknown) => void
}

const Context = createContext<FormContext | undefined>(undefined)

/** Hands what fields share to the fields below. */
export const FormProvider = Context.Provider

/** Gives a field what it shares with the others. */
export function useForm(): FormContext {
  const form = useContext(Context)
  if (form === undefined) throw new Error('no form above this field')
  return form
}

/** Writes the way to a value as failures name it. */
export function toPointer(path: Path): string {
  return formatPointer(path.map(String))
}

/** Gives an element id for a path. */
export function toFieldId(path: Path): string {
  return `field${toPointer(path).replace(/[^\w-]/g, (character) => `_${character.charCodeAt(0)}`)}`
}

/** Moves the focus into a field once it is drawn: whoever works without a mouse would begin at the top again. */
export function focusField(path: Path): void {
  focusSoon(() => {
    const field = document.querySelector(`[data-pointer=${JSON.stringify(toPointer(path))}]`)
    return (
      document.querySelector<HTMLElement>(
        `#${toFieldId(path)}:is(input, select, textarea, button)`,
      ) ??
      field?.querySelector<HTMLElement>(
        ':scope > :not(.field-head) :is(input, select, textarea, button)',
      )
    )
  })
}

/** Moves the focus to something that the next frame draws. */
export function focusSoon(find: () => HTMLElement | null | undefined): void {
  requestAnimationFrame(() => find()?.focus())
}

/** What a control is handed. */
export interface ControlProps {
  readonly id: string
  readonly path: Path
  readonly value: unknown
  readonly invalid: boolean
  readonly describedBy: string | undefined
  /** The name of a control that has no label element of its own. */
  readonly label?: string
}
