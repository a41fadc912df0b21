// Tells which files a process under `waymark serve --watch` loads, with their age before it reads them.
import { statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

let port
let own = []

export function initialize(data) {
  port = data.port
  own = data.own
}

function tell(url) {
  const isForeign = !url.startsWith('file:') || url.includes('/node_modules/')
  if (isForeign || own.some((folder) => url.startsWith(folder))) return
  const path = fileURLToPath(url.replace(/[?#].*$/s, ''))
  port.postMessage({ path, mtimeMs: statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0 })
}

export async function resolve(specifier, context, next) {
  try {
    return await next(specifier, context)
  } catch (error) {
    // A file that is missing may be the one that is written next; TypeScript is imported under the name it will have.
    if (/^\.{1,2}\//.test(specifier) && context.parentURL?.startsWith('file:')) {
      const { href } = new URL(specifier, context.parentURL)
      for (const url of new Set([href, href.replace(/js$/, 'ts')])) tell(url)
    }
    throw error
  }
}

export function load(url, context, next) {
  tell(url)
  return next(url, context)
}
