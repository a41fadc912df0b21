import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkplace } from '../cli/run-main.ts'
import { acme, co, openApi, profile, routes, shopping, V } from './written-case.ts'

const place = createWorkplace()
const write = (name: string, value: unknown) => place.write(name, JSON.stringify(value))

describe('waymark negotiate over the network', () => {
  const OLD = '2026-01-23'
  const asked: string[] = []
  const pages = new Map<string, unknown>()
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    asked.push(path)
    response.statusCode = pages.has(path) ? 200 : 404
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(pages.get(path) ?? {}))
  })
  let origin = ''

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const entry = {
      version: OLD,
      transport: 'rest',
      endpoint: origin,
      schema: `${origin}/api.json`,
    }
    const leaf = profile(
      { [co]: { version: OLD, operations: ['create_checkout'] } },
      { version: OLD, services: { [shopping]: [entry] } },
    )
    const links = {
      supported_versions: { [OLD]: `${origin}/old.json`, '2026-01-11': `${origin}/gone` },
    }
    pages.set('/.well-known/ucp', profile({ [co]: { operations: [] } }, { services: {}, ...links }))
    pages.set('/old.json', leaf)
    pages.set('/api.json', openApi(routes('create_checkout')))
    for (const version of [V, OLD, '2026-01-11']) {
      write(`${version}.json`, profile({ [co]: { version } }, { version, services: {} }))
    }
  })
  afterAll(() => {
    server.close()
  })

  const negotiate = async (platform: string) => {
    asked.length = 0
    return place.run('negotiate', origin, platform, '--allow-loopback', '--json')
  }

  it('fetches the leaf profile of an older version and its documents [UCP-36]', async () => {
    const { out } = await negotiate(`${OLD}.json`)
    expect(JSON.parse(out)).toMatchObject({
      outcome: 'ok',
      protocol_version: OLD,
      active: { [co]: OLD },
      operation_ids: ['create_checkout'],
    })
    expect(asked).toEqual(['/.well-known/ucp', '/old.json', '/api.json'])
  })

  it('fetches no leaf for the current version [UCP-35]', async () => {
    const { out } = await negotiate(`${V}.json`)
    expect(JSON.parse(out)).toMatchObject({ outcome: 'ok', protocol_version: V })
    expect(asked).toEqual(['/.well-known/ucp'])
  })

  it('fetches what an extension requires from the platform when the business names no schema', async () => {
    const bonus = acme('bonus')
    const members = { extends: co, schema: undefined }
    pages.set('/bonus.json', { requires: { protocol: { min: '2027-01-01' } } })
    write('bare.json', profile({ [co]: { operations: [] }, [bonus]: members }, { services: {} }))
    write(
      'knowing.json',
      profile(
        { [co]: {}, [bonus]: { ...members, schema: `${origin}/bonus.json` } },
        { services: {} },
      ),
    )
    const run = await place.run(
      'negotiate',
      'bare.json',
      'knowing.json',
      '--allow-loopback',
      '--json',
    )
    expect(JSON.parse(run.out)).toMatchObject({ excluded: { [bonus]: 'requires_violated' } })
  })

  it('says which leaf profile cannot be fetched', async () => {
    const { code, err } = await negotiate('2026-01-11.json')
    expect(err).toContain(`the profile at ${origin}/gone cannot be fetched`)
    expect(code).toBe(3)
  })
})

describe('waymark negotiate and check with input that is wrong', () => {
  write('profile.json', profile({ [co]: { operations: [] } }))
  write('list.json', [])
  write('documents.json', {})
  place.write('broken.json', '{"ucp":')
  const pair = ['profile.json', 'profile.json', '--documents', 'documents.json']

  it.each([
    [['negotiate', 'https://[', 'profile.json'], '"https://[" is not a URL'],
    [['negotiate', 'profile.json', 'http://a b/'], '"http://a b/" is not a URL'],
    [['negotiate', 'nothing.json', 'profile.json'], 'nothing.json does not exist'],
    [['negotiate', 'broken.json', 'profile.json'], 'broken.json is not JSON'],
    [
      ['negotiate', 'profile.json', 'profile.json', '--documents', 'list.json'],
      'must hold a JSON object',
    ],
    [['negotiate', ...pair, '--transports', 'rest,smtp'], 'got "smtp"'],
    [['negotiate', ...pair, '--rules', '2026-13-99'], '--rules must be a date'],
    [['negotiate', ...pair, '--fallback', 'list.json'], '--fallback list.json: the table must be'],
    [['check', 'profile.json', '--documents', 'list.json'], 'must hold a JSON object'],
    [['check', 'profile.json', '--documents', 'broken.json'], 'broken.json is not JSON'],
  ])('%j says what is wrong in one line', async (args, message) => {
    const { code, err } = await place.run(...args)
    expect(err).toContain(message)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(2)
  })

  it('names the side of a profile that is not an object', async () => {
    const { out } = await place.run(
      'negotiate',
      'list.json',
      'profile.json',
      '--documents',
      'documents.json',
    )
    expect(out).toContain('error: business: the profile cannot be used')
  })
})
