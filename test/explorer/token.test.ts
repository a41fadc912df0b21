import { execFileSync } from 'node:child_process'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createFixture, EVIL } from './fixtures.ts'
import { button, describeInBrowser, editor, FOREIGN_ELEMENTS, result, rows, soon } from './pages.ts'

describeInBrowser(
  'the explorer in a browser',
  { permissions: ['clipboard-read', 'clipboard-write'] },
  ({ open, origin }) => {
    describe('the token', () => {
      const guarded = (refusal: 401 | 403) =>
        createFixture({
          allowExecute: true,
          authHook: async (request, next) => {
            if (refusal === 401 && request.header('authorization') !== "Bearer abc'def")
              throw new Error('no')
            await next()
          },
        })
      const setToken = async (page: Page, token: string) => {
        await page.getByRole('button', { name: /Authorization/ }).click()
        await page.getByLabel('Token', { exact: true }).fill(token)
        await button(page, 'Close').click()
      }

      it('[TE-103] [TE-104] [TE-105] is shown as set, sent once as Bearer, and stored nowhere', async () => {
        const page = await open(guarded(401), '#/tool/echo')
        await page.getByText('No token').waitFor()
        for (const token of ["abc'def", "Bearer abc'def", "bearer abc'def"]) {
          await setToken(page, token)
          await page.getByText('Token set').waitFor()
          const [request] = await Promise.all([
            page.waitForRequest(/\/call$/),
            button(page, 'Execute').click(),
          ])
          expect(request.headers()['authorization']).toMatch(/^bearer abc'def$/i)
          await page.getByText(/(Completed|Failed) in/).waitFor()
        }
        expect(
          await page.evaluate(
            'JSON.stringify([{...localStorage}, {...sessionStorage}, document.cookie])',
          ),
        ).not.toContain('abc')
        await page.reload()
        await page.getByText('No token').waitFor()
      })

      it('is kept for the tab when asked to', async () => {
        const page = await open(guarded(401), '#/tool/echo')
        await page.getByRole('button', { name: /Authorization/ }).click()
        await page.getByLabel('Token', { exact: true }).fill('kept')
        await page.getByLabel(/Keep it until this tab/).check()
        await page.reload()
        await page.getByText('Token set').waitFor()
      })

      it('[TE-114] is asked for when the server says 401', async () => {
        const page = await open(guarded(401), '#/tool/echo')
        await setToken(page, 'wrong')
        await button(page, 'Execute').click()
        await page.getByText(/Unauthorized.*Set one under Authorization/).waitFor()
        await setToken(page, "abc'def")
        await button(page, 'Execute').click()
        await page.getByText(/Completed in/).waitFor()
      })

      it('[TE-114] changes nothing about a 403, which takes Execute away', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        await page.route('**/call', (route) =>
          route.fulfill({ status: 403, json: { error: 'Tool execution is disabled.' } }),
        )
        await button(page, 'Execute').click()
        await page.getByText('Launch with --allow-execute').waitFor()
        expect(await button(page, 'Execute').count()).toBe(0)
        expect(await button(page, 'Validate').count()).toBe(1)
      })

      it('[TE-115] [TE-116] goes into the cURL line, which a shell reads as it was meant', async () => {
        const page = await open(createFixture(), `#/tool/${encodeURIComponent("it's")}`)
        const snippet = page.locator('.snippet')
        expect(await snippet.textContent()).not.toContain('authorization')
        await setToken(page, "abc'def")
        await editor(page).fill(JSON.stringify({ text: `it's "$HOME" \`x\` \\ !` }))
        const lines = (await snippet.textContent()) ?? ''
        const [method, url, ...rest] = readShell(lines)
        expect([method, url]).toEqual(['-X', 'POST'])
        expect(rest).toEqual([
          `${origin()}/explorer/tools/it's/call`,
          '-H',
          'content-type: application/json',
          '-H',
          "authorization: Bearer abc'def",
          '-d',
          JSON.stringify({ text: `it's "$HOME" \`x\` \\ !` }),
        ])
      })

      it('[TE-117] is copied with the line, and the button says so for a moment', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        const copy = page.locator('section[aria-label="Code"]').getByRole('button', { name: /Cop/ })
        await copy.click()
        await soon(() => copy.textContent()).toBe('Copied!')
        expect(await page.evaluate('navigator.clipboard.readText()')).toContain('curl -X POST')
        await soon(() => copy.textContent()).toBe('Copy')
      })

      it('brings a list that was refused', async () => {
        const page = await open(createFixture({ tools: [{ name: 'late' }] }))
        await page.route('**/tools', (route) =>
          route.request().headers()['authorization'] === undefined
            ? route.fulfill({ status: 401, json: { error: 'Unauthorized' } })
            : route.continue(),
        )
        await page.reload()
        await page.getByText(/the server wants a valid token/).waitFor()
        await setToken(page, 'any')
        await rows(page).filter({ hasText: 'late' }).waitFor()
      })
    })

    describe('a hostile tool', () => {
      it('[TE-99] cannot put anything but text into the page', async () => {
        const page = await open(createFixture(), `#/tool/${encodeURIComponent(`evil ${EVIL}`)}`)
        page.on('dialog', () => expect.unreachable('a dialog was opened'))
        await editor(page).waitFor()
        await page.getByRole('searchbox').fill('pwned')
        await page.getByRole('searchbox').fill('')
        await button(page, 'Validate').click()
        await page.locator('.verdict li').first().waitFor()
        await button(page, 'Execute').click()
        await page.getByText(/Completed in/).waitFor()
        for (const tab of ['Raw MCP', 'Result', 'TypeScript', 'MCP client', 'cURL']) {
          await page.getByRole('tab', { name: tab }).click()
        }
        await page.goto(`${page.url().split('#')[0]}#/overview`)
        await page.locator('.history-row').waitFor()
        expect(await page.evaluate('window.pwned')).toBeUndefined()
        expect(await page.evaluate('violations')).toEqual([])
        expect(await page.evaluate(FOREIGN_ELEMENTS)).toEqual([])
      })

      it('[TE-99] whose picture claims a strange type is shown as JSON', async () => {
        const page = await open(createFixture(), `#/tool/${encodeURIComponent(`evil ${EVIL}`)}`)
        await button(page, 'Execute').click()
        await page.getByText(/Completed in/).waitFor()
        expect(await page.locator('main img').count()).toBe(0)
        expect(await page.locator('main a[href^="javascript"]').count()).toBe(0)
        expect(await result(page).textContent()).toContain('image/svg+xml')
      })
    })
  },
)

/** Reads the arguments a shell would hand to curl. */
function readShell(line: string): readonly string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${line}\n`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}
