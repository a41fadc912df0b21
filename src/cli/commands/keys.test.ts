import { rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace } from '../../../test/cli/run-main.ts'
import { apiKeys } from '../../auth/index.ts'
import { openStore } from '../../store/index.ts'

let place: Workplace
beforeEach(() => {
  place = createWorkplace()
})
afterEach(() => rmSync(place.folder, { recursive: true, force: true }))

const toStore = () => `sqlite:${place.folder}/keys.db`
const keys = (...words: string[]) => place.run('keys', ...words, '--store', toStore())

/** Asks the hook of a service on the same store. */
async function authenticate(key: string) {
  const store = await openStore(toStore())
  try {
    const header = (name: string) => (name === 'x-api-key' ? key : undefined)
    return await apiKeys({ store })({ surface: 'rest', header })
  } finally {
    await store.close()
  }
}

describe('waymark keys', () => {
  it('prints a new key once, and a service on the store knows its caller', async () => {
    const made = await keys('create', 'ci', '--scope', 'orders:write', '--scope', 'orders:read')
    expect(made.code).toBe(0)
    expect(made.out).toMatch(/^wm_[0-9a-f]{16}_[0-9a-f]{64}\n$/)
    expect(made.err).toContain('it is not shown again')
    const key = made.out.trim()
    const [, id = '', secret = ''] = key.split('_')
    expect(made.err).not.toContain(secret)
    expect(await authenticate(key)).toEqual({
      id: `key:${id}`,
      key: id,
      scopes: ['orders:write', 'orders:read'],
    })
    const listed = await keys('list')
    expect(listed.out).toMatch(new RegExp(`^${id} {2}ci {2}orders:write orders:read {2}key:${id}`))
    expect(listed.out).not.toContain(secret)
    expect((await keys('list', '--json')).out).not.toMatch(new RegExp(`${secret}|hash`))
  })

  it('revokes a key by its id, or by the key itself', async () => {
    for (const toWord of [(key: string) => key.split('_')[1] ?? '', (key: string) => key]) {
      const key = (await keys('create', 'ci')).out.trim()
      const revoked = await keys('revoke', toWord(key))
      expect(revoked).toMatchObject({ code: 0, out: `${key.split('_')[1]} is revoked.\n` })
      await expect(authenticate(key)).rejects.toMatchObject({ code: 'UNAUTHORIZED' })
      expect((await keys('revoke', toWord(key))).err).not.toContain(key)
    }
    expect((await keys('list')).out).toBe('No keys.\n')
  })

  it('writes JSON, with whose calls it makes and when it ends', async () => {
    const words = ['create', 'ci', '--principal', 'ada', '--expires', '2h', '--json']
    const { key, record } = JSON.parse((await keys(...words)).out)
    expect(record).toMatchObject({ name: 'ci', principal: 'ada', scopes: [] })
    expect(record.expiresAt - record.createdAt).toBe(7_200_000)
    expect(await authenticate(key)).toMatchObject({ id: 'ada' })
    expect(JSON.parse((await keys('list', '--json')).out)).toEqual({ keys: [record] })
  })

  it.each([
    [['create'], 'give a name for the key'],
    [['create', 'a', 'b'], '"b" is not expected here'],
    [['create', ''], 'give a name for the key'],
    [['create', 'ci', '--scope', 'two words'], '"two words" is not a scope'],
    [['create', 'ci', '--expires', 'soon'], '--expires must be a time'],
    [['create', 'ci', '--expires', '0s'], '--expires must be longer than nothing'],
    [['revoke', 'nobody'], 'there is no key "nobody"'],
    [['revoke'], 'give the id of a key'],
    [['list', 'ci'], 'list takes no name'],
    [['lst'], 'Did you mean "list"?'],
  ])('explains what is wrong with %j', async (words, message) => {
    const { code, err, out } = await keys(...words)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    if (words[0] === 'create') expect((await keys('list')).out).toBe('No keys.\n')
  })

  it.each([[[]], [['--store', 'memory:']]])('needs a store that outlives it: %j', async (words) => {
    const { code, err } = await place.run('keys', 'create', 'ci', ...words)
    expect([code, err]).toEqual([2, expect.stringContaining('give the store of the service')])
  })
})
