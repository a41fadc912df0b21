import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OWN_COMPILER } from './compile-project.ts'

/** The project of a generated agent, on the sources of this repository. */
export interface AgentProject {
  /** Compiles it as its own settings say; throws what the compiler says. */
  readonly compile: () => Promise<void>
  /** Starts it; rejects with what it has written to standard error when it ends instead. */
  readonly start: (env?: Readonly<Record<string, string>>) => Promise<RunningAgent>
  /** Ends what was started and removes the files. */
  readonly remove: () => void
}

/** A generated agent that runs as a process of its own. */
export interface RunningAgent {
  readonly url: string
  readonly server: ChildProcess
  /** What it has written to standard error. */
  readonly log: () => string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const SOURCE = 'waymark-source'

/** Writes the project of an agent into a new folder, with what `npm install` would bring. */
export function writeAgentProject(files: ReadonlyMap<string, string>): AgentProject {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-agent-'))
  const started: ChildProcess[] = []
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  mkdirSync(join(directory, 'node_modules'))
  symlinkSync(ROOT, join(directory, 'node_modules/waymark'))
  symlinkSync(join(ROOT, 'node_modules/@types'), join(directory, 'node_modules/@types'))
  return {
    async compile() {
      // Sources lie outside of the project; a package that was built would not.
      const flags = ['--noEmit', '--rootDir', '/', '--customConditions', SOURCE]
      const compiled = promisify(execFile)(process.execPath, [
        ...[OWN_COMPILER, '-p', directory],
        ...flags,
      ])
      await compiled.catch((thrown: { readonly stdout: string }) => {
        throw new Error(thrown.stdout)
      })
    },
    start: async (env = {}) => {
      const tsx = join(ROOT, 'node_modules/tsx/dist/esm/index.mjs')
      const args = ['--import', tsx, `--conditions=${SOURCE}`, 'server.ts']
      const server = spawn(process.execPath, args, {
        cwd: directory,
        env: { ...process.env, PORT: '0', ...env },
      })
      started.push(server)
      let log = ''
      server.stderr?.on('data', (chunk) => {
        log += chunk
      })
      const url = await new Promise<string>((resolve, reject) => {
        server.stdout?.on('data', (chunk: Buffer) => {
          const said = /http\S+/.exec(String(chunk))
          if (said) resolve(said[0].replace('0.0.0.0', '127.0.0.1'))
        })
        server.once('exit', () => reject(new Error(log)))
      })
      return { url, server, log: () => log }
    },
    remove() {
      for (const server of started) server.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
