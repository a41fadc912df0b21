import type { HttpResponse } from '../wire/http.ts'

const TITLES: Readonly<Record<number, string>> = {
  403: 'Forbidden',
  404: 'Not Found',
  405: 'Method Not Allowed',
}

/** Answers in RFC 9457 form where no surface is responsible. */
export function problemResponse(
  status: number,
  detail: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: JSON.stringify({ type: 'about:blank', title: TITLES[status], status, detail }),
  }
}
