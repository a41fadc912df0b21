import type { Locator, Page } from 'playwright-core'
import { afterEach, expect, it } from 'vitest'
import { type App, allSurfaces, createApp, createService } from 'waymark'
import { buildPlatform, createShop } from './capability-demo.ts'
import { createDemo } from './demo.ts'
import { EVIL } from './fixtures.ts'
import { describeInBrowser, FOREIGN_ELEMENTS, PATIENCE_MS, runAxe } from './pages.ts'

const VERSION = '2026-08-25'

describeInBrowser(
  'the capabilities panel in a browser',
  { viewport: { width: 1400, height: 1000 } },
  ({ visit, origin, asked }) => {
    let page: Page
    afterEach(() => {
      const strangers = asked.filter((url) => !url.startsWith(origin()))
      expect(strangers, 'asked of other servers').toEqual([])
    })

    async function open(app: App, hash = '#/capabilities'): Promise<Page> {
      page = await visit(app, hash)
      return page
    }

    const profileText = () => page.getByRole('textbox', { name: 'Platform profile as JSON' })
    const paste = (profile: unknown) =>
      profileText().fill(typeof profile === 'string' ? profile : JSON.stringify(profile))
    const box = (name: RegExp): Locator => page.getByRole('img', { name })
    const card = () => page.locator('.cap-card')
    const status = () => page.locator('#verdict [role=status]')

    it('draws a pasted profile: active capabilities, their version, extensions and operations', async () => {
      await open(createShop())
      await paste(buildPlatform())
      await status().getByText('The two can work together').waitFor()
      await box(/^example\.shop\.store\.cart: active, 2026-08-25\./).waitFor()
      await box(/\.discount: active.*Extends example\.shop\.store\.checkout/).waitFor()
      await box(/^Operation carts__create of .*callable, POST \/api\/carts\.create · MCP/).waitFor()
      expect(await page.locator('.cap-key strong').allTextContents()).toEqual(['5', '3', '2'])
      await page.getByText('example.agent.wallet').waitFor()
    })

    it('says on hover why a capability is excluded or pruned, with the facts', async () => {
      await open(createShop())
      await paste(buildPlatform())
      await box(/\.order: excluded/).hover()
      await card().getByText('this service has 2026-08-25, the platform 2026-04-08').waitFor()
      await box(/\.tracking: pruned/).hover()
      await card()
        .getByText('Nothing that it extends is active: example.shop.store.order')
        .waitFor()
      await box(/\.loyalty: excluded/).hover()
      await card().getByText('The platform does not have it.').waitFor()
      await box(/^Operation orders__get/).hover()
      await card().getByText('May not be called: its capability is not active.').waitFor()
      await page.getByRole('heading', { name: 'The picture' }).hover()
      await card().waitFor({ state: 'detached' })
    })

    it('says that an entry of the platform does not count, instead of calling it absent', async () => {
      await open(createShop())
      const schema = 'https://elsewhere.example/loyalty.json'
      await paste(buildPlatform({ 'example.shop.store.loyalty': [{ version: VERSION, schema }] }))
      await box(/\.loyalty: excluded/).hover()
      await card().getByText(`The schema ${schema} is on a host that does not own`).waitFor()
    })

    it('is walked through with the keyboard alone, and Escape takes the reason away', async () => {
      await open(createShop())
      await paste(buildPlatform())
      await box(/\.cart: active/).focus()
      const name = () => page.locator('.cap-card-name').textContent()
      expect(await name()).toBe('example.shop.store.cart')
      await page.keyboard.press('ArrowLeft')
      await expect.poll(name).toBe('example.shop.store.discount')
      await page.keyboard.press('ArrowLeft')
      await expect.poll(name).toBe('example.shop.store.coupon')
      await page.keyboard.press('End')
      await page.keyboard.press('Home')
      await page.keyboard.press('ArrowDown')
      await expect.poll(name).toBe('carts__create')
      await page.keyboard.press('Escape')
      await card().waitFor({ state: 'detached' })
      await page.keyboard.press('Shift+Tab')
      await page.keyboard.press('Tab')
      await expect.poll(name).toBe('carts__create')
    })

    it('says everything again in a table', async () => {
      await open(createShop())
      await paste(buildPlatform())
      const row = (name: string) =>
        page.getByRole('row', { name: new RegExp(`^example\\.shop\\.store\\.${name} `) })
      await expect
        .poll(() => row('order').textContent())
        .toMatch(/excluded.*No version is the same.*orders__get not callable/s)
      expect(await row('tracking.live').textContent()).toMatch(/extends .*tracking.*pruned/s)
      expect(await row('cart').textContent()).toMatch(/active.*POST \/api\/carts\.create · MCP/s)
    })

    it("starts with the service's own profile in one click, and everything is active", async () => {
      await open(createShop())
      await page.getByRole('button', { name: 'Use this service’s own profile' }).click()
      await status().getByText('The two can work together').waitFor()
      expect(await page.locator('.cap-key strong').allTextContents()).toEqual(['10', '0', '0'])
      await page.getByRole('button', { name: 'Clear' }).click()
      await status().getByText('Whose profile?').waitFor()
    })

    it('keeps what was pasted while another panel is looked at', async () => {
      await open(createShop())
      await paste(buildPlatform())
      await page.getByRole('link', { name: 'Health' }).click()
      await page.getByRole('link', { name: 'Capabilities' }).click()
      await box(/\.cart: active/).waitFor()
    })

    it('loads a file', async () => {
      await open(createShop())
      const file = (text: string) => ({
        name: 'platform.json',
        mimeType: 'application/json',
        buffer: Buffer.from(text),
      })
      await page.getByLabel('Load a file').setInputFiles(file(JSON.stringify(buildPlatform())))
      await box(/\.cart: active/).waitFor()
      await page.getByLabel('Load a file').setInputFiles(file('x'.repeat(1_048_577)))
      await page.getByRole('alert').getByText('platform.json is larger than 1 MiB').waitFor()
    })

    const broken: readonly (readonly [string, unknown, RegExp])[] = [
      ['text that is not JSON', '{ "ucp": ', /not JSON.*position|not JSON.*end of JSON/is],
      ['a list', [], /cannot be used.*platform \/ /s],
      ['a profile without its member', { capabilities: {} }, /cannot be used.*platform \/ucp /s],
      ['a version that is not a date', { ucp: { version: 8 } }, /cannot be used.*\/ucp\/version/s],
      [
        'another protocol version',
        { ucp: { version: '2026-01-11' } },
        /No protocol version.*\/ucp\/version.*speaks 2026-01-11, this service 2026-08-25/s,
      ],
      ['an address', 'https://agent.example/profile.json', /an address, not a profile/],
    ]
    it.each(broken)('names what is wrong with %s', async (_name, profile, expected) => {
      await open(createShop())
      await paste(profile)
      await expect.poll(() => status().textContent(), { timeout: PATIENCE_MS }).toMatch(expected)
      expect(await profileText().getAttribute('aria-invalid')).toBe('true')
      expect(await page.locator('.cap-drawing').count()).toBe(0)
      await paste(buildPlatform())
      await box(/\.cart: active/).waitFor()
      expect(await profileText().getAttribute('aria-invalid')).toBe('false')
    })

    it('names the member of an entry that was ignored', async () => {
      await open(createShop())
      await paste(buildPlatform({ 'example.shop.store.loyalty': [{ version: 'new' }] }))
      await page
        .getByText('platform /ucp/capabilities/example.shop.store.loyalty/0/version')
        .waitFor()
    })

    it('shows names, operations and addresses full of markup as text and nothing else', async () => {
      await open(createPublisher({ '/.well-known/ucp': () => HOSTILE }))
      await paste({
        ucp: {
          version: VERSION,
          capabilities: { ...HOSTILE.ucp.capabilities, [EVIL]: [{ version: EVIL }] },
        },
      })
      await box(/Operation "><img src=x/).hover()
      await card().getByText(EVIL).first().waitFor()
      await box(/\.foreign: excluded/).hover()
      await card().getByText(`https://other.example/${EVIL}`).waitFor()
      await box(/\.child: excluded, entry is malformed/).waitFor()
      await page.getByText(`platform /ucp/capabilities/${EVIL.replaceAll('/', '~1')}`).waitFor()
      expect(await page.evaluate('window.pwned')).toBeUndefined()
      expect(await page.evaluate(FOREIGN_ELEMENTS)).toEqual([])
    })

    it('draws extensions that extend each other or what is not there, and leaves many to the table', async () => {
      const many = Object.fromEntries(
        Array.from({ length: 400 }, (_, at) => [`example.a${at}.x`, [{ version: VERSION }]]),
      )
      const circle = {
        'example.z.one': [{ version: VERSION, extends: 'example.z.two' }],
        'example.z.two': [{ version: VERSION, extends: ['example.z.one', 'example.z.two'] }],
        'example.z.alone': [{ version: VERSION, extends: 'example.gone.parent' }],
      }
      const profile = { ucp: { version: VERSION, capabilities: { ...circle, ...many } } }
      await open(createPublisher({ '/.well-known/ucp': () => profile }))
      await page.getByRole('button', { name: 'Use this service’s own profile' }).click()
      await page.getByText('Not drawn: 254 capabilities. The table has them all.').waitFor()
      await paste({ ucp: { version: VERSION, capabilities: circle } })
      await box(/^example\.gone\.parent: missing, not offered here/).waitFor()
      await page.getByText('the chain of parents never reaches a root capability').first().waitFor()
    })

    it('reads leaf profiles and extension schemas that its own server has', async () => {
      const older = '2026-04-08'
      const root = { 'example.z.root': [{ version: older }] }
      const extension = (schema: string) => ({
        'example.z.late': [{ version: older, schema, extends: 'example.z.root' }],
      })
      await open(
        createPublisher({
          '/.well-known/ucp': (origin) => ({
            ucp: {
              version: older,
              supported_versions: { '2026-01-23': `${origin}/leaf.json` },
              capabilities: { ...root, ...extension(`${origin}/late.json`) },
            },
          }),
          '/late.json': () => ({ requires: { protocol: { min: VERSION } } }),
          '/leaf.json': () => ({
            ucp: { version: '2026-01-23', capabilities: { 'example.z.old': [{ version: older }] } },
          }),
        }),
      )
      await page.getByRole('button', { name: 'Use this service’s own profile' }).click()
      await box(/\.late: pruned, requires other versions/).waitFor()
      await paste({
        ucp: { version: '2026-01-23', capabilities: { 'example.z.old': [{ version: older }] } },
      })
      await box(/\.old: active/).waitFor()
    })

    it('has no panel where the service publishes no profile', async () => {
      await open(createDemo(), '')
      await page.getByRole('link', { name: 'Operations' }).waitFor()
      expect(await page.getByRole('link', { name: 'Capabilities' }).count()).toBe(0)
      await page.goto(`${origin()}/explorer/#/capabilities`)
      await page.getByRole('alert').getByText('/.well-known/ucp answered 404.').waitFor()
    })

    it('axe finds nothing wrong, light and dark, with and without a result', async () => {
      await open(createShop())
      const check = async () => {
        for (const theme of ['light', 'dark']) {
          await page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)
          expect(await runAxe(page)).toEqual([])
        }
      }
      await profileText().waitFor()
      await check()
      await paste('{')
      await check()
      await paste(buildPlatform({ [EVIL]: [] }))
      await box(/\.order: excluded/).focus()
      await card().waitFor()
      await check()
    })
  },
)

const HOSTILE = {
  ucp: {
    version: VERSION,
    services: {
      'example.evil': [{ version: VERSION, transport: 'rest', endpoint: 'https://evil.example' }],
    },
    capabilities: {
      'example.evil.root': [{ version: VERSION, operations: [EVIL, 'javascript:alert(1)'] }],
      'example.evil.child': [{ version: VERSION, extends: [EVIL] }],
      'example.evil.foreign': [{ version: VERSION, schema: `https://other.example/${EVIL}` }],
    },
  },
}

/** A service that publishes any documents one likes, by path; they may name the origin they are at. */
function createPublisher(documents: Readonly<Record<string, (origin: string) => unknown>>): App {
  const service = createService({
    name: 'any',
    info: { title: 'Any', version: '1.0.0' },
    functions: [],
  })
  return createApp(service, {
    mounts: Object.entries(documents).map(([path, build]) => ({
      path,
      match: 'exact',
      handler: (request) => ({
        status: 200,
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(build(`http://${request.header('host')}`)),
      }),
    })),
    surfaces: allSurfaces(),
  })
}
