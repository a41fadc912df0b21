import { describe, expect, it } from 'vitest'
import { envNamesOf, escapeEnvText, expandEnvText, parseEnvText } from './format.ts'

const ENV: Record<string, string> = { HOST: 'a.example', EMPTY: '' }
const read = (name: string): string | undefined => ENV[name]
const $ = '$'

describe('references to the environment', () => {
  it('fills variables and fallbacks', () => {
    expect(expandEnvText(`https://${$}{HOST}/v1`, read)).toEqual({
      ok: true,
      text: 'https://a.example/v1',
    })
    expect(expandEnvText(`${$}{PORT:-80}`, read)).toEqual({ ok: true, text: '80' })
    expect(expandEnvText(`${$}{HOST:-b}`, read)).toEqual({ ok: true, text: 'a.example' })
  })

  it('names every variable that is unset or empty, never fills nothing in', () => {
    expect(expandEnvText(`${$}{A}/${$}{EMPTY}/${$}{A}`, read)).toEqual({
      ok: false,
      missing: ['A', 'EMPTY'],
    })
  })

  it('takes a doubled dollar as a plain one', () => {
    expect(expandEnvText(`a${$}${$}{HOST}`, read)).toEqual({ ok: true, text: `a${$}{HOST}` })
    expect(parseEnvText(escapeEnvText(`x${$}{A}y`))).toEqual([{ text: `x${$}{A}y` }])
  })

  it('lists the variables once each', () => {
    expect(envNamesOf(`${$}{A}${$}{B:-x}${$}{A}`)).toEqual(['A', 'B'])
    expect(envNamesOf('{A} $A')).toEqual([])
  })
})
