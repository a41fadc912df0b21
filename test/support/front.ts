import { onTestFinished } from 'vitest'
import type { Service } from '../../src/core/service.ts'
import { createClient } from '../../src/entries/client.ts'
import { allSurfaces } from '../../src/http/all-surfaces.ts'
import { type RunningServer, serve } from '../../src/http/serve.ts'
import type { ForrstSourceOptions } from '../../src/sources/forrst/source.ts'
import { connectForrstSource } from '../../src/sources/forrst/source.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { createService } from '../../src/system/create-service.ts'
import { createTestLogger } from './service.ts'

/** Serves a service until the test is over. */
export async function start(service: Service, port = 0): Promise<RunningServer> {
  const server = await serve(service, {
    port,
    graceMs: 100,
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  })
  onTestFinished(server.close)
  return server
}

/** Puts a second server in front of a first one, the way `waymark serve https://…/forrst` does. */
export async function front(far: RunningServer, options: Partial<ForrstSourceOptions> = {}) {
  const source = await connectForrstSource({
    client: createClient({ url: `${far.url}/forrst`, name: 'front' }),
    name: 'far',
    refreshMs: 0,
    ...options,
  })
  onTestFinished(source.close)
  const service = createService({
    info: source.info,
    functions: source.functions(),
    store: createMemoryStore(),
    log: createTestLogger(),
    health: { far_api: { check: source.check } },
  })
  source.follow(service.registry)
  const near = await start(service)
  const client = createClient({ url: `${near.url}/forrst`, name: 'test', retry: false })
  return { source, service, near, client }
}
