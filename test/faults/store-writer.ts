import { openStore } from '../../src/entries/store.ts'

/** Writes as fast as it can until it is killed, and reports each write once the store has acknowledged it. */
async function main(): Promise<void> {
  const [url = '', name = ''] = process.argv.slice(2)
  const store = await openStore(url)
  for (let count = 0; ; count++) {
    const key = `${name}:${count}`
    const [, { value }, token] = await Promise.all([
      store.put(key, count, { ttl: null }),
      store.increment('counter', { ttl: null }),
      store.next('fence'),
    ])
    process.send?.({ key, value, token })
  }
}

await main()
