import type { ComponentChildren, JSX } from 'preact'
import { useErrorBoundary } from 'preact/hooks'
import { Trouble } from './controls.tsx'

/** Keeps what cannot be drawn, such as a schema that is none, from taking the rest of the page along. */
export function Boundary({
  name,
  children,
}: {
  readonly name: string
  readonly children: ComponentChildren
}): JSX.Element {
  const thrown: unknown = useErrorBoundary()[0]
  if (thrown === undefined) return <>{children}</>
  const reason = thrown instanceof Error ? thrown.message : 'unknown'
  return <Trouble reason={`${name} cannot be shown: ${reason}`} />
}
