import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
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
  const wait = ['-o', 'DPkg::Lock::Timeout=300']
  const packages = ['install', '-y', '--no-install-recommends', 'chromium']
  // Another worker may be installing it too: `update` does not wait for its turn, and fails.
  for (let attempt = 0; attempt < 5 && findInstalled() === undefined; attempt += 1) {
    if (attempt > 0) await setTimeout(5_000)
    await run('apt-get', [...wait, 'update'], { env }).catch(() => undefined)
    await run('apt-get', [...wait, ...packages], { env }).catch(() => undefined)
  }
  if (findInstalled() === undefined) console.log('explorer tests: chromium could not be installed.')
  return findInstalled()
}
