import type { ComponentChildren, JSX } from 'preact'
import type { FunctionFacts } from '../model/forrst.ts'
import type { Schema, ToolDetail } from '../model/types.ts'
import { CopyButton } from './controls.tsx'
import { JsonText } from './json-text.tsx'
import { SchemaView } from './schema-view.tsx'

/** What there is to know about a tool besides its form. */
export function ReferenceView({
  detail,
  facts,
  versions,
  root,
}: {
  readonly detail: ToolDetail
  readonly facts: FunctionFacts | undefined
  readonly versions: readonly FunctionFacts[]
  readonly root: Schema | undefined
}): JSX.Element {
  return (
    <>
      <Block
        title="Input schema"
        actions={<CopyButton text={() => format(detail.source)} label="Copy JSON" />}
      >
        <SchemaView schema={detail.inputSchema} root={detail.inputSchema} />
        <details class="raw">
          <summary>As JSON</summary>
          <pre class="code">
            <JsonText text={format(detail.source)} />
          </pre>
        </details>
      </Block>
      {facts?.result?.schema !== undefined && root !== undefined && (
        <Block title="Result">
          <SchemaView schema={facts.result.schema} root={root} />
        </Block>
      )}
      {facts !== undefined && facts.errors.length > 0 && <Errors facts={facts} />}
      <Behaviour detail={detail} facts={facts} />
      {versions.length > 0 && <Versions versions={versions} current={facts} />}
    </>
  )
}

function Block({
  title,
  actions,
  children,
}: {
  readonly title: string
  readonly actions?: ComponentChildren
  readonly children: ComponentChildren
}): JSX.Element {
  return (
    <section class="block" aria-label={title}>
      <div class="block-head">
        <h3 class="block-title">{title}</h3>
        {actions}
      </div>
      {children}
    </section>
  )
}

function Errors({ facts }: { readonly facts: FunctionFacts }): JSX.Element {
  return (
    <Block title="Errors">
      <dl class="pairs">
        {facts.errors.map(({ code, message }) => (
          <div key={code}>
            <dt>
              <code>{code}</code>
            </dt>
            <dd>{message}</dd>
          </div>
        ))}
      </dl>
    </Block>
  )
}

/** MCP's defaults for what a tool does not say: it may change, destroy, and reach out. */
const HINTS = [
  ['readOnlyHint', 'Only reads', false],
  ['destructiveHint', 'May destroy or overwrite', true],
  ['idempotentHint', 'Repeating changes nothing more', false],
  ['openWorldHint', 'Reaches outside systems', true],
] as const

function Behaviour({
  detail: { annotations = {} },
  facts,
}: {
  readonly detail: ToolDetail
  readonly facts: FunctionFacts | undefined
}): JSX.Element {
  return (
    <Block title="Behaviour">
      <dl class="pairs">
        {HINTS.map(([hint, label, assumed]) => {
          const said = annotations[hint]
          return (
            <div key={hint}>
              <dt>{label}</dt>
              <dd>
                {String(said ?? assumed)}
                {typeof said !== 'boolean' && (
                  <span class="assumed"> assumed, the tool does not say</span>
                )}
              </dd>
            </div>
          )
        })}
        {facts?.sideEffects !== undefined && facts.sideEffects.length > 0 && (
          <div>
            <dt>Side effects</dt>
            <dd class="choices">
              {facts.sideEffects.map((effect) => (
                <code key={effect}>{effect}</code>
              ))}
            </dd>
          </div>
        )}
      </dl>
    </Block>
  )
}

function Versions({
  versions,
  current,
}: {
  readonly versions: readonly FunctionFacts[]
  readonly current: FunctionFacts | undefined
}): JSX.Element {
  return (
    <Block title="Versions">
      <dl class="pairs">
        {versions.toReversed().map((facts) => (
          <div key={facts.version}>
            <dt>
              <code>{facts.version}</code>
            </dt>
            <dd>
              {facts.stability ?? 'stable'}
              {facts === current && <span class="assumed"> shown here</span>}
              {facts.deprecated && (
                <span class="assumed">
                  {' '}
                  {facts.deprecated.reason}{' '}
                  {facts.deprecated.sunset && `until ${facts.deprecated.sunset}`}
                </span>
              )}
            </dd>
          </div>
        ))}
      </dl>
    </Block>
  )
}

function format(value: unknown): string {
  return JSON.stringify(value, null, 2)
}
