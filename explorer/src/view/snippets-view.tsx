import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import type { FunctionFacts } from '../model/forrst.ts'
import { parseArguments, type Session } from '../model/session.ts'
import { type SnippetCall, toCommand, toCurl, toFetch, toMcpClient } from '../model/snippets.ts'
import { Card, CopyButton, TabPanel, Tabs } from './controls.tsx'

const WRITERS: Readonly<Record<string, (call: SnippetCall) => string>> = {
  curl: toCurl,
  fetch: toFetch,
  mcp: toMcpClient,
  cli: toCommand,
}
const TABS = [
  { id: 'curl', label: 'cURL' },
  { id: 'fetch', label: 'TypeScript' },
  { id: 'mcp', label: 'MCP client' },
]

/** The call as code to take along. */
export function SnippetsView({
  session,
  facts,
}: {
  readonly session: Session
  readonly facts: FunctionFacts | undefined
}): JSX.Element {
  const { api, credentials } = useExplorer()
  const [tab, setTab] = useState('curl')
  const text = useCell(session.text)
  // Both change what is written below.
  useCell(credentials.token)
  useCell(credentials.extra)
  // The command line speaks Forrst, which only a service does.
  const tabs = facts === undefined ? TABS : [...TABS, { id: 'cli', label: 'Command line' }]
  const parsed = parseArguments(text)
  const write = WRITERS[tab] ?? toCurl
  const snippet = write({
    url: api.callUrl(session.detail.name),
    mcpUrl: new URL('../mcp', `${location.origin}${api.base}/`).href,
    origin: location.origin,
    tool: session.detail.name,
    function: facts?.name ?? session.detail.name,
    body: parsed.ok ? JSON.stringify(parsed.value) : text,
    headers: Object.entries(credentials.headers()),
  })
  return (
    <Card title="Code" actions={<CopyButton text={() => snippet} />}>
      <Tabs label="Language" tabs={tabs} current={tab} onChange={setTab} />
      <TabPanel tabs={tabs} current={tab}>
        <pre class="code snippet">{snippet}</pre>
      </TabPanel>
    </Card>
  )
}
