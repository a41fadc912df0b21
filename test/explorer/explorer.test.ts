import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, Page, Request } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import type { App } from 'waymark'
import { findBrowser, launchBrowser } from './browser.ts'
import { createDemo } from './demo.ts'
import { createCrowd, createFixture, EVIL } from './fixtures.ts'
import { startServer, type TestServer } from './server.ts'

const path = await findBrowser()
const PATIENCE_MS = 30_000
if (path === undefined && process.env['CI'] === 'true') {
  throw new Error('CI must test the explorer in a browser: install Chromium or set CHROME_PATH')
}

describe.skipIf(path === undefined)(
  'the explorer in a browser (skipped where no Chrome or Chromium is found)',
  () => {
    let browser: Browser
    let context: BrowserContext
    let server: TestServer
    let page: Page
    /** What the page did wrong behind the scenes. */
    const faults: string[] = []

    vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
    beforeAll(async () => {
      browser = await launchBrowser(path ?? '')
      context = await browser.newContext({
        viewport: { width: 1400, height: 900 },
        permissions: ['clipboard-read', 'clipboard-write'],
      })
      await context.addInitScript(WATCH_POLICY)
    })
    afterAll(() => browser?.close())
    afterEach(async () => {
      await page?.close()
      await server?.close()
      expect(faults.splice(0)).toEqual([])
    })

    /** Opens the explorer of an app at a port, and so an origin, of its own. */
    async function open(
      app: App,
      hash = '',
      options: { readonly dark?: boolean; readonly at?: string } = {},
    ): Promise<Page> {
      server = await startServer(app)
      page = await context.newPage()
      page.setDefaultTimeout(PATIENCE_MS)
      page.on('pageerror', (error) => faults.push(error.message))
      page.on('console', (message) => {
        const ignored = message.text().startsWith('Failed to load resource')
        if (message.type() === 'error' && !ignored) faults.push(message.text())
      })
      await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light' })
      await page.goto(`${server.url}${options.at ?? '/explorer/'}${hash}`)
      await page.locator('.tool-row, .trouble').first().waitFor()
      return page
    }

    /** Waits for something to become true, patiently: the machine may be busy. */
    const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: PATIENCE_MS })
    const editor = (page: Page) => page.getByRole('textbox', { name: 'Arguments as JSON' })
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    const result = (page: Page) => page.locator('.result-body')
    const rows = (page: Page) => page.locator('.tool-row')
    const openTool = (page: Page, name: string) =>
      rows(page).filter({ hasText: name }).first().click()
    const read = async (page: Page) =>
      JSON.parse(await editor(page).inputValue()) as Record<string, unknown>

    describe('finding', () => {
      it('[TE-102] finds by name or description in any case, and opens the first hit with Enter', async () => {
        const page = await open(createFixture())
        await page.keyboard.press('/')
        await page.keyboard.type('FORECAST')
        await soon(() => rows(page).count()).toBe(1)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'weather' }).waitFor()
        await page.getByRole('searchbox').fill('ECHO')
        await soon(() => rows(page).allTextContents()).toEqual([expect.stringContaining('echo')])
      })

      it('finds by the name of a parameter when the service describes itself', async () => {
        const page = await open(createDemo())
        await page.getByRole('searchbox').fill('venue_id')
        await soon(() => rows(page).allTextContents()).toContainEqual(
          expect.stringContaining('venues.get'),
        )
      })

      it('[TE-100] shows the hints a tool gives, and only those', async () => {
        const page = await open(createFixture())
        const badges = (name: string) =>
          rows(page).filter({ hasText: name }).locator('.badge').allTextContents()
        expect(await badges('weather')).toEqual(['readOnly', 'closedWorld'])
        expect(await badges('echo')).toEqual(['idempotent'])
        expect(await badges('wipe')).toEqual(['destructive'])
        expect(await badges('boom')).toEqual([])
      })

      it('[TE-101] has one tool open at a time and fetches it once', async () => {
        const page = await open(createFixture())
        const asked: string[] = []
        page.on('request', (request) => asked.push(new URL(request.url()).pathname))
        await openTool(page, 'weather')
        await page.getByRole('heading', { name: 'weather' }).waitFor()
        await openTool(page, 'boom')
        await page.getByRole('heading', { name: 'boom' }).waitFor()
        expect(await page.locator('.tool-head').count()).toBe(1)
        await openTool(page, 'weather')
        await page.getByRole('heading', { name: 'weather' }).waitFor()
        expect(asked.filter((one) => one.endsWith('/tools/weather'))).toHaveLength(1)
      })

      it.each(['/explorer', '/explorer/'])(
        '[TE-98] asks below its own address at %s',
        async (at) => {
          const page = await open(createFixture(), '', { at })
          await openTool(page, 'echo')
          await button(page, 'Execute').click()
          await page.getByText(/Completed in/).waitFor()
        },
      )

      it('walks through the list with the keyboard alone', async () => {
        const page = await open(createFixture())
        await page.keyboard.press('/')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('ArrowDown')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'echo' }).waitFor()
        await page.locator('main').focus()
        await page.keyboard.press('j')
        await page.getByRole('heading', { name: 'wipe' }).waitFor()
        await page.keyboard.press('Control+k')
        await page.keyboard.type('boom')
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'boom' }).waitFor()
      })
    })

    describe('10,000 tools', () => {
      it('are searched as they are typed; only the rows in sight exist', async () => {
        const page = await open(createCrowd(10_000))
        expect(await rows(page).count()).toBeLessThan(40)
        await page.evaluate(WATCH_SEARCH)
        await page.getByRole('searchbox').focus()
        for (const key of 'tool_7342') await page.keyboard.press(key)
        await soon(() => rows(page).allTextContents()).toEqual([
          expect.stringContaining('tool_7342'),
        ])
        const times = (await page.evaluate('searchTimes')) as number[]
        const slowest = Math.max(...times)
        console.log(
          `explorer: 10,000 tools, first result ${slowest.toFixed(1)} ms after a key press (slowest of ${times.length})`,
        )
        expect(times.length).toBeGreaterThan(4)
      })

      it('scroll to any place', async () => {
        const page = await open(createCrowd(10_000))
        await page.evaluate(`document.querySelector('.tool-list').scrollTo(0, 1e7)`)
        await soon(() => rows(page).last().textContent()).toContain('tool_9999')
      })

      it('say how soon the page can be used', async () => {
        const page = await open(createCrowd(100))
        const ready = (await page.evaluate(READY_AFTER)) as number
        console.log(`explorer: ready ${ready.toFixed(0)} ms after its last byte`)
        expect(ready).toBeGreaterThan(0)
      })
    })

    describe('the form', () => {
      it('[TE-106] [TE-108] [TE-109] begins with exactly the required names, their defaults or null', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        await editor(page).waitFor()
        expect(await read(page)).toEqual({
          city: null,
          days: 3,
          unit: 'celsius',
          orphan: null,
          nested: null,
        })
      })

      it('[TE-107] begins with nothing where nothing is required', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        expect(await editor(page).inputValue()).toBe('{}')
      })

      it('[TE-110] is not valid while a required field without default is untouched', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        await button(page, 'Validate').click()
        await page.getByRole('button', { name: '/city: ' }).waitFor()
      })

      it('stays in step with the text, in both directions', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        await page.getByLabel('city', { exact: true }).fill('Oslo')
        await page.getByLabel('days', { exact: true }).fill('5')
        await page.getByLabel('unit', { exact: true }).selectOption('fahrenheit')
        await soon(() => read(page)).toMatchObject({ city: 'Oslo', days: 5, unit: 'fahrenheit' })
        await editor(page).fill('{"city":"Bergen","days":2,"hourly":false}')
        expect(await page.getByLabel('city', { exact: true }).inputValue()).toBe('Bergen')
        expect(await page.getByRole('radio', { name: 'false' }).isChecked()).toBe(true)
      })

      it('adds, fills and removes optional fields of every kind', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        await page.getByRole('button', { name: /^Add hourly/ }).click()
        await page.getByRole('button', { name: /^Add note/ }).click()
        await button(page, 'Set note to null').click()
        await page.getByRole('button', { name: /^Add tags/ }).click()
        await button(page, 'Add item').click()
        await page.getByLabel('item 1', { exact: true }).fill('wet')
        await page.getByRole('button', { name: /^Add area/ }).click()
        await page.getByRole('combobox', { name: 'Alternative' }).selectOption('Name')
        await page.getByRole('textbox', { name: 'Value' }).fill('Fjord')
        await page.getByRole('button', { name: /^Add extra/ }).click()
        await button(page, 'Add entry').click()
        await page.getByLabel('Name of entry 1').fill('depth')
        await page.getByLabel('Name of entry 1').blur()
        await page.getByLabel('depth', { exact: true }).fill('1.5')
        await soon(() => read(page)).toMatchObject({
          hourly: true,
          note: null,
          tags: ['wet'],
          area: 'Fjord',
          extra: { depth: 1.5 },
        })
        await button(page, 'Remove hourly').click()
        expect(await read(page)).not.toHaveProperty('hourly')
      })

      it('[TE-120] shows what is wrong at the field and in a list, and that all is well once it is repaired', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        await editor(page).fill(
          '{"city":"Oslo","days":0,"unit":"celsius","orphan":1,"nested":{"a":"x"}}',
        )
        await button(page, 'Validate').click()
        const wrong = page.getByLabel('days', { exact: true })
        await soon(() => wrong.getAttribute('aria-invalid')).toBe('true')
        expect(await page.locator('[data-pointer="/days"] .field-error').textContent()).toContain(
          '1',
        )
        expect(await page.locator('.verdict li').allTextContents()).toEqual([
          expect.stringMatching(/^\/days: /),
        ])
        await page.locator('.verdict li button').click()
        await wrong.fill('4')
        await page.getByText('Input is valid.').waitFor()
      })

      it('marks an alternative as soon as one of its members is filled in', async () => {
        const page = await open(createDemo(), '#/tool/events__schedule')
        await page.getByLabel('venue_id', { exact: true }).fill('ven_1')
        await soon(() => read(page)).toMatchObject({
          location: { kind: 'venue', venue_id: 'ven_1' },
        })
      })

      it('[TE-119] says at once that text is no JSON and sends nothing', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        const sent: Request[] = []
        await editor(page).fill('{"a":')
        await page.getByText(/Not valid JSON/).waitFor()
        page.on('request', (request) => sent.push(request))
        await button(page, 'Execute').click()
        await button(page, 'Validate').click()
        await page.waitForTimeout(100)
        expect(sent).toEqual([])
      })
    })

    describe('running', () => {
      it('[TE-111] shows that it runs, can be waited for, and comes back', async () => {
        const page = await open(createFixture(), '#/tool/slow')
        await button(page, 'Execute').click()
        const running = button(page, 'Executing...')
        await running.waitFor()
        expect(await running.isDisabled()).toBe(true)
        await page.getByText(/Completed in \d/).waitFor()
        expect(await button(page, 'Execute').isEnabled()).toBe(true)
      })

      it('can be cancelled', async () => {
        const page = await open(createFixture(), '#/tool/slow')
        await editor(page).waitFor()
        await page.keyboard.press('Control+Enter')
        await button(page, 'Cancel').click()
        await page.getByText(/^Cancelled/).waitFor()
      })

      it('[TE-112] shows the result as a tree, a table and as it came', async () => {
        const page = await open(createFixture(), '#/tool/rows')
        await button(page, 'Execute').click()
        await soon(() => result(page).locator('.tree').textContent()).toContain('"name": "a"')
        await page.getByRole('tab', { name: 'Table' }).click()
        expect(await page.getByRole('columnheader').allTextContents()).toEqual(['id', 'name'])
        await page.getByRole('tab', { name: 'Raw MCP' }).click()
        expect(JSON.parse((await result(page).textContent()) ?? '')).toEqual({
          content: [{ type: 'text', text: '[{"id":1,"name":"a"},{"id":2,"name":"b"}]' }],
          isError: false,
        })
      })

      it('draws a picture', async () => {
        const page = await open(createFixture(), '#/tool/picture')
        await button(page, 'Execute').click()
        await soon(() =>
          page.evaluate(`document.querySelector('.image-result')?.naturalWidth`),
        ).toBe(1)
      })

      it('[TE-113] shows an error in red', async () => {
        const page = await open(createFixture(), '#/tool/boom')
        await button(page, 'Execute').click()
        const text = result(page).locator('.text-result')
        expect(await text.textContent()).toBe('out of paper')
        expect(
          await page.evaluate(`getComputedStyle(document.querySelector('.text-result')).color`),
        ).toBe('rgb(168, 36, 28)')
      })

      it('remembers calls in this browser and takes them up again', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        await editor(page).fill('{"a":"first"}')
        await button(page, 'Execute').click()
        await page.getByText(/Completed in/).waitFor()
        await page.reload()
        await button(page, 'Reset the arguments').click()
        await page.getByTitle('Use these arguments again').click()
        expect(await read(page)).toEqual({ a: 'first' })
        await button(page, 'Forget').click()
        expect(await page.locator('.history-row').count()).toBe(0)
        expect(await page.evaluate('localStorage.length')).toBe(0)
      })

      it('opens a link with arguments, does not run it, and survives a reload', async () => {
        const args = { city: 'Oslo', days: 2 }
        const page = await open(
          createFixture(),
          `#/tool/weather?args=${encodeURIComponent(JSON.stringify(args))}`,
        )
        await soon(() => read(page)).toEqual(args)
        await page.reload()
        await soon(() => read(page)).toEqual(args)
        expect(await page.locator('.result-body').count()).toBe(0)
      })

      it('[TE-118] offers only validation where execution is off', async () => {
        const page = await open(createFixture({ allowExecute: false }), '#/tool/echo')
        await page
          .getByText('Tool execution is disabled. Launch with --allow-execute to enable.')
          .waitFor()
        expect(await button(page, 'Execute').count()).toBe(0)
        await button(page, 'Validate').click()
        await page.getByText('Input is valid.').waitFor()
      })
    })

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
          `${server.url}/explorer/tools/it's/call`,
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

    describe('beside a service', () => {
      it('simulates with one click', async () => {
        const page = await open(createDemo(), '#/tool/events__schedule')
        await button(page, 'Simulate success').click()
        await soon(() => result(page).textContent()).toContain('evt_demo_001')
        await button(page, 'Simulate sold out').click()
        await soon(() => result(page).textContent()).toContain('EVENTS_VENUE_TAKEN')
      })

      it('shows versions, deprecation and what a function answers', async () => {
        const page = await open(createDemo(), '#/tool/events__archive')
        await page.getByText('It goes away on 2027-01-01.').waitFor()
        await openTool(page, 'events.schedule')
        const versions = page.getByRole('region', { name: 'Versions' })
        await soon(() => versions.textContent()).toMatch(/2\.1\.0[\s\S]*1\.0\.0[\s\S]*use 2\.1\.0/)
      })

      it('goes on to a related function with values of the result', async () => {
        const page = await open(createDemo(), '#/tool/events__list')
        await button(page, 'Execute').click()
        await page.getByText(/Completed in/).waitFor()
        const id = /evt_\w+|[0-9a-f-]{36}/.exec((await result(page).textContent()) ?? '')?.[0] ?? ''
        await page.goto(
          `${page.url().split('#')[0]}#/tool/events__get?args=${encodeURIComponent(JSON.stringify({ id }))}`,
        )
        await button(page, 'Execute').click()
        await page.getByRole('link', { name: /Get venue details/ }).click()
        await page.getByRole('heading', { name: 'venues.get' }).waitFor()
        await soon(async () => String((await read(page))['venue_id'])).not.toBe('null')
      })

      it('draws the latencies of components over time', async () => {
        const page = await open(createDemo(), '#/health')
        await page.getByRole('heading', { name: 'payments_api' }).waitFor()
        await page.getByText('Slow since 14:20').waitFor()
        expect(
          await page.getByRole('img', { name: /Latency of database over \d+ checks/ }).count(),
        ).toBe(1)
        await soon(() => page.locator('.panel-lead').textContent()).toContain('degraded')
      })

      it('lists operations under way with their progress', async () => {
        const page = await open(createDemo(), '#/operations')
        await soon(() =>
          page.getByRole('progressbar', { name: 'Progress of op_01J9ZKV6' }).getAttribute('value'),
        ).toBe('0.62')
        await button(page, 'failed').click()
        await soon(() => page.getByRole('article').count()).toBe(1)
      })

      it('hides what needs a service when there is none', async () => {
        const page = await open(createFixture())
        expect(
          await page
            .getByRole('navigation', { name: 'Panels' })
            .getByRole('link')
            .allTextContents(),
        ).toEqual(['Overview'])
      })
    })

    describe('for everybody', () => {
      it('is dark or light as the system is, until somebody chooses', async () => {
        const page = await open(createFixture(), '', { dark: true })
        const theme = () => page.evaluate('document.documentElement.dataset.theme')
        expect(await theme()).toBe('dark')
        await button(page, 'Use the light theme').click()
        expect(await theme()).toBe('light')
        await page.reload()
        expect(await theme()).toBe('light')
      })

      const views: readonly (readonly [string, string, (page: Page) => Promise<unknown>])[] = [
        ['the overview', '#/', async () => {}],
        [
          'a form with errors',
          '#/tool/events__schedule',
          async (page) => {
            await page.getByRole('button', { name: /^Add speakers/ }).click()
            await button(page, 'Add item').click()
            await button(page, 'Validate').click()
            await page.locator('.verdict li').first().waitFor()
          },
        ],
        [
          'a result',
          '#/tool/reports__attendance',
          async (page) => {
            await button(page, 'Execute').click()
            await page.getByRole('tab', { name: 'Table' }).click()
          },
        ],
        ['health', '#/health', (page) => page.getByRole('heading', { name: 'database' }).waitFor()],
        ['operations', '#/operations', (page) => page.getByRole('progressbar').first().waitFor()],
        ['the palette', '#/', (page) => page.keyboard.press('Control+k')],
        [
          'the authorization window',
          '#/',
          (page) => page.getByRole('button', { name: /Authorization/ }).click(),
        ],
        ['the list of keys', '#/', (page) => page.keyboard.press('?')],
      ]
      it.each(views)(
        'axe finds nothing wrong with %s, light and dark',
        async (_name, hash, act) => {
          const page = await open(createDemo(), hash)
          await page.getByRole('link', { name: 'Operations' }).waitFor()
          await act(page)
          for (const theme of ['light', 'dark']) {
            await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
            expect(await runAxe(page)).toEqual([])
          }
        },
      )
    })
  },
)

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

