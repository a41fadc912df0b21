import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { OWN_COMPILER } from './compile-project.ts'

/** A generated agent that runs as a process of its own. */
export interface AgentProject {
  readonly url: string
  readonly server: ChildProcess
  /** What it has written to standard error. */
  readonly log: () => string
  readonly remove: () => void
}

/** Writes, compiles and starts the project of an agent, as `npm start` does. */
export async function startAgentProject(
  files: ReadonlyMap<string, string>,
  env: Readonly<Record<string, string>>,
): Promise<AgentProject> {
  const directory = mkdtempSync(join(tmpdir(), 'waymark-agent-'))
  for (const [path, text] of files) {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  // What npm install would bring: the compiler and the types of Node.
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url))
  symlinkSync(modules, join(directory, 'node_modules'))
  await promisify(execFile)(process.execPath, [OWN_COMPILER, '-p', directory])
  let log = ''
  const server = spawn(process.execPath, ['dist/server.js'], {
    cwd: directory,
    env: { ...process.env, PORT: '0', ...env },
  })
  server.stderr?.on('data', (chunk) => {
    log += chunk
  })
  const url = await new Promise<string>((resolve, reject) => {
    server.stdout?.on('data', (chunk: Buffer) => resolve(/http\S+/.exec(String(chunk))?.[0] ?? ''))
    server.once('exit', () => {
      rmSync(directory, { recursive: true, force: true })
      reject(new Error(log))
    })
  })
  return {
    url,
    server,
    log: () => log,
    remove: () => {
      server.kill('SIGKILL')
      rmSync(directory, { recursive: true, force: true })
    },
  }
}
