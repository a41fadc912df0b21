import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import type { App } from 'waymark'
import { createShop } from './capability-demo.ts'
import { createDemo } from './demo.ts'
import { createFixture } from './fixtures.ts'
import { createOddities, LONG_NAME } from './oddities.ts'
import { button, describeInBrowser, runAxe, soon } from './pages.ts'

describeInBrowser(
  'the explorer without a mouse, a large screen or colours',
  {},
  ({ open, visit }) => {
    const execute = async (page: Page) => {
      await button(page, 'Execute').click()
      await page.getByText(/(?:Completed|Failed) in/).waitFor()
    }
    const readOverflow = (page: Page) =>
      page.evaluate(() =>
        [...document.querySelectorAll('html, main, .reading, .console')].map(
          (box) => box.scrollWidth - box.clientWidth,
        ),
      )

    describe('on a small screen', () => {
      const openNarrow = async (app: App, hash: string) => {
        const page = await visit(app, hash, { width: 360 })
        await page.locator('.tool-head').waitFor()
        return page
      }

      it.each([
        ['a nested form', () => createDemo(), '#/tool/events__schedule'],
        ['very long words', () => createOddities().app, `#/tool/${LONG_NAME}`],
      ])('never scrolls sideways: %s', async (_name, create, hash) => {
        const page = await openNarrow(create(), hash)
        await soon(() => readOverflow(page)).toEqual([0, 0, 0, 0])
      })

      it.each([
        ['operations', createDemo, '.operation'],
        ['health', createDemo, '.component'],
        ['capabilities', createShop, '.card'],
      ])('keeps the panel of %s inside its margins', async (panel, create, part) => {
        const page = await visit(create(), `#/${panel}`, { width: 360 })
        await page.locator(part).first().waitFor()
        const ends = await page
          .locator(part)
          .evaluateAll((found) => found.map((one) => one.getBoundingClientRect().right))
        expect(Math.max(...ends)).toBeLessThanOrEqual(342)
        expect(await readOverflow(page)).toEqual([0, 0])
      })

      it('has a menu that says whether it is open, and closes by Escape or by a choice', async () => {
        const page = await openNarrow(createFixture(), '#/tool/echo')
        const menu = button(page, 'List of tools')
        const state = () => menu.getAttribute('aria-expanded')
        expect(await state()).toBe('false')
        await menu.click()
        await soon(state).toBe('true')
        await page.keyboard.press('Escape')
        await soon(state).toBe('false')
        await menu.click()
        await page.locator('.tool-row[aria-current]').click()
        await soon(state).toBe('false')
        expect(await page.evaluate(() => document.activeElement?.id)).toBe('main')
      })
    })

    describe('the keyboard', () => {
      it('stays in the form when fields come and go', async () => {
        const page = await open(createFixture(), '#/tool/weather')
        const focused = () => page.evaluate(() => document.activeElement?.id)
        const press = (name: string) => page.getByRole('button', { name }).press('Enter')
        await press('Add note')
        await soon(focused).toBe('field_47note')
        await press('Remove note')
        await soon(focused).toBe('add-field_47note')
        await press('Add tags')
        await soon(focused).toBe('add-field_47tags')
        await press('Add item')
        await soon(focused).toBe('field_47tags_470')
        await press('Add item')
        await soon(focused).toBe('field_47tags_471')
        await press('Remove item 2')
        await soon(focused).toBe('field_47tags_470')
      })

      it('runs a tool once, however often the keys are pressed while it runs', async () => {
        const odd = createOddities()
        const page = await open(odd.app, '#/tool/slow')
        await page.keyboard.press('Control+Enter')
        await page.getByText(/Running for/).waitFor()
        await page.keyboard.press('Control+Enter')
        await page.getByText(/Completed in/).waitFor()
        expect(odd.calls).toHaveLength(1)
      })

      it('runs nothing behind a window, begins in its field, and comes back to where it was', async () => {
        const odd = createOddities()
        const page = await open(odd.app, '#/tool/echo')
        await page.getByRole('button', { name: /Authorization/ }).click()
        await soon(() => page.evaluate(() => document.activeElement?.id)).toBe('token')
        await page.keyboard.press('Control+Enter')
        await button(page, 'Close').click()
        await soon(() => page.evaluate(() => document.activeElement?.className)).toContain(
          'token-button',
        )
        expect(odd.calls).toEqual([])
      })
    })

    it('a call is announced when it starts and when it ends, not ten times a second', async () => {
      const page = await open(createOddities().app, '#/tool/slow')
      const status = page.locator('.console [role="status"]')
      await status.waitFor({ state: 'attached' })
      await page.evaluate(() => {
        const said: string[] = []
        const box = document.querySelector('.console [role="status"]')
        const note = () => said.push(box?.textContent ?? '')
        if (box)
          new MutationObserver(note).observe(box, {
            subtree: true,
            characterData: true,
            childList: true,
          })
        Object.assign(globalThis, { said })
      })
      await execute(page)
      expect(await page.evaluate('said')).toEqual(['Running', 'The call succeeded'])
    })

    it('axe finds nothing wrong with odd tools, open menus, errors and files', async () => {
      const page = await visit(createOddities().app, '#/tool/report', { width: 360 })
      await page.locator('.tool-head').waitFor()
      await execute(page)
      expect(await runAxe(page)).toEqual([])
      await button(page, 'List of tools').click()
      expect(await runAxe(page)).toEqual([])
      for (const tool of ['twisted', 'upload', 'manual', 'log', 'wide', 'nothing']) {
        await page.evaluate((name) => {
          location.hash = `#/tool/${name}`
        }, tool)
        await page.locator('.tool-head, .trouble').first().waitFor()
        expect(await runAxe(page)).toEqual([])
      }
    })

    it('shows what is chosen also where colours are taken away', async () => {
      const page = await open(createFixture(), '#/tool/echo')
      await page.emulateMedia({ forcedColors: 'active' })
      const read = (selector: string) =>
        page
          .locator(selector)
          .first()
          .evaluate((one) => getComputedStyle(one).outlineStyle)
      for (const selector of [
        '.tool-row[aria-current]',
        '.chip[aria-pressed="true"]',
        '[role="tab"][aria-selected="true"]',
      ])
        expect(await read(selector)).toBe('solid')
      expect(await read('.chip[aria-pressed="false"]')).toBe('none')
    })
  },
)
