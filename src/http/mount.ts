import type { Service } from '../core/index.ts'
import type { Mount, MountedSurface, Surface, SurfacePlace } from '../surfaces/surface/index.ts'
import { isRecord } from '../values/index.ts'
import type { HttpHandler } from '../wire/index.ts'
import type { AppOptions } from './app.ts'

/** Options of one surface that once stood beside the others, and how they are written now. */
const MOVED: Readonly<Record<string, string>> = {
  forrstPath: "forrst({ path: '/…' })",
  mcp: 'mcp({ … }), or leave mcp() out',
  explorer: 'explorer({ … }), or leave explorer() out',
  profile: 'profile({ … })',
}

/** Refuses the options of a surface where they no longer stand. */
export function assertNotMoved(caller: string, options: object): void {
  const moved = Object.keys(options).find((name) => Object.hasOwn(MOVED, name))
  if (moved === undefined) return
  throw new TypeError(
    `${caller}: ${moved} is an option of its surface; write surfaces: [${MOVED[moved]}, …], or surfaces: allSurfaces({ ${moved}: { … } })`,
  )
}

/** Refuses options of a guard where the guard itself stands. */
function assertGuard(caller: string, given: unknown): void {
  if (!isRecord(given) || typeof given['attach'] === 'function') return
  throw new TypeError(
    `${caller}: overload is made by overload(); write overload: overload({ … }), with overload imported from waymark`,
  )
}

/** Refuses a list that is missing, or holds something else than surfaces; plain JavaScript has no compiler to say so. */
export function assertSurfaces(caller: string, options: unknown): asserts options is AppOptions {
  if (isRecord(options)) {
    assertNotMoved(caller, options)
    assertGuard(caller, options['overload'])
  }
  const surfaces = isRecord(options) ? options['surfaces'] : undefined
  if (!Array.isArray(surfaces)) {
    throw new TypeError(
      `${caller} needs the surfaces to serve: ${caller}(service, { surfaces: [forrst(), rest()] }), or surfaces: allSurfaces()`,
    )
  }
  const wrong = surfaces.findIndex((one) => !isRecord(one) || typeof one['mount'] !== 'function')
  if (wrong === -1) return
  const hint = typeof surfaces[wrong] === 'function' ? '; call it: surfaces: [forrst()]' : ''
  throw new TypeError(`${caller}: surfaces[${wrong}] is not a surface${hint}`)
}

/** Mounts surfaces; the one that judges announced profiles first, because others ask it. */
export function mountSurfaces(
  service: Service,
  options: AppOptions,
): {
  readonly mounts: readonly Mount[]
  readonly close: () => void
} {
  const mounted = new Map<Surface, MountedSurface>()
  const place: SurfacePlace = {
    ...toPlace(options),
    surfaces: options.surfaces,
    links: () => [...mounted.values()].flatMap(({ links }) => links ?? []),
  }
  const [judge] = options.surfaces.filter(({ negotiation }) => negotiation === 'judge')
  const judging = judge?.mount(service, place)
  if (judge && judging) mounted.set(judge, judging)
  for (const surface of options.surfaces) {
    if (mounted.has(surface)) continue
    const admits = surface.negotiation === 'ask' ? judging : undefined
    mounted.set(surface, mountAsking(surface, service, place, admits))
  }
  const all = [...mounted.values()]
  return {
    mounts: all.flatMap(({ mounts }) => mounts),
    close: () => {
      for (const { close } of all) close?.()
    },
  }
}

/** Mounts a surface twice where callers on this machine are judged by another rule. */
function mountAsking(
  surface: Surface,
  service: Service,
  place: SurfacePlace,
  { admit, admitLocal }: Partial<MountedSurface> = {},
): MountedSurface {
  const far = surface.mount(service, { ...place, ...(admit && { admit }) })
  if (admitLocal === undefined) return far
  const near = surface.mount(service, { ...place, admit: admitLocal })
  return {
    ...far,
    mounts: far.mounts.map((mount, index) => ({
      ...mount,
      handler: choose(near.mounts[index]?.handler ?? mount.handler, mount.handler),
    })),
    close() {
      near.close?.()
      far.close?.()
    },
  }
}

function choose(near: HttpHandler, far: HttpHandler): HttpHandler {
  return (request, judgeLocal) =>
    (judgeLocal && judgeLocal(request) === undefined ? near : far)(request, judgeLocal)
}

function toPlace(options: AppOptions): Omit<SurfacePlace, 'surfaces' | 'links'> {
  const { allowedHosts, allowedOrigins, cors, publicUrl, bind, callerKey } = options
  return {
    ...(allowedHosts && { allowedHosts }),
    ...(allowedOrigins && { allowedOrigins }),
    ...(cors && { cors }),
    ...(publicUrl !== undefined && { publicUrl }),
    ...(bind !== undefined && { bind }),
    ...(callerKey && { callerKey }),
  }
}
