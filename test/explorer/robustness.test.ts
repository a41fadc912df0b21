import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createDemo } from './demo.ts'
import { createFixture } from './fixtures.ts'
import { createBroken, createOddities } from './oddities.ts'
import { button, describeInBrowser, editor, result, rows, soon } from './pages.ts'

describeInBrowser(
  'the explorer with what nobody expected',
  { permissions: ['clipboard-read', 'clipboard-write'] },
  ({ open, visit }) => {
    const execute = async (page: Page) => {
      await button(page, 'Execute').click()
      await page.getByText(/(?:Completed|Failed) in/).waitFor()
    }
    const toArgs = (args: unknown) => `?args=${encodeURIComponent(JSON.stringify(args))}`

    describe('values', () => {
      it('keep every digit of a number, on the way out and back', async () => {
        const odd = createOddities()
        const exact = '{"id":12345678901234567890}'
        const page = await open(odd.app, `#/tool/echo?args=${encodeURIComponent(exact)}`)
        const sending = page.waitForRequest((request) => request.method() === 'POST')
        await execute(page)
        expect((await sending).postData()).toBe(exact)
        // The server refuses what it would have to round, with every digit.
        expect(odd.calls).toEqual([])
        expect(await result(page).textContent()).toContain('12345678901234567890')
        expect(await page.locator('.snippet').textContent()).toContain(exact)
        await page.getByRole('tab', { name: 'TypeScript' }).click()
        expect(await page.locator('.snippet').textContent()).toContain(`body: '${exact}'`)
        await page.getByLabel('id', { exact: true }).fill('98765432109876543210')
        await soon(() => editor(page).inputValue()).toContain('98765432109876543210')
      })

      it('that are very long are drawn in parts and saved whole', async () => {
        const page = await open(createOddities().app, '#/tool/log')
        await execute(page)
        const drawn = async () => (await result(page).textContent())?.length ?? 0
        const before = await drawn()
        expect(before).toBeLessThan(200_000)
        await page.getByRole('button', { name: /Show more/ }).click()
        await soon(drawn).toBeGreaterThan(before)
        const saving = page.waitForEvent('download')
        await button(page, 'Download').click()
        const saved = await saving
        expect(saved.suggestedFilename()).toBe('log.txt')
        expect(readFileSync(await saved.path(), 'utf8')).toHaveLength(3_000_000)
      })

      it('that are files are saved as files', async () => {
        const page = await open(createOddities().app, '#/tool/report')
        await execute(page)
        const saving = page.waitForEvent('download')
        await page.getByRole('button', { name: 'Download report.pdf' }).click()
        const saved = await saving
        expect(saved.suggestedFilename()).toBe('report.pdf')
        expect(readFileSync(await saved.path(), 'utf8')).toBe('%PDF-1.4')
        expect(await result(page).textContent()).toContain('two\nlines')
      })

      it('of a file come from the disk', async () => {
        const page = await open(createOddities().app, '#/tool/upload')
        await page
          .getByLabel('Choose a file for scan')
          .setInputFiles({ name: 'a.bin', mimeType: 'x/y', buffer: Buffer.from([0, 255, 16]) })
        await soon(() => editor(page).inputValue()).toContain('"AP8Q"')
      })

      it('that the server refuses are marked at their fields', async () => {
        const page = await open(
          createDemo(),
          `#/tool/events__schedule${toArgs({ title: 'Hi', starts_at: '2026-12-01T18:00:00Z', location: { kind: 'venue', venue_id: 'v' } })}`,
        )
        await execute(page)
        await page.locator('[data-pointer="/title"] .field-error').waitFor()
        expect(await result(page).locator('.error-list').textContent()).toContain(
          'INVALID_ARGUMENTS',
        )
      })

      it('that are secret are left out of a shared link', async () => {
        const page = await open(
          createOddities().app,
          `#/tool/login${toArgs({ user: 'ada', password: 'hunter2' })}`,
        )
        await button(page, 'Link').click()
        await page.getByText('Copied!').waitFor()
        const link = decodeURIComponent(await page.evaluate(() => navigator.clipboard.readText()))
        expect(link).toContain('ada')
        expect(link).not.toContain('hunter2')
      })
    })

    describe('finding', () => {
      it('does not mind accents, and offers a way back when nothing is found', async () => {
        const page = await open(createOddities().app, '#/')
        await page.getByRole('searchbox').fill('ubersicht')
        await soon(() => rows(page).count()).toBe(1)
        await page.getByRole('searchbox').fill('no such thing')
        await button(page, 'Show all tools').click()
        await soon(() => rows(page).count()).toBeGreaterThan(5)
      })

      it('names the tool in the title of the tab', async () => {
        const page = await open(createFixture({ title: 'Weather' }), '#/tool/echo')
        await soon(() => page.title()).toBe('echo · Weather')
        await page.evaluate(() => {
          location.hash = '#/overview'
        })
        await soon(() => page.title()).toBe('Weather')
      })

      it('shows a name that reverses its own letters as what it is', async () => {
        const page = await open(createOddities().app, '#/')
        const names = await page.locator('.row-name').allTextContents()
        expect(names).toContain('photo\\u202egnp.exe')
      })
    })

    describe('a list', () => {
      it('is not counted before it is there', async () => {
        const page = await visit(createFixture(), '#/')
        await page.locator('.counts').waitFor()
        await page.route('**/tools', () => undefined)
        await page.reload()
        await page.getByText('Loading tools…').waitFor()
        expect(await page.locator('.counts').count()).toBe(0)
      })

      it('without tools says so', async () => {
        const page = await visit(createFixture({ tools: [] }), '#/')
        await page.getByText('This server has no tools yet.').waitFor()
      })
    })

    describe('trouble', () => {
      it.each(['loop', 'twisted'])(
        'with the schema of %s leaves the rest of the page alone',
        async (tool) => {
          const page = await open(createOddities().app, `#/tool/${tool}`)
          await soon(() => page.locator('main').textContent()).toContain(tool)
          await page.locator('.tool-row', { hasText: 'echo' }).click()
          await execute(page)
        },
      )

      it('with any schema still leaves a form, a reference and a console', async () => {
        const { app, count } = createBroken()
        const page = await open(app)
        for (let at = 0; at < count; at += 1) {
          await page.evaluate((name) => {
            location.hash = `#/tool/${name}`
          }, `broken_${at}`)
          await page.getByRole('heading', { name: `broken_${at}`, exact: true }).waitFor()
          const offers = page.locator('.absent-field')
          if ((await offers.count()) > 0) await offers.first().click()
          await button(page, 'Validate').click()
          await page.locator('.verdict > *').waitFor()
          expect(await page.locator('.trouble').allTextContents()).toEqual([])
        }
      })

      it('with what a browser remembers is forgotten', async () => {
        const broken = JSON.stringify([{ tool: 'echo', body: '{}' }, null, 5, { tool: 'echo' }])
        const page = await open(createFixture(), '#/tool/echo', {
          prepare: `localStorage.setItem('waymark-explorer:/explorer:history', ${JSON.stringify(broken)})`,
        })
        await execute(page)
        expect(await page.locator('.history-row').count()).toBe(1)
      })

      it('with the clipboard does not keep anybody from copying', async () => {
        const page = await open(createFixture(), '#/tool/echo', {
          prepare: "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
        })
        await page
          .getByRole('region', { name: 'Code' })
          .getByRole('button', { name: 'Copy' })
          .click()
        await page.getByText('Copied!').waitFor()
      })

      it('with the connection is told as such', async () => {
        const page = await open(createFixture(), '#/tool/echo')
        await page.route('**/tools/**', (route) => route.abort())
        await button(page, 'Execute').click()
        await page.getByText('The server cannot be reached.').waitFor()
        await button(page, 'Validate').click()
        await page.locator('.verdict', { hasText: 'The server cannot be reached.' }).waitFor()
      })

      it('at the door of the server is told in its words', async () => {
        const page = await open(createDemo(), '#/tool/reports__attendance')
        await page.route('**/call', (route) =>
          route.fulfill({
            status: 403,
            json: { title: 'Forbidden', detail: 'Not from over there' },
          }),
        )
        await button(page, 'Execute').click()
        await page.getByText('Not from over there').waitFor()
      })
    })

    it('a wide table says how many columns it leaves out', async () => {
      const page = await open(createOddities().app, '#/tool/wide')
      await execute(page)
      await page.getByRole('tab', { name: 'Table' }).click()
      await page.getByText('10 more columns are in the result').waitFor()
      expect(await page.getByRole('tabpanel', { name: 'Table' }).count()).toBe(1)
    })

    it('a function of a service can be called from a command line', async () => {
      const page = await open(createDemo(), `#/tool/venues__get${toArgs({ id: "it's" })}`)
      await page.getByRole('tab', { name: 'Command line' }).click()
      const line = (await page.locator('.snippet').textContent()) ?? ''
      const [, ...words] = execFileSync('sh', ['-c', `printf '%s\\n' ${line}`], {
        encoding: 'utf8',
      })
        .trim()
        .split('\n')
      expect(words).toEqual([
        'waymark',
        'call',
        new URL(page.url()).origin,
        'venues.get',
        `{"id":"it's"}`,
      ])
    })

    it('descriptions without end are cut until somebody asks', async () => {
      const page = await open(createOddities().app, '#/tool/novel')
      const prose = page.locator('.tool-head .prose')
      await button(page, 'Show all of it').waitFor()
      expect((await prose.textContent())?.length).toBeLessThan(21_000)
    })

    it('descriptions show headings, lists, code and links, and no address but http', async () => {
      const page = await open(createOddities().app, '#/tool/manual')
      const prose = page.locator('.tool-head .prose')
      expect(await prose.locator('strong').allTextContents()).toContain('Manual')
      expect(await prose.locator('ol li').allTextContents()).toEqual(['one', 'two'])
      expect(await prose.locator('pre').textContent()).toBe('{"a": 1}\n{"b": 2}')
      const links = prose.locator('a')
      expect(
        await links.evaluateAll((found) => found.map((link) => link.getAttribute('href'))),
      ).toEqual(['https://example.com/docs', 'https://example.com/x?y=1'])
      expect(await prose.textContent()).toContain('[bad](javascript:alert(1))')
      expect(await prose.locator('p').first().getAttribute('dir')).toBe('auto')
    })
  },
)