async function runAxe(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary)))`,
  )) as readonly string[]
}

/** Reads the arguments a shell would hand to curl. */
function readShell(line: string): readonly string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${line}\n`
  return execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)
}

/** Notes, in the page, how long after each key press the list first shows what was typed. */
const WATCH_SEARCH = `
  window.searchTimes = []
  let pressed
  addEventListener('keydown', (event) => { pressed = event.timeStamp }, true)
  new MutationObserver(() => {
    if (pressed === undefined) return
    const start = pressed
    pressed = undefined
    requestAnimationFrame(() => searchTimes.push(performance.now() - start))
  }).observe(document.querySelector('.tool-list'), { subtree: true, childList: true, characterData: true })
`

/** Notes, in the page, whatever its own policy stopped. */
const WATCH_POLICY = `
  window.violations = []
  addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.sample))
`

const READY_AFTER = `
  (() => {
    const { responseEnd, domContentLoadedEventEnd } = performance.getEntriesByType('navigation')[0]
    return domContentLoadedEventEnd - responseEnd
  })()
`

/** Elements and attributes that only foreign markup could have made. */
const FOREIGN_ELEMENTS = `
  [...document.querySelectorAll('*')].flatMap((element) => [
    ...(element.matches('main img, iframe, object, embed, body script:not([type=module])') ? [element.outerHTML] : []),
    ...[...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
  ])
`
