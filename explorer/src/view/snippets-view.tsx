import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { useCell } from '../model/cell.ts'
import { useExplorer } from '../model/explorer.ts'
import { parseArguments, type Session } from '../model/session.ts'
import { type SnippetCall, toCurl, toFetch, toMcpClient } from '../model/snippets.ts'
import { Card, CopyButton, Tabs } from './controls.tsx'

const WRITERS: Readonly<Record<string, (call: SnippetCall) => string>> = {
  curl: toCurl,
  fetch: toFetch,
  mcp: toMcpClient,
}
const TABS = [
  { id: 'curl', label: 'cURL' },
  { id: 'fetch', label: 'TypeScript' },
  { id: 'mcp', label: 'MCP client' },
]

/** The call as code to take along. */
export function SnippetsView({ session }: { readonly session: Session }): JSX.Element {
  const { api, credentials } = useExplorer()
  const [tab, setTab] = useState('curl')
  const text = useCell(session.text)
  // Both change what is written below.
  useCell(credentials.token)
  useCell(credentials.extra)
  const parsed = parseArguments(text)
  const write = WRITERS[tab] ?? toCurl
  const snippet = write({
    url: api.callUrl(session.detail.name),
    mcpUrl: new URL('../mcp', `${location.origin}${api.base}/`).href,
    tool: session.detail.name,
    body: parsed.ok ? JSON.stringify(parsed.value) : text,
    headers: Object.entries(credentials.headers()),
  })
  return (
    <Card title="Code" actions={<CopyButton text={() => snippet} />}>
      <Tabs label="Language" tabs={TABS} current={tab} onChange={setTab} />
      <pre class="code snippet">{snippet}</pre>
    </Card>
  )
}
