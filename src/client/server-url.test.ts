import { describe, expect, it } from 'vitest'
import { resolveServerUrl } from '../entries/client.ts'

const production = {
  name: 'production',
  url: 'https://{region}.api.example.com/{base}/forrst',
  variables: {
    region: { default: 'us-east', enum: ['us-east', 'eu-west'] },
    base: { default: 'v1' },
  },
}

describe('the URL of a server', () => {
  it('[F-148] has every variable replaced by its default', () => {
    expect(resolveServerUrl(production)).toBe('https://us-east.api.example.com/v1/forrst')
  })

  it('[F-148] has the given values in place of defaults', () => {
    expect(resolveServerUrl(production, { region: 'eu-west', base: 'v2' })).toBe(
      'https://eu-west.api.example.com/v2/forrst',
    )
  })

  it('[F-148] has every occurrence of a variable replaced', () => {
    const server = { name: 's', url: 'http://{a}/{a}', variables: { a: { default: 'x' } } }
    expect(resolveServerUrl(server)).toBe('http://x/x')
  })

  it('stays as it is without variables', () => {
    expect(resolveServerUrl({ name: 's', url: 'http://127.0.0.1/' })).toBe('http://127.0.0.1/')
  })

  it.each<[string, Parameters<typeof resolveServerUrl>, RegExp]>([
    [
      'a value outside the list',
      [production, { region: 'mars' }],
      /region must be one of us-east, eu-west, not "mars"/,
    ],
    [
      'a value for no variable',
      [production, { regoin: 'eu-west' }],
      /no variable "regoin"; known: region, base/,
    ],
    [
      'a template without variable',
      [{ name: 's', url: 'http://{zone}/' }],
      /\{zone\}.*no variable "zone"/,
    ],
    [
      'a name of the language',
      [{ name: 's', url: 'http://{constructor}/' }],
      /no variable "constructor"/,
    ],
    ['an unbalanced brace', [{ name: 's', url: 'http://{zone/' }], /unbalanced brace/],
  ])('is refused with CLIENT_INVALID_SERVER and the name: %s', (_, input, message) => {
    expect(() => resolveServerUrl(...input)).toThrow(message)
    expect(() => resolveServerUrl(...input)).toThrow(
      expect.objectContaining({ code: 'CLIENT_INVALID_SERVER' }),
    )
  })
})
