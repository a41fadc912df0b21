import { toFileName } from '../generate.ts'
import { toStringLiteral } from '../literals.ts'
import { buildModel } from '../model.ts'
import { createNamePlan } from '../names.ts'
import { createWriter } from '../writer.ts'
import type { AgentPlan } from './generate-agent.ts'

/** Emits the server of an agent: all tools attached, all triggers wired. */
export function emitServer(plan: AgentPlan): string {
  const writer = createWriter()
  const names = createNamePlan(['startAgent', 'agent', 'signal', 'line'])
  const lists = plan.specs.map((spec) => {
    const { toolsName, triggersName } = buildModel(spec)
    const file = toFileName(spec.domain)
    const tools = {
      exported: toolsName,
      local: names.take(toolsName),
      file: `./capabilities/${file}.ts`,
    }
    const triggers = {
      exported: triggersName,
      local: names.take(triggersName),
      file: `./triggers/${file}.ts`,
    }
    return {
      tools: spec.tools.length > 0 ? [tools] : [],
      triggers: (spec.triggers ?? []).length > 0 ? [triggers] : [],
    }
  })
  const tools = lists.flatMap((list) => list.tools)
  const triggers = lists.flatMap((list) => list.triggers)
  for (const { exported, local, file } of [...tools, ...triggers]) {
    const name = exported === local ? local : `${exported} as ${local}`
    writer.line(`import { ${name} } from ${toStringLiteral(file)}`)
  }
  writer.line("import { startAgent } from './lib/http-server.ts'")
  writer.gap()
  writer.block('try {', () => writer.line('process.loadEnvFile()'), '} catch {')
  writer.line('  // Without a file .env the environment is all there is.', '}')
  writer.gap()
  writer.block(
    'const agent = await startAgent({',
    () => {
      writer.line(`name: ${toStringLiteral(plan.name)},`)
      writer.line(`description: ${toStringLiteral(plan.description)},`)
      writer.line(`tools: [${tools.map((list) => `...${list.local}`).join(', ')}],`)
      writer.line(`triggers: [${triggers.map((list) => `...${list.local}`).join(', ')}],`)
      writer.line("host: process.env['HOST'] || '127.0.0.1',")
      writer.line(`port: Number(process.env['PORT'] || ${plan.port}),`)
      writer.line("token: process.env['AGENT_TOKEN'] || undefined,")
      writer.line('env: process.env,')
      writer.line('log: (line) => console.error(line),')
    },
    '})',
  )
  writer.line(`console.log(${toStringLiteral(`${plan.name} answers at`)}, agent.url)`)
  writer.gap()
  writer.block(
    "for (const signal of ['SIGTERM', 'SIGINT'] as const) {",
    () => writer.line('process.once(signal, () => void agent.stop().then(() => process.exit(0)))'),
    '}',
  )
  return writer.toString()
}
