import { expect, it } from 'vitest'
import { authenticateByToken } from './authenticate-by-token.ts'

function ask(token: string | undefined, authorization: string | undefined): unknown {
  const header = (name: string) => (name === 'authorization' ? authorization : undefined)
  try {
    return authenticateByToken(token)({ header, surface: 'rest' })
  } catch (thrown) {
    return (thrown as { code: string }).code
  }
}

it('knows the caller who sends the token, and nobody else', () => {
  expect(ask('sesame', 'Bearer sesame')).toEqual({ id: 'token' })
  for (const given of [undefined, '', 'sesame', 'Bearer ', 'Bearer other', 'Bearer sesame2', 'é']) {
    expect(ask('sesame', given)).toBe('UNAUTHORIZED')
  }
})

it.each([undefined, ''])('refuses everybody while the token is %j', (token) => {
  for (const given of [undefined, '', 'Bearer', 'Bearer ', 'Bearer undefined']) {
    expect(ask(token, given)).toBe('UNAUTHORIZED')
  }
})
