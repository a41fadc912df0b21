/** Where the page is. */
export interface Route {
  /** `tool`, or the id of a panel. */
  readonly view: string
  readonly tool?: string
  /** Arguments carried in the link; shown, never run. */
  readonly args?: string
}

/** Reads the part of the address after the hash. */
export function parseRoute(hash: string): Route {
  const [path = '', query = ''] = hash.replace(/^#\/?/, '').split('?')
  const [view = '', ...rest] = path.split('/')
  if (view !== 'tool' || rest.length === 0) return { view: view || 'overview' }
  const args = new URLSearchParams(query).get('args')
  return { view: 'tool', tool: decode(rest.join('/')), ...(args !== null && { args }) }
}

/** Writes a link to a tool, with arguments when given. */
export function formatToolRoute(tool: string, args?: string): string {
  const query = args === undefined ? '' : `?args=${encodeURIComponent(args)}`
  return `#/tool/${encodeURIComponent(tool)}${query}`
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
