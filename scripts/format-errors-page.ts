import { CODES } from '../src/errors/codes.ts'

/** Writes docs/reference/errors.md from the table of codes. */
export function formatErrorsPage(): string {
  const rows = Object.entries(CODES).map(
    ([code, { status, rpc, retryable, message }]) =>
      `| \`${code}\` | ${status} | ${rpc} | ${retryable ? 'yes' : 'no'} | ${message} |`,
  )
  return `# Errors

Written by \`npm run docs:errors\` from \`src/errors/codes.ts\`; a test fails when the two differ.

Every failure is data: \`{ code, message, source?, details? }\`, one entry per finding. Decide by \`code\`; \`source.pointer\` says
where in the request the problem is. Two or more errors in one answer are HTTP 400. A code that a function declares for itself
is HTTP 400 unless its definition says otherwise.

| code | HTTP | JSON-RPC | retry | default message |
| --- | ---: | ---: | --- | --- |
${rows.join('\n')}

Next: [errors of your own](../guides/functions.md), [codes a client makes](../guides/client.md#client-codes), [retries](../guides/client.md#retries).
`
}
