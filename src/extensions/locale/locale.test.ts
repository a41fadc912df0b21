import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import type { CallFacts } from '../../core/call.ts'
import { defineFunction } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import { type LocaleExtensionOptions, localeExtension } from './locale.ts'

const URN = 'urn:forrst:ext:locale'

const OPTIONS: LocaleExtensionOptions = {
  languages: ['en', 'zh-Hans', 'fr'],
  messages: {
    de: {
      NOT_FOUND: 'Bestellung nicht gefunden',
      INVALID_ARGUMENTS: ({ message }) => `Ungültig: ${message}`,
    },
    'de-AT': { CONFLICT: 'Leider schon vergeben' },
  },
}

function setUp(options: LocaleExtensionOptions = OPTIONS) {
  const facts: CallFacts[] = []
  const service = createService({
    info: { title: 'Orders', version: '1.0.0' },
    unknownArguments: 'ignore',
    functions: [
      defineFunction({
        name: 'orders.get',
        version: '1.0.0',
        handler({ call: current }) {
          facts.push(current.facts)
          const { fail } = current.arguments
          if (typeof fail === 'string') throw new CallError(fail, { message: 'in English' })
          return { ok: true }
        },
      }),
    ],
    defaults: false,
    extensions: [localeExtension(options)],
    log: createTestLog(),
  })
  const ask = (
    locale: Record<string, unknown> | undefined,
    { fail, header }: { readonly fail?: string; readonly header?: string } = {},
  ) =>
    call(
      service,
      {
        function: 'orders.get',
        arguments: fail === undefined ? {} : { fail },
        ...(locale && { extensions: [{ urn: URN, options: locale }] }),
      },
      header === undefined ? {} : { headers: { 'accept-language': header } },
    )
  return { ask, facts, service }
}

describe('locale extension', () => {
  it('[F-217] states language, time zone and currency of the answer', async () => {
    const { ask, facts } = setUp()
    const response = await ask({
      language: 'de-DE',
      fallback: ['de', 'en'],
      timezone: 'Europe/Berlin',
      currency: 'EUR',
    })
    expect(dataOf(response, URN)).toEqual({
      language: 'de',
      fallback_used: false,
      timezone: 'Europe/Berlin',
      currency: 'EUR',
    })
    expect(response.headers['content-language']).toBe('de')
    expect(facts[0]?.locale).toEqual({
      language: 'de',
      timezone: 'Europe/Berlin',
      currency: 'EUR',
    })
  })

  it.each([
    [{ language: 'fr' }, 'fr', false],
    [{ language: 'FR-ca' }, 'fr', false],
    [{ language: 'zh-Hans-CN' }, 'zh-Hans', false],
    [{ language: 'zh-Hant', fallback: ['pl', 'fr-CA', 'en'] }, 'fr', true],
    [{ language: 'pl', fallback: ['it'] }, 'en', true],
    [{ language: 'pl' }, 'en', true],
    [{ language: 'en-GB' }, 'en', false],
  ])('[F-218] resolves %j to %s', async (options, language, fallbackUsed) => {
    expect(dataOf(await setUp().ask(options), URN)).toEqual({
      language,
      fallback_used: fallbackUsed,
      timezone: 'UTC',
    })
  })

  it('speaks English when nothing was configured', async () => {
    const { ask } = setUp({})
    expect(dataOf(await ask({ language: 'de' }), URN)).toMatchObject({
      language: 'en',
      fallback_used: true,
    })
  })

  it('words errors in the language, and in the wider one where a region says nothing', async () => {
    const { ask } = setUp()
    const message = async (language: string, fail: string) =>
      (await ask({ language }, { fail })).body.errors?.[0].message
    expect(await message('de', 'NOT_FOUND')).toBe('Bestellung nicht gefunden')
    expect(await message('de-AT', 'CONFLICT')).toBe('Leider schon vergeben')
    expect(await message('de-AT', 'NOT_FOUND')).toBe('Bestellung nicht gefunden')
    expect(await message('de', 'CONFLICT')).toBe('in English')
    expect(await message('de', 'INVALID_ARGUMENTS')).toBe('Ungültig: in English')
    expect(await message('fr', 'NOT_FOUND')).toBe('in English')
  })

  it('[F-217] states the language of an error too', async () => {
    const response = await setUp().ask({ language: 'de' }, { fail: 'NOT_FOUND' })
    expect(response.status).toBe(404)
    expect(dataOf(response, URN)).toMatchObject({ language: 'de' })
  })

  it('reads Accept-Language and answers in a header only', async () => {
    const { ask, facts } = setUp()
    const response = await ask(undefined, {
      header: 'pl, de-DE;q=0.9, fr;q=0.8',
      fail: 'NOT_FOUND',
    })
    expect(response.body.errors?.[0].message).toBe('Bestellung nicht gefunden')
    expect(response.headers['content-language']).toBe('de')
    expect(response.body.extensions).toBeUndefined()
    expect(facts[0]?.locale).toEqual({ language: 'de', timezone: 'UTC' })
  })

  it.each(['*', '', 'nonsense!', ';;;'])(
    'asks for nothing with Accept-Language %j',
    async (header) => {
      const { ask, facts } = setUp()
      const response = await ask(undefined, { header })
      expect(response.status).toBe(200)
      expect(response.headers).not.toHaveProperty('content-language')
      expect(facts[0]).not.toHaveProperty('locale')
    },
  )

  it('[F-56] believes the extension when the header differs', async () => {
    const response = await setUp().ask({ language: 'fr' }, { header: 'de' })
    expect(dataOf(response, URN)).toMatchObject({ language: 'fr' })
    expect(response.headers['content-language']).toBe('fr')
  })

  it('lists its languages in capabilities', async () => {
    const response = await call(setUp().service, { function: 'urn:cline:forrst:fn:capabilities' })
    expect(response.body.result).toMatchObject({
      extensions: [
        {
          urn: URN,
          supported_languages: ['en', 'zh-Hans', 'fr', 'de', 'de-AT'],
          default_language: 'en',
        },
      ],
    })
  })

  it.each([
    [{}, 'language'],
    [{ language: 5 }, 'language'],
    [{ language: 'en_US' }, 'language'],
    [{ language: 'en', fallback: 'de' }, 'fallback'],
    [{ language: 'en', fallback: ['de', 'not a tag'] }, 'fallback/1'],
    [{ language: 'en', fallback: ['de', 7] }, 'fallback/1'],
    [{ language: 'en', timezone: 'Mars/Olympus' }, 'timezone'],
    [{ language: 'en', timezone: '+01:00' }, 'timezone'],
    [{ language: 'en', timezone: 1 }, 'timezone'],
    [{ language: 'en', currency: 'euro' }, 'currency'],
    [{ language: 'en', currency: 'XYZ' }, 'currency'],
  ])('refuses the options %j', async (options, path) => {
    expect((await setUp().ask(options)).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${path}` },
    })
  })

  it('refuses a catalogue under something that is not a language', () => {
    expect(() => localeExtension({ messages: { german_: {} } })).toThrow(/"german_"/)
  })
})
