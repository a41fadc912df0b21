import type { Command } from '../command.ts'
import { HEADER_FLAG, JSON_FLAG, textFlag, toggleFlag } from '../flags.ts'

/** Generates code from descriptions: typed clients. */
export const generateCommand: Command = {
  name: 'generate',
  summary: 'Write a typed client of a service',
  usage: 'client <url|document|source>',
  flags: {
    out: textFlag('file', 'where it goes; client.ts when absent', { short: 'o' }),
    runtime: textFlag('inline|package', 'without dependencies, or importing waymark/client'),
    name: textFlag('name', 'Events gives createEventsClient; from the title when absent'),
    check: toggleFlag('write nothing; exit 1 when the file is out of date'),
    stdout: toggleFlag('print the client instead of writing it'),
    force: toggleFlag('replace a file that was not generated, or was changed since'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'say what was done as JSON' },
  },
  examples: [
    'waymark generate client http://127.0.0.1:4000 --out src/client.ts',
    'waymark generate client service.json --runtime package --name Events',
    'waymark generate client http://127.0.0.1:4000 --out src/client.ts --check',
  ],
  run: async (input) => (await import('../commands/generate.ts')).runGenerateCommand(input),
}

/** Compares two descriptions and says whom the changes break. */
export const diffCommand: Command = {
  name: 'diff',
  summary: 'List the changes between two descriptions, and which ones break clients',
  usage: '<old> <new>',
  flags: {
    format: textFlag('text|json|github|markdown', 'how changes are printed'),
    'fail-on': textFlag(
      'none|breaking|implementer|any',
      'exit 1 on these or worse; default: breaking',
    ),
    function: textFlag('name', 'only this function'),
    'allow-external-refs': toggleFlag('follow references to other folders and to public addresses'),
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'the same as --format json' },
  },
  examples: [
    'waymark diff released.json http://127.0.0.1:4000',
    'waymark diff git:main:openapi.yaml openapi.yaml --format github',
    'waymark diff old.tool-spec.yaml new.tool-spec.yaml --fail-on implementer',
  ],
  run: async (input) => (await import('../commands/diff.ts')).runDiffCommand(input),
}

/** Shows what two parties can do together. */
export const negotiateCommand: Command = {
  name: 'negotiate',
  summary: 'Show what a business and a platform can do together',
  usage: '<business> <platform>',
  flags: {
    documents: textFlag('file', 'JSON object of documents by URL; nothing is fetched'),
    transports: textFlag('list', 'transports you support, in order, such as rest,mcp'),
    rules: textFlag('date', 'rules in force on a day, such as 2026-04-08'),
    fallback: textFlag('file', 'JSON object of operations by capability'),
    'allow-loopback': toggleFlag('fetch from this machine too; for development'),
    json: JSON_FLAG,
  },
  examples: [
    'waymark negotiate https://shop.example https://agent.example/profile.json',
    'waymark negotiate business.json platform.json --documents all.json --json',
  ],
  run: async (input) => (await import('../commands/negotiate.ts')).runNegotiateCommand(input),
}

/** Validates tool specs, discovery documents and capability profiles. */
export const checkCommand: Command = {
  name: 'check',
  summary: 'Validate tool specs, discovery documents and capability profiles',
  usage: '<file…>',
  flags: {
    format: textFlag('text|json|github', 'how problems are printed'),
    documents: textFlag('file', 'JSON object of documents by URL, for profiles'),
    strict: toggleFlag('warnings count as errors'),
    'strict-seed': toggleFlag('a tool spec may use nothing beyond the original format'),
    json: { ...JSON_FLAG, summary: 'the same as --format json' },
  },
  examples: [
    'waymark check tools/*.tool-spec.yaml',
    'waymark check service.json profile.json --format github',
  ],
  run: async (input) => (await import('../commands/check.ts')).runCheckCommand(input),
}

/** Writes a static documentation site of a service. */
export const docsCommand: Command = {
  name: 'docs',
  summary: 'Write a static documentation site of a service or a description',
  usage: '<source>',
  flags: {
    out: textFlag('folder', 'where to; site when absent', { short: 'o' }),
    force: toggleFlag('replace files that were not written by this command'),
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: [
    'waymark docs service.ts --out site',
    'waymark docs http://127.0.0.1:4000 --out public/docs',
    'waymark docs openapi.yaml',
  ],
  run: async (input) => (await import('../commands/docs.ts')).runDocsCommand(input),
}

/** Makes the command that writes a completion script; it must know all others. */
export function createCompletionCommand(listCommands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: 'Write a script that completes commands and options in your shell',
    usage: 'bash|zsh|fish',
    flags: {},
    examples: [
      'source <(waymark completion bash)',
      'waymark completion zsh > ~/.zfunc/_waymark',
      'waymark completion fish > ~/.config/fish/completions/waymark.fish',
    ],
    run: async (input) =>
      (await import('../completion.ts')).runCompletionCommand(input, listCommands()),
  }
}
