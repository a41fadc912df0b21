import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { startWaymark } from '../support/waymark-process.ts'
import { describeInBrowser, PATIENCE_MS, rows, soon } from './pages.ts'

const toService = (...names: string[]) => `
import { createService, defineFunction } from 'waymark'
const names = ${JSON.stringify(names)}
export default createService({
  info: { title: 'Words', version: '1.0.0' },
  functions: names.map((name) => defineFunction({ name, version: '1.0.0', handler: () => name })),
})
`

describeInBrowser('the explorer of waymark serve --watch', {}, ({ visitUrl }) => {
  it('shows why a change cannot be loaded, and lists the functions anew when one can', async () => {
    // Inside the project, so that the file finds the package.
    const folder = mkdtempSync(join(process.cwd(), 'test/explorer/.run-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const file = join(folder, 'service.ts')
    writeFileSync(file, toService('words.first'))
    const served = await startWaymark([file, '--watch'])
    onTestFinished(() => served.stop())

    const page = await visitUrl(`${served.url}/explorer/`)
    await page.getByText('words.first').first().waitFor()
    const banner = page.getByRole('alert', { name: 'The change cannot be loaded' })
    expect(await banner.count()).toBe(0)

    writeFileSync(file, "throw new Error('a word is missing')\n")
    await banner.getByText('a word is missing').waitFor({ timeout: PATIENCE_MS })
    expect(await page.getByText('words.first').count()).toBeGreaterThan(0)

    writeFileSync(file, toService('words.first', 'words.second'))
    await page.getByText('words.second').first().waitFor({ timeout: PATIENCE_MS })
    await soon(() => banner.count()).toBe(0)
    expect(await rows(page).count()).toBeGreaterThanOrEqual(2)
  })
})
