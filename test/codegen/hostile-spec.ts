import type { ToolSpec } from '../../src/sources/tool-spec/types.ts'

/**
 * Makes a spec with a text in every place that takes one. `name` stands for things that a checked spec
 * restricts to plain names; `text` for everything else.
 */
export function hostileSpec(text: string, name: string): ToolSpec {
  const field = { name: text, arg: text, type: 'string', description: text, format: text } as const
  const params = [
    {
      ...field,
      in: 'query',
      default: text,
      enum: [text, `${text}!`],
      // A very long pattern takes more than linear time and is left out, which is another shape.
      pattern: escapeRegExp(text.slice(0, 60)),
      style: 'form',
    },
    { ...field, name: `${text}_b`, arg: `${text}_b`, in: 'header', content_type: text },
    {
      ...field,
      name: `${text}_c`,
      arg: `${text}_c`,
      type: 'object',
      default: { [text]: { [text]: [text] } },
      properties: [
        { ...field, required: true },
        {
          ...field,
          name: `${text}_e`,
          type: 'array',
          items: { ...field, any_of: [field, { ...field, type: 'number' }] },
        },
      ],
    },
  ] as const
  const auth = {
    type: 'api_key',
    env: text,
    header: text,
    name: text,
    prefix: text,
    scopes: [text],
    token_url: text,
    discovery_url: text,
  } as const
  const common = {
    description: text,
    prompt: text,
    payload_map: { [text]: text },
    tool: text,
    payload: [field],
    'x-anything': text,
  }
  return {
    domain: name,
    version: text,
    base_url: text,
    auth,
    'x-anything': text,
    tools: [
      {
        name,
        description: text,
        method: 'POST',
        path: `/${text}`,
        params,
        body: [{ ...field, arg: `${text}_d`, content_type: text }],
        media_type: text,
        tags: [text],
        deprecated: true,
        response: { pick: [text] },
        paginate: { style: 'cursor', cursor: text, limit: text, items: text, next: text },
      },
      { name: `${name}_own`, description: text, params },
    ],
    triggers: [
      {
        type: 'webhook',
        name,
        path: text,
        event: text,
        secret_env: text,
        signature: { scheme: 'secret', header: text },
        ...common,
      },
      { type: 'schedule', name: `${name}_2`, cron: text, timezone: text, ...common },
      { type: 'queue', name: `${name}_3`, queue_url: text, queue_env: text, ...common },
      { type: 'file', name: `${name}_4`, watch_path: text, ...common },
      { type: 'emit', name: `${name}_5`, event: text, ...common },
    ],
  } as ToolSpec
}

function escapeRegExp(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}
