import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import { type Browser, chromium } from 'playwright-core'

const PLACES = [
  process.env['CHROME_PATH'],
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/opt/google/chrome/chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
]
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/** Gives the path of a Chrome or Chromium on this machine; as root on Debian one is installed when there is none. */
export async function findBrowser(): Promise<string | undefined> {
  return findInstalled() ?? (mayInstall() ? install() : undefined)
}

/** Starts a browser that talks to nobody but the test servers. */
export async function launchBrowser(path: string): Promise<Browser> {
  return chromium.launch({ executablePath: path, headless: true, args: FLAGS })
}

function findInstalled(): string | undefined {
  return PLACES.find((place) => place !== undefined && existsSync(place))
}

function mayInstall(): boolean {
  return (
    process.getuid?.() === 0 && existsSync('/etc/debian_version') && existsSync('/usr/bin/apt-get')
  )
}

/** Not the synchronous kind: a test runner takes a worker that says nothing for a minute for dead. */
async function install(): Promise<string | undefined> {
  console.log('explorer tests: no browser found, installing the Debian package chromium …')
  const run = promisify(execFile)
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  try {
    await run('apt-get', ['update'], { env })
    await run('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], { env })
  } catch {
    console.log('explorer tests: chromium could not be installed.')
  }
  return findInstalled()
}
