import type { JSX } from 'preact'
import type { Schema } from '../model/types.ts'
import { Icon } from '../view/icon.tsx'
import { useForm } from './field-context.ts'
import { describeType, resolveSchema } from './schema.ts'

/** Offers a field that is not among the arguments. */
export function AbsentField({
  schema,
  name,
  id,
  onAdd,
}: {
  readonly schema: Schema | undefined
  readonly name: string
  readonly id: string
  readonly onAdd: () => void
}): JSX.Element {
  const { root } = useForm()
  const { description, title } = resolveSchema(schema, root)
  return (
    <button type="button" id={id} class="absent-field" onClick={onAdd}>
      <Icon name="plus" size={14} />
      <span class="unseen">Add </span>
      <span class="field-name">{name}</span>
      <span class="field-type">{describeType(schema, root)}</span>
      <span class="absent-help">{description ?? title ?? ''}</span>
    </button>
  )
}
