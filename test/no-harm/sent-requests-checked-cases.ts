import type { SentCase } from './sent-requests-cases.ts'

const NO_ENGINE =
  'generated code has no engine but that of JavaScript, on which this pattern could take for ever'

const pattern = (
  title: string,
  text: string,
  value: string,
  more: Partial<SentCase>,
): SentCase => ({
  title: `pattern: ${title}`,
  method: 'get',
  operation: {
    parameters: [{ name: 'q', in: 'query', schema: { type: 'string', pattern: text } }],
  },
  args: { q: value },
  ...more,
})

/** What is checked before a request leaves. */
export const CHECKED_CASES: readonly SentCase[] = [
  pattern('a plain one is checked everywhere', '^[a-z]+$', 'A1', {}),
  pattern('a costly one refuses a value', '^(a+)+$', 'b', {
    reported: true,
    sentByGeneratedCode: NO_ENGINE,
  }),
  pattern('a costly one takes a value', '^(a+)+$', 'aa', { sent: { url: '?q=aa' } }),
  pattern('one that nobody can check takes any value', '^(a)\\1$', 'b', { sent: { url: '?q=b' } }),
]
