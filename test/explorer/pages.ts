import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, vi } from 'vitest'
import type { App } from 'waymark'
import { findBrowser, launchBrowser } from './browser.ts'
import { startServer, type TestServer } from './server.ts'

const path = await findBrowser()
if (path === undefined && process.env['CI'] === 'true') {
  throw new Error('CI must test the explorer in a browser: install Chromium or set CHROME_PATH')
}

/** How long a test waits for the page: the machine may be busy. */
export const PATIENCE_MS = 30_000

/** How a page is opened. */
export interface OpenOptions {
  readonly dark?: boolean
  readonly at?: string
  /** Of the window; that of the group when absent. */
  readonly width?: number
  /** Runs in the page before anything else does. */
  readonly prepare?: string
}

/** The pages of one group of tests; each test has at most one, which is closed after it. */
export interface Pages {
  /** Opens a page of an app at a port, and so an origin, of its own. */
  readonly visit: (app: App, hash?: string, options?: OpenOptions) => Promise<Page>
  /** Opens a page of a server that the test has started. */
  readonly visitUrl: (url: string, options?: OpenOptions) => Promise<Page>
  /** Opens the explorer of an app and waits for its list of tools. */
  readonly open: (app: App, hash?: string, options?: OpenOptions) => Promise<Page>
  /** The origin of the page that is open. */
  readonly origin: () => string
  /** What the pages of the running test asked for. */
  readonly asked: readonly string[]
}

/** Describes tests in a browser, skipped by name where there is none; a page that did something wrong behind the scenes fails its test. */
export function describeInBrowser(
  title: string,
  settings: BrowserContextOptions,
  tests: (pages: Pages) => void,
): void {
  describe.skipIf(path === undefined)(
    `${title} (skipped where no Chrome or Chromium is found)`,
    () => {
      vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })
      tests(createPages(settings))
    },
  )
}

function createPages(settings: BrowserContextOptions): Pages {
  let browser: Browser | undefined
  let context: BrowserContext
  let server: TestServer | undefined
  let page: Page | undefined
  const faults: string[] = []
  const asked: string[] = []

  beforeAll(async () => {
    browser = await launchBrowser(path ?? '')
    context = await browser.newContext({ viewport: { width: 1400, height: 900 }, ...settings })
    await context.addInitScript(WATCH_POLICY)
  })
  afterAll(() => browser?.close())
  afterEach(async () => {
    const violations = await page?.evaluate('window.violations')
    await page?.close()
    await server?.close()
    asked.length = 0
    expect(violations).toEqual([])
    expect(faults.splice(0)).toEqual([])
  })

  async function visit(app: App, hash = '', options: OpenOptions = {}): Promise<Page> {
    server = await startServer(app)
    return visitUrl(`${server.url}${options.at ?? '/explorer/'}${hash}`, options)
  }

  async function visitUrl(url: string, options: OpenOptions = {}): Promise<Page> {
    page = await context.newPage()
    page.setDefaultTimeout(PATIENCE_MS)
    page.on('pageerror', (error) => faults.push(error.message))
    page.on('request', (request) => {
      if (/^https?:/.test(request.url())) asked.push(request.url())
    })
    page.on('console', (message) => {
      const ignored = message.text().startsWith('Failed to load resource')
      if (message.type() === 'error' && !ignored) faults.push(message.text())
    })
    await page.emulateMedia({ colorScheme: options.dark ? 'dark' : 'light' })
    if (options.width !== undefined)
      await page.setViewportSize({ width: options.width, height: 800 })
    if (options.prepare !== undefined) await page.addInitScript(options.prepare)
    await page.goto(url)
    return page
  }

  return {
    visit,
    visitUrl,
    async open(app, hash, options) {
      const page = await visit(app, hash, options)
      await page.locator('.tool-row, .trouble').first().waitFor()
      return page
    },
    origin: () => server?.url ?? '',
    asked,
  }
}

/** Waits for something to become true, patiently. */
export const soon = <Value>(read: () => Value) => expect.poll(read, { timeout: PATIENCE_MS })

/** The parts of the explorer that most tests use. */
export const editor = (page: Page) => page.getByRole('textbox', { name: 'Arguments as JSON' })
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
export const result = (page: Page) => page.locator('.result-body')
export const rows = (page: Page) => page.locator('.tool-row')

/** Opens a tool from the list. */
export const openTool = (page: Page, name: string) =>
  rows(page).filter({ hasText: name }).first().click()

/** Reads the arguments in the editor. */
export const read = async (page: Page) =>
  JSON.parse(await editor(page).inputValue()) as Record<string, unknown>

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** Asks axe what is wrong with a page. */
export async function runAxe(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE)
  return (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map((node) => id + ': ' + node.html.slice(0, 160) + ' ' + node.failureSummary)))`,
  )) as readonly string[]
}

/** Notes, in the page, whatever its own policy stopped. */
const WATCH_POLICY = `
  window.violations = []
  addEventListener('securitypolicyviolation', (event) => violations.push(event.violatedDirective + ' ' + event.sample))
`

/** Elements and attributes that only foreign markup could have made. */
export const FOREIGN_ELEMENTS = `
  [...document.querySelectorAll('*')].flatMap((element) => [
    ...(element.matches('main img, iframe, object, embed, body script:not([type=module])') ? [element.outerHTML] : []),
    ...[...element.attributes].filter(({ name }) => name.startsWith('on')).map(({ name }) => name),
  ])
`
