import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createDemo } from './demo.ts'
import { createCrowd, createFixture } from './fixtures.ts'
import { button, describeInBrowser, openTool, read, result, rows, runAxe, soon } from './pages.ts'

describeInBrowser('the explorer in a browser', {}, ({ open }) => {
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

    it.each(['/explorer', '/explorer/'])('[TE-98] asks below its own address at %s', async (at) => {
      const page = await open(createFixture(), '', { at })
      await openTool(page, 'echo')
      await button(page, 'Execute').click()
      await page.getByText(/Completed in/).waitFor()
    })

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
      await soon(() => rows(page).allTextContents()).toEqual([expect.stringContaining('tool_7342')])
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
        await page.getByRole('navigation', { name: 'Panels' }).getByRole('link').allTextContents(),
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
    it.each(views)('axe finds nothing wrong with %s, light and dark', async (_name, hash, act) => {
      const page = await open(createDemo(), hash)
      await page.getByRole('link', { name: 'Operations' }).waitFor()
      await act(page)
      for (const theme of ['light', 'dark']) {
        await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
        expect(await runAxe(page)).toEqual([])
      }
    })
  })
})

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

const READY_AFTER = `
  (() => {
    const { responseEnd, domContentLoadedEventEnd } = performance.getEntriesByType('navigation')[0]
    return domContentLoadedEventEnd - responseEnd
  })()
`
