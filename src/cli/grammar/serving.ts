import type { Command } from '../command.ts'
import { HEADER_FLAG, JSON_FLAG, listFlag, textFlag, toggleFlag } from '../flags.ts'
import { VERSION } from '../help.ts'

/** Writes a small service with a test. */
export const initCommand: Command = {
  name: 'init',
  summary: 'Write a small service with a test that passes',
  usage: '[folder]',
  flags: {
    name: textFlag('name', 'what the service is called; the folder when absent'),
    language: textFlag('ts|js', 'TypeScript or JavaScript'),
    waymark: textFlag('range', `range or file of the waymark package; default: ^${VERSION}`),
    yes: toggleFlag('ask nothing, use the defaults', { short: 'y' }),
    force: toggleFlag('write into a folder that is not empty; existing files stay'),
    json: JSON_FLAG,
  },
  examples: [
    'waymark init orders',
    'waymark init . --name orders --language js',
    'waymark init orders --yes',
  ],
  run: async (input) => (await import('../commands/init.ts')).runInitCommand(input),
}

/** Serves a service on one port. */
export const serveCommand: Command = {
  name: 'serve',
  summary: 'Serve modules, tool specs, OpenAPI documents, MCP servers and remote services',
  usage: '<source…>',
  flags: {
    port: textFlag('number', 'port; PORT or 4000 when absent, 0 for any', { short: 'p' }),
    host: textFlag('address', 'address; HOST or 127.0.0.1 when absent'),
    store: textFlag('url', 'memory:, sqlite:PATH, redis://…, postgres://…; default: WAYMARK_STORE'),
    namespace: textFlag('name', 'separates services in one store; default: WAYMARK_NAMESPACE'),
    bus: textFlag('url', 'event bus, nats://… or redis://…; default: WAYMARK_BUS'),
    'public-url': textFlag('url', 'public URL of the service, for its capability profile'),
    'allow-host': listFlag('name', 'name under which the service is reached, besides localhost'),
    'allow-origin': listFlag('origin', 'origin of pages that may call the service'),
    'trusted-proxy': listFlag('address|range', 'proxy whose Forwarded and X-Forwarded-* count'),
    watch: toggleFlag('serve anew when a file of the service changes; the port stays open'),
    stdio: toggleFlag('speak MCP on standard input and output instead of listening'),
    tools: textFlag('all|search', 'MCP: every function a tool, or three tools that find them'),
    'mcp-only': listFlag('tag:…|prefix:…|effect:…', 'MCP: only these functions'),
    'mcp-except': listFlag('tag:…|prefix:…|effect:…', 'MCP: all but these functions'),
    pin: textFlag('file', 'withhold new and changed tools of MCP servers; see waymark pins'),
    'allow-execute': toggleFlag('let people run functions from the explorer page'),
    overload: textFlag(
      'off|wait=…,delay=…,in-flight=…',
      'when calls are refused with 503: wait=1s,delay=100ms,in-flight=1000 when absent; off takes every call',
    ),
    audit: textFlag(
      '90d',
      'keep a record of every call in the store for this long; 90d,arguments keeps arguments too',
    ),
    log: textFlag(
      'calls[,sample=0.1][,arguments]',
      'write a line for each call; sample writes a share of those that succeed',
    ),
    'no-metrics': toggleFlag('do not count calls, and publish no /metrics'),
    grace: textFlag('10s', 'how long running calls may take to finish at the end'),
    'drain-pause': textFlag(
      '1s',
      'how long readiness says 503 after a SIGTERM before the port is closed',
    ),
    json: { ...JSON_FLAG, summary: 'print one JSON line when listening' },
  },
  examples: [
    'waymark serve service.ts',
    'waymark serve service.ts --watch',
    'waymark serve examples/events --port 8080',
    'waymark serve tools/zendesk.tool-spec.yaml petstore.yaml',
    'waymark serve https://api.example.com/forrst',
    'waymark serve "mcp:npx -y @modelcontextprotocol/server-filesystem /tmp"',
    'waymark serve mcp.json --pin pins.json',
  ],
  run: async (input) => (await import('../commands/serve.ts')).runServeCommand(input),
}

