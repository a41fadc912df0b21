import { toFileName } from '../generate.ts'
import { toLiteral, toStringLiteral } from '../literals.ts'
import { buildModel } from '../model.ts'
import { createNamePlan } from '../names.ts'
import { createWriter } from '../writer.ts'
import type { AgentPlan } from './generate-agent.ts'

/** Names that the server itself declares or imports. */
const OWN_NAMES: readonly string[] = [
  'authenticateByToken',
  'createService',
  'createTriggers',
  'openStore',
  'serve',
  'allSurfaces',
  'toFunctions',
  'host',
  'isLocal',
  'server',
  'service',
  'store',
  'token',
  'triggers',
]

/** Emits the server of an agent: its tools are functions of a service, its triggers call them. */
export function emitServer(plan: AgentPlan): string {
  const names = createNamePlan(OWN_NAMES)
  const tools: List[] = []
  const triggers: List[] = []
  for (const spec of plan.specs) {
    const { toolsName, triggersName } = buildModel(spec)
    const file = `${toFileName(spec.domain)}.ts`
    const toList = (exported: string, folder: string): List => {
      return {
        domain: spec.domain,
        exported,
        local: names.take(exported),
        file: `./${folder}/${file}`,
      }
    }
    if (spec.tools.length > 0) tools.push(toList(toolsName, 'capabilities'))
    if ((spec.triggers ?? []).length > 0) triggers.push(toList(triggersName, 'triggers'))
  }
  const writer = createWriter()
  writer.line("import { allSurfaces, authenticateByToken, createService, serve } from 'waymark'")
  writer.line("import { toFunctions } from 'waymark/runtime'")
  writer.line("import { openStore } from 'waymark/store'")
  if (triggers.length > 0) writer.line("import { createTriggers } from 'waymark/triggers'")
  for (const { exported, local, file } of [...tools, ...triggers]) {
    const name = exported === local ? local : `${exported} as ${local}`
    writer.line(`import { ${name} } from ${toStringLiteral(file)}`)
  }
  writer.gap()
  writer.line(...BEGINNING)
  writer.block('const service = createService({', '})', () => {
    const { name: title, description } = plan
    writer.line(`info: ${toLiteral({ title, version: '0.1.0', description }, '  ', 8)},`)
    writer.block('functions: [', '],', () => {
      for (const { domain, local } of tools) {
        writer.line(`...toFunctions(${toStringLiteral(domain)}, ${local}),`)
      }
    })
    writer.line('store,', 'onClose: () => store.close(),')
    writer.line('// On this machine everybody may call, elsewhere only who sends the token.')
    writer.line('...((token || !isLocal) && { authenticate: authenticateByToken(token) }),')
  })
  if (triggers.length > 0) {
    const lists = triggers.map(({ local }) => `...${local}`).join(', ')
    writer.line(`const triggers = createTriggers({ service, store, triggers: [${lists}] })`)
  }
  writer.block('const server = await serve(service, {', '})', () => {
    writer.line('host,', `port: Number(process.env['PORT'] || ${plan.port}),`)
    if (triggers.length > 0) writer.line('triggers,')
    writer.line('// No two tools of the agent share a name: models see them without their domain.')
    writer.line(
      "surfaces: allSurfaces({ mcp: { toolName: (name) => name.slice(name.indexOf('.') + 1) } }),",
    )
    writer.line("...(!isLocal && { allowedHosts: '*' }),")
  })
  writer.line(`console.log(${toStringLiteral(`${plan.name} answers at`)}, server.url)`)
  return writer.toString()
}

interface List {
  readonly domain: string
  readonly exported: string
  readonly local: string
  readonly file: string
}

const BEGINNING: readonly string[] = [
  'try {',
  '  process.loadEnvFile()',
  '} catch {',
  '  // Without a file .env the environment is all there is.',
  '}',
  '',
  "const host = process.env['HOST'] || '127.0.0.1'",
  "const token = process.env['AGENT_TOKEN']",
  "const isLocal = ['127.0.0.1', '::1', 'localhost'].includes(host)",
  "if (!isLocal && !token) console.error('nobody may call the tools: set AGENT_TOKEN')",
  "const store = await openStore(process.env['WAYMARK_STORE'] || 'memory:')",
]
