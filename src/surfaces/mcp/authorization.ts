import type { Failure } from '../../core/index.ts'
import { CallError, challengeHeaders, DEFAULT_CHALLENGE } from '../../errors/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import { McpError, toData } from './errors.ts'

/** Where clients get a token for this server (RFC 9728). */
export interface Authorization {
  /** The public URL of the MCP endpoint: `https://api.example.com/mcp`. */
  readonly resource: string
  /** Issuers whose tokens the `authenticate` hook of the service accepts. */
  readonly authorizationServers: readonly string[]
  readonly scopes?: readonly string[]
  readonly documentation?: string
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource'

/** Gives the paths under which clients look for the metadata of a protected resource. */
export function metadataPaths({ resource }: Authorization): readonly string[] {
  const { pathname } = new URL(resource)
  return pathname === '/' ? [WELL_KNOWN] : [`${WELL_KNOWN}${pathname}`, WELL_KNOWN]
}

/** Serves the metadata that tells clients where to get a token. */
export function createProtectedResourceHandler(authorization: Authorization): HttpHandler {
  const { resource, authorizationServers, scopes, documentation } = authorization
  const body = JSON.stringify({
    resource,
    authorization_servers: authorizationServers,
    bearer_methods_supported: ['header'],
    ...(scopes && { scopes_supported: scopes }),
    ...(documentation !== undefined && { resource_documentation: documentation }),
  })
  return () => ({
    status: 200,
    headers: { 'content-type': 'application/json', 'access-control-allow-origin': '*' },
    body,
  })
}

/** Turns what the `authenticate` hook threw into a refusal that says where to get a token. */
export function toUnauthorized(
  thrown: unknown,
  authorization: Authorization | undefined,
  { hasToken, challenge }: { readonly hasToken: boolean; readonly challenge: string },
): unknown {
  if (!(thrown instanceof CallError) || thrown.code !== 'UNAUTHORIZED') return thrown
  const parts = [
    ...(hasToken ? ['error="invalid_token"'] : []),
    ...(authorization ? [`resource_metadata="${metadataUrl(authorization)}"`] : []),
    ...(authorization?.scopes ? [`scope="${authorization.scopes.join(' ')}"`] : []),
  ]
  const bearer = parts.length === 0 ? DEFAULT_CHALLENGE : `Bearer ${parts.join(', ')}`
  // Clients of MCP look for the metadata; only where there is none may somebody else say what to show.
  const own = challengeHeaders(401, thrown.challenge, challenge)
  const isUsual = authorization !== undefined || own['www-authenticate'] === DEFAULT_CHALLENGE
  return new McpError(401, thrown.errors[0].message, {
    status: 401,
    headers: isUsual ? { 'www-authenticate': bearer } : own,
  })
}

/** Turns a refusal for want of a scope into one that says which, and where to get a token with it (RFC 6750, 3.1). */
export function toForbidden(
  { errors, challenge }: Pick<Failure, 'errors'> & { readonly challenge?: string | undefined },
  authorization: Authorization | undefined,
): McpError {
  const metadata = authorization ? `, resource_metadata="${metadataUrl(authorization)}"` : ''
  return new McpError(403, errors[0].message, {
    data: { errors: errors.map(toData) },
    ...(challenge !== undefined && {
      status: 403,
      headers: { 'www-authenticate': `${challenge}${metadata}` },
    }),
  })
}

function metadataUrl(authorization: Authorization): string {
  const [path = WELL_KNOWN] = metadataPaths(authorization)
  return new URL(path, authorization.resource).href
}
