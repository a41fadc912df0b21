import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { McpOptions } from '../../../surfaces/mcp/index.ts'
import { createService } from '../../../system/index.ts'
import { type CommandInput, EXIT, UsageError } from '../../command.ts'
import { readTextFlag } from '../../flags.ts'
import { VERSION } from '../../help.ts'
import { runStdio, withOwnStdout } from '../../serve/stdio.ts'
import { createFence } from './fence.ts'
import { createForgeFunctions } from './functions.ts'

const INSTRUCTIONS =
  'Makes tools of APIs together with a person. With an API description: forge_list_operations, then forge_generate_tools with a few picked. With words only: forge_propose_tools, let the person look, then forge_generate_tools with the spec. forge_validate checks an edited spec, forge_compose makes an agent of several.'

/** Serves the conversational functions of forge as MCP tools to the program that started this one. */
export function runMcp(input: CommandInput): Promise<number> {
  return withOwnStdout(async (output) => {
    const fence = createFence(requireFolder(input))
    const allowWrite = input.flags['allow-write'] === true
    const service = createService({
      info: { title: 'waymark forge', version: VERSION },
      functions: createForgeFunctions({
        fence,
        allowWrite,
        io: input.io,
        model: readTextFlag(input, 'model'),
      }),
    })
    input.io.err(`Reads ${allowWrite ? 'and writes' : 'only'} under ${fence.root}\n`)
    const mcp: McpOptions = {
      instructions: INSTRUCTIONS,
      // The names that conversations about forge know.
      toolName: (name) => name.replace('.', '_'),
    }
    await runStdio({ service, mcp, triggers: undefined, output }, input)
    return EXIT.ok
  })
}

function requireFolder(input: CommandInput): string {
  const given = readTextFlag(input, 'root') ?? '.'
  const folder = resolve(input.io.cwd, given)
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new UsageError(`--root ${given} is not a folder`)
}
