import { ownMember } from '../values/index.ts'
import {
  type Command,
  type CommandFlag,
  type CommandInput,
  EXIT,
  formatSuggestion,
  UsageError,
} from './command.ts'

/** Writes a completion script. It holds every name, so that completing starts no program. */
export async function runCompletionCommand(
  { positionals: [name = ''], io }: CommandInput,
  commands: readonly Command[],
): Promise<number> {
  const write = ownMember(WRITERS, name)
  if (write === undefined) {
    const shells = Object.keys(WRITERS)
    throw new UsageError(
      `which shell? Write "waymark completion ${shells.join('|')}".${formatSuggestion(name, shells)}`,
    )
  }
  io.out(write(commands))
  return EXIT.ok
}

const WRITERS: Readonly<Record<string, (commands: readonly Command[]) => string>> = {
  bash: formatBash,
  zsh: formatZsh,
  fish: formatFish,
}

function formatBash(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map(([name]) => `--${name}`)
    return `    ${command.name}) words='${[...wordsOf(command), ...flags].join(' ')}' ;;`
  })
  const values = commands.flatMap((command) =>
    flagsOf(command).flatMap(([name, flag]) => {
      const choices = choicesOf(flag)
      return choices.length === 0
        ? []
        : [
            `    '${command.name} --${name}') COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$current")); return ;;`,
          ]
    }),
  )
  return `# bash completion of waymark; load it with: source <(waymark completion bash)
_waymark() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} help' -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]} $previous" in
${values.join('\n')}
    *) ;;
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
    help) words='${commands.map(({ name }) => name).join(' ')}' ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current") $(compgen -f -- "$current"))
}
complete -o filenames -F _waymark waymark
`
}

function formatZsh(commands: readonly Command[]): string {
  const list = commands.map(
    ({ name, summary }) => `    ${quote(`${name}:${escapeColon(summary)}`)}`,
  )
  const cases = commands.map((command) => {
    const flags = flagsOf(command).map(([name, flag]) => `      ${quote(toZshFlag(name, flag))} \\`)
    const words = wordsOf(command)
    const rest = words.length > 0 ? quote(`*:word:(${words.join(' ')})`) : "'*:file:_files'"
    return `    ${command.name})\n      _arguments \\\n${flags.join('\n')}\n      ${rest}\n      ;;`
  })
  return `#compdef waymark
# zsh completion of waymark: waymark completion zsh > ~/.zfunc/_waymark, with ~/.zfunc in fpath
_waymark() {
  local -a commands
  commands=(
${list.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe 'command' commands
    return
  fi
  local command="$words[2]"
  shift words
  (( CURRENT-- ))
  case "$command" in
${cases.join('\n')}
  esac
}
_waymark "$@"
`
}

function formatFish(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const within = `__fish_seen_subcommand_from ${command.name}`
    return [
      `complete -c waymark -n __fish_use_subcommand -a ${command.name} -d ${quote(command.summary)}`,
      ...wordsOf(command).map((word) => `complete -c waymark -n '${within}' -a ${word}`),
      ...flagsOf(command).map(([name, flag]) => toFishFlag(within, name, flag)),
    ]
  })
  return `# fish completion of waymark: waymark completion fish > ~/.config/fish/completions/waymark.fish\n${lines.join('\n')}\n`
}

function toZshFlag(name: string, flag: CommandFlag): string {
  const choices = choicesOf(flag)
  const action = choices.length > 0 ? `(${choices.join(' ')})` : '_files'
  const value = flag.type === 'boolean' ? '' : `:${flag.value ?? 'value'}:${action}`
  const text = flag.summary.replaceAll('[', '(').replaceAll(']', ')')
  return `${flag.multiple ? '*' : ''}--${name}[${escapeColon(text)}]${value.replaceAll('|', ' ')}`
}

function toFishFlag(within: string, name: string, flag: CommandFlag): string {
  const choices = choicesOf(flag)
  const value =
    flag.type === 'boolean' ? '' : choices.length > 0 ? ` -x -a '${choices.join(' ')}'` : ' -r'
  const short = flag.short === undefined ? '' : ` -s ${flag.short}`
  return `complete -c waymark -n '${within}' -l ${name}${short}${value} -d ${quote(flag.summary)}`
}

/** Every command can explain itself. */
function flagsOf({ flags }: Command): readonly (readonly [string, CommandFlag])[] {
  return [...Object.entries(flags), ['help', { type: 'boolean', summary: 'explain the command' }]]
}

/** A usage such as `list|show|cancel <url>` begins with the words to choose from. */
function wordsOf({ usage }: Command): readonly string[] {
  return /^[a-z]+(?:\|[a-z]+)+/.exec(usage)?.[0].split('|') ?? []
}

function choicesOf({ value = '' }: CommandFlag): readonly string[] {
  return /^[a-z-]+(?:\|[a-z-]+)+$/.test(value) ? value.split('|') : []
}

function quote(text: string): string {
  return `'${text.replaceAll("'", '’')}'`
}

function escapeColon(text: string): string {
  return text.replaceAll(':', '\\:')
}
