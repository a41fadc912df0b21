import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createWorkplace } from '../../../test/cli/run-main.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

/** Lets a written project find its packages without installing them. */
function install(folder: string): void {
  mkdirSync(join(folder, 'node_modules', '@types'), { recursive: true })
  symlinkSync(ROOT, join(folder, 'node_modules', 'waymark'))
  for (const name of ['zod', 'tsx', 'typescript', '@types/node']) {
    symlinkSync(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  }
}

describe('waymark init', () => {
  it.each([
    ['ts', ['--import', 'tsx']],
    ['js', []],
  ])('writes a service in %s whose test passes', { timeout: 120_000 }, async (language, flags) => {
    const workplace = createWorkplace()
    const { code, out } = await workplace.run('init', 'order-desk', '--language', language, '--yes')
    expect(code).toBe(0)
    expect(out).toContain('Next: cd order-desk && npm install && npm test && npm start')
    const folder = join(workplace.folder, 'order-desk')
    install(folder)
    const test = spawnSync(
      process.execPath,
      [
        '--conditions=waymark-source',
        '--import',
        'tsx',
        ...flags,
        '--test',
        `service.test.${language}`,
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(test.stdout).toMatch(/# pass 3\n/)
    if (language === 'js') return
    const check = spawnSync(
      process.execPath,
      [
        join(ROOT, 'node_modules/typescript/bin/tsc'),
        '--noEmit',
        '--customConditions',
        'waymark-source',
        // Our sources are checked along with the project, and they count on it.
        '--exactOptionalPropertyTypes',
      ],
      { cwd: folder, encoding: 'utf8' },
    )
    expect(check.stdout).toBe('')
  })

  it.each(['ts', 'js'])('explains how an agent starts a service in %s', async (language) => {
    const workplace = createWorkplace()
    await workplace.run('init', 'desk', '--language', language, '--yes')
    expect(workplace.read('desk/README.md')).toContain(
      `npx waymark serve service.${language} --stdio`,
    )
  })

  it('asks two questions on a terminal and takes what is usual for an empty answer', async () => {
    const workplace = createWorkplace()
    const questions: string[] = []
    const answers = ['shop', '']
    const ask = async (question: string) => {
      questions.push(question)
      return answers.shift() ?? ''
    }
    const { code } = await workplace.runWith({ terminal: true, ask }, 'init', 'x')
    expect(code).toBe(0)
    expect(questions).toEqual([
      'What is the service called? (x) ',
      'TypeScript or JavaScript? (ts) ',
    ])
    expect(workplace.files()).toContain('x/service.ts')
    expect(workplace.read('x/service.ts')).toContain("name: 'shop.greet'")
  })

  it('leaves a folder with files alone unless it is told to write beside them', async () => {
    const workplace = createWorkplace()
    mkdirSync(join(workplace.folder, 'mine'))
    writeFileSync(join(workplace.folder, 'mine', 'README.md'), 'mine')
    const refused = await workplace.run('init', 'mine')
    expect(refused).toMatchObject({
      code: 2,
      err: expect.stringContaining('is not empty (README.md)'),
    })
    const { code } = await workplace.run('init', 'mine', '--force', '--json')
    expect(code).toBe(0)
    expect(workplace.read('mine/README.md')).toBe('mine')
    expect(workplace.files()).toContain('mine/service.ts')
  })

  it.each([
    [['init', 'a', '--name', 'Not A Name'], 'a service name has lower-case letters'],
    [['init', 'a', '--language', 'rust'], 'the language is ts or js; got "rust"'],
    [['init', 'a', 'b'], '"b" is not expected here'],
  ])('says what is wrong with %j', async (args, message) => {
    const run = await createWorkplace().run(...args)
    expect(run).toMatchObject({ code: 2, err: expect.stringContaining(message) })
  })

  it('tells a mistake in a definition from a bug of ours, also when a function of the module makes it', async () => {
    const workplace = createWorkplace()
    workplace.write(
      'service.js',
      'export default () => { throw new TypeError(\'function a.b: version "x" is wrong\') }',
    )
    const { code, err } = await workplace.run('docs', 'service.js')
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringMatching(
        /^waymark: service\.js: function a\.b: version "x" is wrong \(.*service\.js:1:30\)\n$/,
      ),
    })
  })

  it('cannot be made to write code by a name', async () => {
    const { code } = await createWorkplace().run('init', 'a', '--name', "x'},process.exit(),{'")
    expect(code).toBe(2)
  })
})
