// What the conformance suite starts as a client: a Waymark gateway in front of the server of the suite, with the official
// client behind it, so that everything the server asks for passes through.
import {
  Client,
  discoverOAuthProtectedResourceMetadata,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { createService } from '../../src/entries/waymark.ts'
import { connectMcpSource, type McpAuthorization } from '../../src/sources/mcp/index.ts'
import { listen } from './listen.ts'

const url = process.argv.at(-1) ?? ''
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Record<string, string>
const revision =
  process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'auto' : 'legacy'

/** A user who agrees at once: the authorization server of the suite redirects without asking. */
async function agree(asked: URL): Promise<URL> {
  const response = await fetch(asked, { redirect: 'manual' })
  return new URL(response.headers.get('location') ?? '')
}

/** A deployment knows its authorization server; the one of the suite gets a new port in each run. */
async function readIssuer(): Promise<string> {
  const { authorization_servers } = await discoverOAuthProtectedResourceMetadata(url)
  return authorization_servers?.[0] ?? ''
}

async function readAuthorization(): Promise<McpAuthorization> {
  const { client_id, client_secret, private_key_pem, signing_algorithm } = context
  const client = {
    ...(client_id !== undefined && { clientId: client_id }),
    ...(client_secret !== undefined && { clientSecret: client_secret }),
  }
  if (private_key_pem !== undefined) {
    return {
      ...client,
      privateKey: private_key_pem,
      algorithm: signing_algorithm ?? 'ES256',
      issuer: await readIssuer(),
    }
  }
  if (scenario.includes('client-credentials')) return { ...client, issuer: await readIssuer() }
  return {
    ...client,
    authorize: agree,
    clientMetadataUrl: 'https://conformance-test.local/client-metadata.json',
  }
}

const source = await connectMcpSource({
  name: 'suite',
  url,
  revision,
  // Many of these start at the same moment: the first attempt may take longer than a gateway would wait.
  startTimeoutMs: 60_000,
  auth: await readAuthorization(),
})
const service = createService({
  info: { title: 'Gateway', version: '1.0.0' },
  functions: source.functions(),
  onClose: source.close,
})
source.follow(service.registry)
const gateway = await listen(service, { ...source.offers, schemas: 'full' })
const client = new Client(
  { name: 'user', version: '1.0.0' },
  {
    capabilities: { elicitation: { form: { applyDefaults: true } } },
    versionNegotiation: { mode: 'legacy' },
  },
)
client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: {} }))
await client.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
const calls = (
  context as {
    readonly toolCalls?: readonly { name: string; arguments: Record<string, unknown> }[]
  }
).toolCalls
const { tools } = await client.listTools()
const asked =
  calls?.map(({ name, arguments: args }) => ({
    name: `suite__${name}`,
    // The gateway refuses null where the schema has none, so it never travels on: the user leaves it out.
    arguments: Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null)),
  })) ??
  tools.map(({ name, inputSchema }) => ({
    name,
    arguments: name.endsWith('json_schema_echo')
      ? { schema: tools.find((tool) => tool.name !== name)?.inputSchema }
      : toArguments(inputSchema),
  }))
for (const call of asked) {
  const result = await client.callTool(call).catch((error: unknown) => String(error))
  console.log(JSON.stringify([call, result]))
}
await client.close()
await gateway.close()
// Connections that fetch keeps for later would hold the process.
process.exit(tools.length > 0 ? 0 : 1)

/** Something for every required argument. */
function toArguments(schema: {
  readonly properties?: unknown
  readonly required?: unknown
}): Record<string, unknown> {
  const properties = (schema.properties ?? {}) as Record<string, { readonly type?: string }>
  const made = { number: 2, integer: 2, boolean: true, array: [], object: {} } as Record<
    string,
    unknown
  >
  return Object.fromEntries(
    ((schema.required ?? []) as string[]).map((key) => [
      key,
      made[properties[key]?.type ?? ''] ?? 'text',
    ]),
  )
}
