/** What a domain looks like: it becomes a file name, so no dots, slashes or spaces. */
export const DOMAIN_PATTERN: RegExp = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/

/** What the name of a tool or trigger looks like. */
export const NAME_PATTERN: RegExp = /^[a-z][a-z0-9_]*$/

/** Longest name of a tool that model providers accept. */
export const MAX_NAME_LENGTH = 64

/** What the name of an environment variable looks like. */
export const ENV_PATTERN: RegExp = /^[A-Z_][A-Z0-9_]*$/

/** A token of RFC 9110: what a header name may be made of. */
export const HEADER_PATTERN: RegExp = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

/** Deepest nesting of fields. */
export const MAX_FIELD_DEPTH = 12

/** Writes a domain as the prefix of tool names: `my-api` becomes `my_api`. */
export function toSnakeDomain(domain: string): string {
  return domain
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-/g, '_')
    .toLowerCase()
}

/** Writes a domain as the prefix of environment variables: `my-api` becomes `MY_API`. */
export function toEnvDomain(domain: string): string {
  return toSnakeDomain(domain).toUpperCase()
}
