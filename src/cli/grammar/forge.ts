import type { Command } from '../command.ts'
import { FORGE_FLAGS } from '../forge/forge-flags.ts'

/** Creates tool specs, TypeScript and agents from API descriptions or a prompt. */
export const forgeCommand: Command = {
  name: 'forge',
  summary: 'Create tool specs, TypeScript and agents from OpenAPI or a prompt',
  usage: 'tool|agent|env|auth|call|mcp|doctor [file…]',
  subcommands: {
    tool: {
      usage: '--spec|--list|--prompt|--validate <value>',
      summary: 'Create tool specs and code from OpenAPI or a prompt',
    },
    agent: { usage: '[file…]', summary: 'Combine tool specs into an agent' },
    env: { usage: '<file…>', summary: 'Write the .env template of tool specs' },
    'auth login': { usage: '<file>', summary: 'Get an OAuth token for a tool spec' },
    call: { usage: '<file> [tool] [name=value…]', summary: 'Call one tool of a tool spec' },
    mcp: { usage: '', summary: 'Serve these subcommands as an MCP server on stdio' },
    doctor: { usage: '[file…]', summary: 'Find out why tools do not work on this machine' },
  },
  flags: FORGE_FLAGS,
  examples: [
    'waymark forge tool --list api.yaml',
    'waymark forge tool --spec api.yaml --pick createTicket,listTickets --out tools',
    'waymark forge tool --spec tools/zendesk.tool-spec.yaml --out src/generated',
    'waymark forge tool --validate zendesk.tool-spec.yaml --format github',
    'waymark forge tool --prompt "the weather of a city" --docs https://api.example',
    'waymark forge tool --spec api.yaml --target openai --stdout',
    'waymark forge env tools/zendesk.tool-spec.yaml > .env',
    'waymark forge auth login tools/zendesk.tool-spec.yaml --env-file .env',
    'waymark forge call zendesk.tool-spec.yaml create_ticket subject=Ink --dry-run',
    'waymark forge agent --name ops-bot --tools zendesk.yaml,jira.yaml --standalone',
    'waymark forge doctor tools/zendesk.tool-spec.yaml --online',
    'waymark forge mcp --root tools --allow-write',
  ],
  run: async (input) => (await import('../commands/forge.ts')).runForgeCommand(input),
}
