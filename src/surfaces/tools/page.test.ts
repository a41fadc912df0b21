import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { ask } from '../../../test/explorer/ask.ts'
import { createToolApi, type ToolApiOptions } from '../../entries/tools.ts'

async function page(options: Partial<ToolApiOptions> = {}) {
  return ask(createToolApi({ tools: [], call: () => [[], false], ...options }), '/explorer/')
}

describe('GET /', () => {
  it('[TE-84] answers HTML', async () => {
    const { status, headers } = await page()
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/html; charset=utf-8')
  })

  it('[TE-85] [TE-86] carries the title everywhere', async () => {
    expect((await page()).text.match(/MCP Tool Explorer/g)).toHaveLength(2)
    const { text } = await page({ title: 'Orders' })
    expect(text).toContain('<title>Orders</title>')
    expect(text).not.toContain('MCP Tool Explorer')
  })

  it('[TE-87] [TE-90] escapes the title and takes replacement patterns literally', async () => {
    const { text } = await page({ title: `</title><script>$& it's "x" & more` })
    expect(text).toContain('&lt;/title&gt;&lt;script&gt;$&amp; it&#x27;s &quot;x&quot; &amp; more')
  })

  it('[TE-88] leaves no placeholder', async () => {
    expect((await page()).text).not.toMatch(/\{\{[A-Z_]+\}\}/)
  })

  it('fills placeholders once: a value that looks like one stays as it is', async () => {
    const { text } = await page({
      title: '{{ALLOW_EXECUTE}} {{PROJECT_LINK}}',
      projectName: '{{TITLE}}',
    })
    expect(text).toContain('<title>{{ALLOW_EXECUTE}} {{PROJECT_LINK}}</title>')
    expect(text).toContain('&middot; {{TITLE}}')
  })

  it('[TE-89] states in the script whether tools may be executed', async () => {
    expect((await page()).text).toContain('var executeEnabled = false;')
    expect((await page({ allowExecute: true })).text).toContain('var executeEnabled = true;')
  })

  it('[TE-91] [TE-92] [TE-94] adds the project to the footer when it has a name, escaped', async () => {
    expect((await page({ projectUrl: 'https://example.com' })).text).not.toContain('&middot;')
    const { text } = await page({ projectName: '<b>P</b>' })
    expect(text).toContain(' &middot; &lt;b&gt;P&lt;/b&gt;</footer>')
  })

  it.each([
    'https://example.com/a?b=1&c="',
    'HTTPS://EXAMPLE.COM',
    'http://example.com',
    'mailto:a@example.com',
    '/path',
    '/',
  ])('[TE-93] [TE-96] links the project to %s', async (projectUrl) => {
    const { text } = await page({ projectName: 'Orders', projectUrl })
    expect(text).toMatch(
      /&middot; <a href="[^"]+" target="_blank" rel="noopener noreferrer">Orders<\/a>/,
    )
  })

  it.each([
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    '  javascript:alert(1)',
    'java\tscript:alert(1)',
    'java\nscript:alert(1)',
    'java\rscript:alert(1)',
    '\x01javascript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:alert(1)',
    '//evil.example',
    '/\\evil.example',
    '/\t/evil.example',
    'ftp://evil.example',
  ])('[TE-95] shows only the name for the address %j', async (projectUrl) => {
    const { text } = await page({ projectName: 'Orders', projectUrl })
    expect(text).toContain(' &middot; Orders</footer>')
    expect(text).not.toMatch(/alert\(1\)|evil\.example/)
  })

  it('[TE-97] names no other host in anything that loads', async () => {
    const { text } = await page()
    const loaded = [...text.matchAll(/(?:src|href)="([^"]*)"|url\(([^)]*)\)|@import/g)].map(
      ([whole]) => whole,
    )
    expect(loaded.filter((reference) => !/^(?:src|href)="(?:data:|#)/.test(reference))).toEqual([])
  })

  it('allows its own script and style by hash, and nothing else', async () => {
    const { text, headers } = await page({ title: 'Any', allowExecute: true })
    const policy = String(headers['content-security-policy'])
    for (const [, , body] of text.matchAll(/<(script|style)(?: [^>]*)?>([\s\S]*?)<\/\1>/g)) {
      expect(policy).toContain(
        `'sha256-${createHash('sha256')
          .update(body ?? '')
          .digest('base64')}'`,
      )
    }
    expect(policy).not.toContain('unsafe')
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("require-trusted-types-for 'script'")
    expect(text).not.toMatch(/<[^>]+ on[a-z]+=/)
  })

  it('forbids sniffing, framing and referrers', async () => {
    expect((await page()).headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  it('is at most 90 kB compressed', async () => {
    expect(gzipSync((await page()).bytes).byteLength).toBeLessThan(90_000)
  })
})
