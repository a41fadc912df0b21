import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createWorkplace } from '../../test/cli/run-main.ts'

describe('waymark completion', () => {
  const { run } = createWorkplace()

  /** Lets a real bash complete the last of some words. */
  async function complete(...words: string[]): Promise<string[]> {
    const { out } = await run('completion', 'bash')
    const list = words.map((word) => `'${word}'`).join(' ')
    const script = `${out}\nCOMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _waymark; printf '%s\\n' "\${COMPREPLY[@]}"`
    const { stdout } = spawnSync('bash', ['-c', script], { encoding: 'utf8' })
    return stdout.split('\n').filter((line) => line !== '')
  }

  it('completes commands, options and the values an option takes', async () => {
    expect(await complete('waymark', 'neg')).toEqual(['negotiate'])
    expect(await complete('waymark', 'serve', '--sto')).toContain('--store')
    expect(await complete('waymark', 'check', '--format', '')).toEqual(['text', 'json', 'github'])
    expect(await complete('waymark', 'forge', 'to')).toContain('tool')
  })

  it('writes scripts for zsh and fish that name every command', async () => {
    const names = (await complete('waymark', '')).filter((name) => name !== 'help')
    expect(names.length).toBeGreaterThan(8)
    for (const shell of ['zsh', 'fish']) {
      const { out } = await run('completion', shell)
      for (const name of names) expect(out).toContain(name)
    }
  })

  it('suggests the shell that was meant', async () => {
    const { code, err } = await run('completion', 'bsh')
    expect(code).toBe(2)
    expect(err).toContain('Did you mean "bash"?')
  })
})
