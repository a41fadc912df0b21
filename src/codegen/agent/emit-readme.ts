import type { AgentPlan } from './generate-agent.ts'
import { listVariables } from './variables.ts'

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
