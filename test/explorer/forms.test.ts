import type { Request } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { createDemo } from './demo.ts'
import { createFixture } from './fixtures.ts'
import { button, describeInBrowser, editor, read, result, soon } from './pages.ts'

describeInBrowser('the explorer in a browser', {}, ({ open }) => {
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
      expect(await page.locator('[data-pointer="/days"] .field-error').textContent()).toContain('1')
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

    it('[TE-119] says at once that text is not JSON and sends nothing', async () => {
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
      await soon(() => page.evaluate(`document.querySelector('.image-result')?.naturalWidth`)).toBe(
        1,
      )
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
})
