import type { JSX } from 'preact'
import { useCell } from '../model/cell.ts'
import type { Session } from '../model/session.ts'
import { Control, Field } from './field.tsx'
import { FormProvider, toFieldId } from './field-context.ts'
import { resolveSchema, toFieldKind } from './schema.ts'

/** The form of a tool, made from its schema and kept in step with the text. */
export function ArgumentForm({ session }: { readonly session: Session }): JSX.Element {
  const value = useCell(session.value)
  const verdict = useCell(session.verdict)
  const root = session.detail.inputSchema
  const failures = verdict?.state === 'invalid' ? verdict.errors : []
  const resolved = resolveSchema(root, root)
  const takesNothing =
    toFieldKind(resolved) === 'json' && Object.keys(resolved.properties ?? {}).length === 0
  return (
    <FormProvider value={{ Field, Control, value, root, failures, change: session.change }}>
      {takesNothing && (
        <p class="empty">This tool names no arguments. Anything it takes can be written as JSON.</p>
      )}
      {!takesNothing && (
        <Control
          schema={root}
          id={toFieldId([])}
          path={[]}
          value={value}
          invalid={false}
          describedBy={undefined}
          label="Arguments"
        />
      )}
    </FormProvider>
  )
}
