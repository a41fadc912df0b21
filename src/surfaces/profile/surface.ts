import type { Service } from '../../core/index.ts'
import { isLoopbackHost, parsePublicUrl } from '../../net/index.ts'
import type { CatalogLink, Surface, SurfacePlace } from '../surface/index.ts'
import { createProfileSurface, type ProfileOptions } from './handler.ts'

/**
 * Publishes a capability profile at `/.well-known/ucp` and judges those that callers announce. Without options it is
 * the profile of the service, at the `publicUrl` of the app; a service that has none publishes nothing.
 */
export function profile(options?: ProfileOptions): Surface {
  return {
    name: 'profile',
    negotiation: 'judge',
    mount(service, place) {
      const published = options ?? ownProfile(service, place)
      if (published === undefined) return { mounts: [] }
      const { handler, admit } = createProfileSurface(service, published)
      return {
        mounts: [{ path: '/.well-known/ucp', match: 'exact', handler }],
        links: [PROFILE_LINK],
        admit,
        // Fetched for anybody else, a profile on this machine would be a way to ask what is meant for it alone.
        ...(options === undefined &&
          isLoopbackHost(new URL(published.origin).host) && {
            admitLocal: createProfileSurface(service, { ...published, allowLoopback: true }).admit,
          }),
      }
    },
  }
}

const PROFILE_LINK: CatalogLink = {
  relation: 'service-meta',
  path: '/.well-known/ucp',
  type: 'application/json',
}

function ownProfile(service: Service, { publicUrl }: SurfacePlace): ProfileOptions | undefined {
  if (service.profile === undefined || publicUrl === undefined) return undefined
  return { ...service.profile, origin: parsePublicUrl(publicUrl).origin }
}