/** Looks after the API keys in the store of a service. */
export const keysCommand: Command = {
  name: 'keys',
  summary: 'Create, list and revoke the API keys in a store',
  usage: 'create|list|revoke [name|id]',
  subcommands: {
    create: { usage: '<name>', summary: 'Create a key and print it, this once' },
    list: { usage: '', summary: 'List the keys, without their secrets' },
    revoke: { usage: '<id>', summary: 'End a key' },
  },
  flags: {
    store: textFlag('url', 'sqlite:PATH, redis://…, postgres://…; default: WAYMARK_STORE'),
    namespace: textFlag('name', 'separates services in one store; default: WAYMARK_NAMESPACE'),
    scope: listFlag('scope', 'what its calls may do, such as orders:write', { of: ['create'] }),
    principal: textFlag('id', 'whose calls it makes; its own when absent', { of: ['create'] }),
    expires: textFlag('720h', 'how long it works; until revoked when absent', { of: ['create'] }),
    json: JSON_FLAG,
  },
  examples: [
    'waymark keys create ci --store sqlite:orders.db --scope orders:write',
    'waymark keys create partner --store redis://127.0.0.1:6379 --expires 720h',
    'waymark keys list --store sqlite:orders.db',
    'waymark keys revoke 0123456789abcdef --store sqlite:orders.db',
  ],
  run: async (input) => (await import('../commands/keys.ts')).runKeysCommand(input),
}

/** Shows the audit that `serve --audit` or `createAudit` keeps in a store. */
export const auditCommand: Command = {
  name: 'audit',
  summary: 'Show who called what, with which outcome, from the audit in a store',
  usage: '',
  flags: {
    store: textFlag('url', 'sqlite:PATH, redis://…, postgres://…; default: WAYMARK_STORE'),
    namespace: textFlag('name', 'separates services in one store; default: WAYMARK_NAMESPACE'),
    principal: textFlag('id', 'only calls of this caller'),
    function: textFlag('name', 'only calls of this function'),
    outcome: textFlag('word', 'only ok, accepted, replaced, refused or failed'),
    since: textFlag('24h', 'only what is not older'),
    limit: textFlag('n', 'the newest so many, at most 10000; default 100'),
    json: JSON_FLAG,
  },
  examples: [
    'waymark audit --store sqlite:orders.db',
    'waymark audit --store sqlite:orders.db --principal ada --since 24h',
    'waymark audit --store redis://127.0.0.1:6379 --outcome refused --json',
  ],
  run: async (input) => (await import('../commands/audit.ts')).runAuditCommand(input),
}

/** Shows and approves the tools of MCP servers that `serve --pin` has seen. */
export const pinsCommand: Command = {
  name: 'pins',
  summary: 'Show which tools of MCP servers are approved, and approve new and changed ones',
  usage: '<file>',
  flags: {
    approve: listFlag('source.tool', 'approve this tool as it is now'),
    all: toggleFlag('approve every tool that waits'),
    json: JSON_FLAG,
  },
  examples: [
    'waymark pins pins.json',
    'waymark pins pins.json --approve files.read_file',
    'waymark pins pins.json --all',
  ],
  run: async (input) => (await import('../commands/pins.ts')).runPinsCommand(input),
}

/** Serves answers for a description before there is a service. */
export const mockCommand: Command = {
  name: 'mock',
  summary: 'Serve a mock of a description: scripted, from examples, or generated values',
  usage: '<document|url|source>',
  flags: {
    port: textFlag('number', 'port; PORT or 4000 when absent, 0 for any', { short: 'p' }),
    host: textFlag('address', 'address; HOST or 127.0.0.1 when absent'),
    seed: textFlag('text', 'another seed makes other values; 1 when absent'),
    latency: textFlag('50ms|20ms..200ms', 'how long an answer takes'),
    fail: listFlag('5%|CODE:5%', 'which share of calls fails, with a declared error or with CODE'),
    prefer: textFlag('simulations|examples|schema', 'where results come from first'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'print one JSON line when listening' },
  },
  examples: [
    'waymark mock service.json',
    'waymark mock openapi.yaml --latency 20ms..200ms --fail 5%',
    'waymark mock https://api.example.com/forrst --fail NOT_FOUND:10% --seed 7',
  ],
  run: async (input) => (await import('../commands/mock.ts')).runMockCommand(input),
}

/** Exercises what a service says about itself. */
export const verifyCommand: Command = {
  name: 'verify',
  summary: 'Call every function of a service and report where it differs from its description',
  usage: '<url|source>',
  flags: {
    only: listFlag('function', 'only this function, or those below this name'),
    'allow-effects': toggleFlag('also call functions with side effects'),
    record: textFlag('folder', 'write every exchange to a file'),
    replay: textFlag('folder', 'replay recorded exchanges and report what changed'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'print the report as JSON' },
  },
  examples: [
    'waymark verify http://127.0.0.1:4000',
    'waymark verify service.ts --allow-effects',
    'waymark verify service.ts --replay test/golden-exchanges/1.0.0',
  ],
  run: async (input) => (await import('../commands/verify.ts')).runVerifyCommand(input),
}
