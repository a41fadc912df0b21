import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
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
export function findBrowser(): string | undefined {
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

function install(): string | undefined {
  console.log('explorer tests: no browser found, installing the Debian package chromium …')
  try {
    const options = {
      stdio: 'ignore',
      timeout: 300_000,
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
    } as const
    execFileSync('apt-get', ['update'], options)
    execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'chromium'], options)
  } catch {
    console.log('explorer tests: chromium could not be installed.')
  }
  return findInstalled()
}
