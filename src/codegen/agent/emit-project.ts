import { expandEnvText, type ToolSpec } from '../../sources/tool-spec/index.ts'
import type { AgentPlan } from './generate-agent.ts'
import { listVariables } from './variables.ts'

/** Emits the package of an agent: it runs on `waymark` and the clients of its queues. */
export function emitPackage(plan: AgentPlan): string {
  const dependencies = { ...listQueueClients(plan.specs), waymark: plan.waymark }
  return toJson({
    name: plan.name.toLowerCase(),
    version: '0.1.0',
    private: true,
    description: plan.description.slice(0, 200),
    type: 'module',
    engines: { node: '>=20.19' },
    scripts: {
      check: 'tsc --noEmit',
      build: 'tsc',
      prestart: 'npm run build',
      start: 'node dist/server.js',
    },
    dependencies,
    devDependencies: { '@types/node': '^20.19.0', typescript: '^5.9.0' },
  })
}

/** Emits the compiler settings of an agent. */
export function emitTsconfig(): string {
  return toJson({
    compilerOptions: {
      target: 'es2023',
      lib: ['es2023'],
      types: ['node'],
      module: 'nodenext',
      moduleResolution: 'nodenext',
      rootDir: '.',
      outDir: 'dist',
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      verbatimModuleSyntax: true,
      rewriteRelativeImportExtensions: true,
      skipLibCheck: true,
    },
    include: ['server.ts', 'capabilities', 'triggers'],
  })
}

/** Emits a Dockerfile that builds in one stage and runs in another. */
export function emitDockerfile(plan: AgentPlan): string {
  return `FROM node:22-slim AS build
WORKDIR /app
COPY package*.json ./
RUN npm install --no-audit --no-fund
COPY . .
RUN npm run build && npm prune --omit=dev

FROM node:22-slim
WORKDIR /app
ENV NODE_ENV=production HOST=0.0.0.0 PORT=${plan.port}
COPY package.json ./
COPY --from=build /app/dist ./dist
COPY --from=build /app/node_modules ./node_modules
USER node
EXPOSE ${plan.port}
HEALTHCHECK CMD ["node", "-e", "fetch('http://127.0.0.1:' + process.env.PORT + '/health/live').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
`
}

/** Emits what a build must not see. */
export function emitDockerIgnore(): string {
  return 'node_modules\ndist\n.env\n.git\n'
}

function toJson(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}

const AMQP = { amqplib: '^2.0.0' }
const REDIS = { ioredis: '^6.0.0' }
const SQS = { '@aws-sdk/client-sqs': '^3.0.0' }

const CLIENTS = new Map<string, Readonly<Record<string, string>>>([
  ['amqp', AMQP],
  ['amqps', AMQP],
  ['redis', REDIS],
  ['rediss', REDIS],
  ['sqs', SQS],
  ['https', SQS],
])

/**
 * Lists the packages that the queue triggers of specs need, with their versions. A queue whose address only a variable
 * knows brings none: the agent says at its start what to install.
 */
function listQueueClients(specs: readonly ToolSpec[]): Readonly<Record<string, string>> {
  const found = specs
    .flatMap(({ triggers = [] }) => triggers)
    .flatMap((trigger) => {
      if (trigger.type !== 'queue') return []
      const url = expandEnvText(trigger.queue_url, () => undefined)
      const scheme = url.ok ? /^([a-z]+):/i.exec(url.text)?.[1]?.toLowerCase() : undefined
      return Object.entries(CLIENTS.get(scheme ?? '') ?? {})
    })
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Emits the README of an agent. */
export function emitReadme(plan: AgentPlan): string {
  const base = `http://127.0.0.1:${plan.port}`
  return [
    `# ${toPlain(plan.name)}`,
    toPlain(plan.description),
    '## Start',
    '```sh\nnpm install\ncp .env.template .env   # and fill it in\nnpm start\n```',
    `The agent answers at ${base}: MCP at \`/mcp\`, a call at \`POST /api/{name}\`, their description at \`/openapi.json\` and, for people, at \`/explorer\`, and \`GET /health/live\`. It listens on this machine only; for any other \`HOST\` set \`AGENT_TOKEN\`, which callers then send as a bearer token.`,
    '```sh\ndocker build -t agent . && docker run --env-file .env -e AGENT_TOKEN=… -p ' +
      `${plan.port}:${plan.port} agent\n\`\`\``,
    '## Tools',
    toTable(
      ['tool', 'what it does'],
      plan.specs.flatMap((spec) => spec.tools.map((tool) => [tool.name, tool.description])),
    ),
    ...triggerSection(plan),
    ...variableSection(plan),
    '## Change it',
    'The specs in `specs/` are the source. Edit them and run `waymark forge agent` again: code between `<custom>` marks is kept.',
    '',
  ].join('\n\n')
}

function triggerSection(plan: AgentPlan): string[] {
  const rows = plan.specs.flatMap((spec) => {
    return (spec.triggers ?? []).map(({ name, type, description }) => [name, type, description])
  })
  if (rows.length === 0) return []
  return [
    '## Triggers',
    toTable(['trigger', 'kind', 'what it does'], rows),
    'Their code is in `triggers/`. An event is tried as often as its trigger says with `attempts` (5), with growing pauses and within its `timeout` (a minute) each time; a tool that has answered is not called again. What has failed for good is kept in a dead-letter list: `npx waymark triggers deliveries <url> --state dead`. Deliveries live in memory unless `WAYMARK_STORE` names a store, such as `sqlite:state.db`; only then do they, and runs missed while the agent was stopped (`catch_up: one`), outlive it.',
    ...queueNotes(rows),
  ]
}

function queueNotes(rows: readonly (readonly string[])[]): string[] {
  if (!rows.some(([, type]) => type === 'queue')) return []
  return [
    'A message of a queue is acknowledged when its trigger has succeeded; what has not begun when the agent stops goes back. What is given up leaves its queue for the dead-letter list, and for the dead-letter exchange of RabbitMQ if there is one: set `WAYMARK_STORE`, or that list ends with the agent.',
  ]
}

function variableSection(plan: AgentPlan): string[] {
  const rows = listVariables(plan.specs).flatMap(({ variables }) => {
    return variables.map(({ name, uses }) => [`\`${name}\``, uses.join('; ')])
  })
  return rows.length === 0 ? [] : ['## Variables', toTable(['variable', 'for'], rows)]
}

function toTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const toRow = (cells: readonly string[]): string => `| ${cells.map(toCell).join(' | ')} |`
  return [toRow(head), toRow(head.map(() => '---')), ...rows.map(toRow)].join('\n')
}

function toCell(text: string): string {
  const line = toPlain(text)
  return line.length > 160 ? `${line.slice(0, 159)}…` : line
}

// Text of a document is shown, never rendered.
function toPlain(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/[<>[\]|]/g, (character) => `&#${character.charCodeAt(0)};`)
    .trim()
}
