import type { Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { describeInBrowser, soon } from './pages.ts'
import { createTriggerDemo, type TriggerDemo } from './trigger-demo.ts'

describeInBrowser('triggers in the explorer', {}, ({ visit }) => {
  let demo: TriggerDemo
  afterEach(() => demo.triggers.stop(1_000))

  async function open(allowExecute: boolean): Promise<Page> {
    demo = await createTriggerDemo(allowExecute)
    const page = await visit(demo.app, '#/triggers')
    await page.getByRole('heading', { name: 'Triggers' }).waitFor()
    return page
  }

  it('shows what waits for what, and when a schedule fires next', async () => {
    const page = await open(true)
    const nightly = page.getByRole('article', { name: 'nightly' })
    await nightly.getByText('0 3 * * * Europe/Helsinki').waitFor()
    const next = new Date((await nightly.locator('time').getAttribute('datetime')) ?? '')
    expect(next.getTime()).toBeGreaterThan(Date.now())
    expect(
      await page.getByRole('navigation', { name: 'Panels' }).getByText('Triggers').count(),
    ).toBe(1)
  })

  it('shows why a delivery failed, and sends it again', async () => {
    const page = await open(true)
    await demo.triggers.emit('order.paid', { order: 'o_1' })
    const row = page.getByRole('article', { name: /^order_paid / })
    await row.getByText('ORDERS_CLOSED: The books are closed').waitFor()
    await soon(() => row.locator('.state').textContent()).toBe('dead')
    demo.setOpen(true)
    await row.getByRole('button', { name: 'Redeliver' }).click()
    await soon(() => row.locator('.state').textContent()).toBe('done')
    await row.getByText('Payload').click()
    await row.getByText('"order": "o_1"').waitFor()
  })

  it('says why a delivery could not be sent again', async () => {
    const page = await open(true)
    await demo.triggers.emit('order.paid', { order: 'o_1' })
    const row = page.getByRole('article', { name: /^order_paid / })
    await soon(() => row.locator('.state').textContent()).toBe('dead')
    await page.route('**/forrst', (route) =>
      route.request().postData()?.includes(':fn:redeliver') ? route.abort() : route.fallback(),
    )
    await row.getByRole('button', { name: 'Redeliver' }).click()
    await soon(() => row.getByRole('alert').textContent()).not.toBe('')
    expect(await row.locator('.state').textContent()).toBe('dead')
    expect(await row.getByRole('button', { name: 'Redeliver' }).isEnabled()).toBe(true)
  })

  it('sends nothing again where execution is not allowed', async () => {
    const page = await open(false)
    demo.setOpen(true)
    await demo.triggers.emit('order.paid', { order: 'o_2' })
    await soon(() =>
      page
        .getByRole('article', { name: /^order_paid / })
        .locator('.state')
        .textContent(),
    ).toBe('done')
    expect(await page.getByRole('button', { name: 'Redeliver' }).count()).toBe(0)
  })
})
