// The checks against workerd, with the worker that esbuild has bundled: node workerd.mjs worker.js
import { Miniflare } from 'miniflare'
import { runChecks } from './checks.mjs'

const miniflare = new Miniflare({
  modules: [{ type: 'ESModule', path: process.argv[2] }],
  compatibilityDate: '2025-09-15',
  compatibilityFlags: ['nodejs_compat'],
})
const passOn = async (request) => {
  const init = {
    method: request.method,
    headers: Object.fromEntries(request.headers),
    ...(request.method !== 'GET' && { body: await request.text() }),
  }
  return miniflare.dispatchFetch(request.url, init)
}
try {
  const count = await runChecks(passOn)
  const cannot = await (await miniflare.dispatchFetch('http://localhost/cannot')).json()
  for (const [name, message] of Object.entries(cannot)) {
    if (!/needs |has no /.test(message)) throw new Error(`${name}: ${message}`)
  }
  console.log(`${count} checks; no SQLite file, stdio and port: says so`)
} finally {
  await miniflare.dispose()
}
