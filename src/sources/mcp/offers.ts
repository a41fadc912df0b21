import { type Logger, markUntrusted, toVisibleText } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { isRecord, type JsonObject, pushTo, toShort } from '../../values/index.ts'
import type { RemoteClient, RemotePrompt, RemoteResource, RemoteTemplate } from './client.ts'
import { type Namespace, rewriteBlock, UI_SCHEME } from './namespace.ts'

/** Who reads; the surface for agents says when nobody waits any more. */
export interface OfferReader {
  readonly signal: () => AbortSignal
}

/** What a server says about something it offers; other members of its lists are passed on. */
export interface OfferedEntry {
  readonly name: string
  readonly title?: string
  readonly description?: string
}

/** Contents of a resource: text, or base64 in `blob`. */
export type OfferedContents =
  | { readonly uri: string; readonly mimeType?: string; readonly text: string }
  | { readonly uri: string; readonly mimeType?: string; readonly blob: string }

/** A resource of a remote server. */
export interface OfferedResource extends OfferedEntry {
  readonly uri: string
  readonly mimeType?: string
  readonly read: (reader: OfferReader) => Promise<readonly OfferedContents[]>
}

/** A family of resources of a remote server. */
export interface OfferedTemplate extends OfferedEntry {
  readonly uriTemplate: string
  readonly mimeType?: string
  readonly complete: (
    variable: string,
    value: string,
    principal?: unknown,
    given?: Readonly<Record<string, string>>,
  ) => Promise<readonly string[]>
}

/** A prompt of a remote server. */
export interface OfferedPrompt extends OfferedEntry {
  readonly arguments: readonly {
    readonly name: string
    readonly complete: (
      value: string,
      given: Readonly<Record<string, string>>,
    ) => Promise<readonly string[]>
  }[]
  readonly get: (
    values: Readonly<Record<string, string>>,
    reader: OfferReader,
  ) => Promise<
    readonly {
      readonly role: 'user' | 'assistant'
      readonly content: { readonly type: 'text'; readonly text: string }
    }[]
  >
}

/** What remote servers offer besides tools, as options of the MCP surface: `serve(service, { mcp: files.offers })`. */
export interface McpOffers {
  readonly resources: () => readonly OfferedResource[]
  readonly resourceTemplates: () => readonly OfferedTemplate[]
  readonly prompts: () => readonly OfferedPrompt[]
  readonly readResource: (
    uri: string,
    reader: OfferReader,
  ) => Promise<readonly OfferedContents[]> | undefined
  readonly followResource: (uri: string) => (() => void) | undefined
  readonly onResourceUpdate: (listener: (uri: string) => void) => () => void
  readonly onListsChange: (listener: () => void) => () => void
}

/** Joins what several sources offer. */
export function joinMcpOffers(offers: readonly McpOffers[]): McpOffers {
  const first = <Value>(pick: (one: McpOffers) => Value | undefined): Value | undefined => {
    for (const one of offers) {
      const found = pick(one)
      if (found !== undefined) return found
    }
    return undefined
  }
  const all = (stops: readonly (() => void)[]) => () => {
    for (const stop of stops) stop()
  }
  return {
    resources: () => offers.flatMap(({ resources }) => resources()),
    resourceTemplates: () => offers.flatMap(({ resourceTemplates }) => resourceTemplates()),
    prompts: () => offers.flatMap(({ prompts }) => prompts()),
    readResource: (uri, reader) => first(({ readResource }) => readResource(uri, reader)),
    followResource: (uri) => first(({ followResource }) => followResource(uri)),
    onResourceUpdate: (listener) =>
      all(offers.map(({ onResourceUpdate }) => onResourceUpdate(listener))),
    onListsChange: (listener) => all(offers.map(({ onListsChange }) => onListsChange(listener))),
  }
}

/** What a source does with its offers. */
export interface SourceOffers {
  readonly offers: McpOffers
  /** Asks a server for its lists; what it refuses to list, it does not offer. */
  readonly load: (client: RemoteClient) => Promise<void>
  /** Follows on a new connection what was followed on the last one. */
  readonly resume: (client: RemoteClient) => void
  /** Takes the news that a resource changed. */
  readonly update: (uri: string) => void
}

/** How the offers of one server are made. */
export interface SourceOffersOptions {
  readonly name: string
  readonly trusted: boolean
  readonly log: Logger
  readonly namespace: Namespace
  /** Asks the server something; errors are those of a call. */
  readonly ask: <Result>(work: (client: RemoteClient) => Promise<Result>) => Promise<Result>
  /** Views that tools of the server name. */
  readonly views: () => ReadonlySet<string>
}

const MOST = 10_000
const NOT_FOUND = -32_002

/** Creates what passes the resources and prompts of one server on. */
export function createOffers(options: SourceOffersOptions): SourceOffers {
  const { name, log, namespace } = options
  const remote = createRemote(options)
  const updates = new Set<(uri: string) => void>()
  const changes = new Set<() => void>()
  const following = createFollowing(options)
  let resources: readonly OfferedResource[] = []
  let templates: readonly OfferedTemplate[] = []
  let prompts: readonly OfferedPrompt[] = []

  const isOwnView = (uri: string) =>
    options.views().has(uri) || resources.some((resource) => resource.uri === uri)
  const toInner = (uri: string): string | undefined =>
    uri.startsWith(UI_SCHEME) && !isOwnView(uri) ? undefined : namespace.toInner(uri)

  return {
    async load(client) {
      const list = async <Item>(
        offered: unknown,
        kind: string,
        work: () => Promise<readonly Item[]>,
      ) => {
        if (offered === undefined) return []
        try {
          return (await work()).slice(0, MOST)
        } catch (error) {
          log.warn(`the MCP server ${name} does not list its ${kind}`, { error })
          return []
        }
      }
      const { resources: hasResources, prompts: hasPrompts } = client.getServerCapabilities() ?? {}
      const fresh = { cacheMode: 'refresh' } as const
      const [foundResources, foundTemplates, foundPrompts] = await Promise.all([
        list(hasResources, 'resources', async () => {
          return (await client.listResources(undefined, fresh)).resources
        }),
        list(hasResources, 'resource templates', async () => {
          return (await client.listResourceTemplates(undefined, fresh)).resourceTemplates
        }),
        list(hasPrompts, 'prompts', async () => {
          return (await client.listPrompts(undefined, fresh)).prompts
        }),
      ])
      resources = foundResources.map(remote.toResource)
      templates = foundTemplates.map(remote.toTemplate)
      prompts = foundPrompts.map(remote.toPrompt)
      for (const listener of [...changes]) listener()
    },
    resume: following.resume,
    update(uri) {
      for (const listener of [...updates]) listener(namespace.toOuter(uri))
    },
    offers: {
      resources: () => resources,
      resourceTemplates: () => templates,
      prompts: () => prompts,
      readResource(uri, reader) {
        const inner = toInner(uri)
        return inner === undefined ? undefined : remote.read(inner, reader)
      },
      followResource(uri) {
        const inner = toInner(uri)
        return inner === undefined ? undefined : following.follow(inner)
      },
      onResourceUpdate: (listener) => {
        updates.add(listener)
        return () => updates.delete(listener)
      },
      onListsChange: (listener) => {
        changes.add(listener)
        return () => changes.delete(listener)
      },
    },
  }
}

/** Makes offers of the entries of a server's lists. */
function createRemote({ name, trusted, ask, namespace }: SourceOffersOptions) {
  const describe = ({ description }: { readonly description?: string | undefined }) => {
    if (description === undefined) return {}
    const text = toVisibleText(description)
    return { description: trusted ? text : markUntrusted(text, name) }
  }
  const read = async (uri: string, { signal }: OfferReader) => {
    const { contents } = await ask((client) =>
      client
        .readResource({ uri }, { signal: signal(), cacheMode: 'bypass' })
        .catch((thrown: unknown) => {
          if (!isRecord(thrown) || thrown['code'] !== NOT_FOUND) throw thrown
          throw new CallError('NOT_FOUND', { message: `Resource not found: ${toShort(uri)}` })
        }),
    )
    return contents.map(
      (part) => ({ ...part, uri: namespace.toOuter(part.uri) }) as OfferedContents,
    )
  }
  const complete = async (
    ref: JsonObject,
    argument: string,
    value: string,
    given: Readonly<Record<string, string>>,
  ) => {
    const { completion } = await ask((client) =>
      client.complete({
        ref: ref as never,
        argument: { name: argument, value },
        ...(Object.keys(given).length > 0 && { context: { arguments: { ...given } } }),
      }),
    )
    return completion.values
  }
  return {
    read,
    toResource: (resource: RemoteResource) =>
      ({
        ...resource,
        ...describe(resource),
        uri: namespace.toOuter(resource.uri),
        read: (reader: OfferReader) => read(resource.uri, reader),
      }) as OfferedResource,
    toTemplate: (template: RemoteTemplate) =>
      ({
        ...template,
        ...describe(template),
        uriTemplate: namespace.toOuter(template.uriTemplate),
        // No server is told who asks.
        complete: (
          variable: string,
          value: string,
          _principal?: unknown,
          given: Readonly<Record<string, string>> = {},
        ) => complete({ type: 'ref/resource', uri: template.uriTemplate }, variable, value, given),
      }) as OfferedTemplate,
    toPrompt: (prompt: RemotePrompt) =>
      ({
        ...prompt,
        ...describe(prompt),
        name: `${name}__${prompt.name}`,
        arguments: (prompt.arguments ?? []).map((argument) => ({
          ...argument,
          complete: (value: string, given: Readonly<Record<string, string>>) =>
            complete({ type: 'ref/prompt', name: prompt.name }, argument.name, value, given),
        })),
        async get(values: Readonly<Record<string, string>>, { signal }: OfferReader) {
          const { messages } = await ask((client) =>
            client.getPrompt({ name: prompt.name, arguments: values }, { signal: signal() }),
          )
          return messages.map((message) => ({
            ...message,
            content: rewriteBlock(message.content, namespace),
          }))
        },
      }) as OfferedPrompt,
  }
}

async function subscribe(client: RemoteClient, uri: string): Promise<() => Promise<unknown>> {
  if (client.getProtocolEra() === 'modern') {
    const subscription = await client.listen({ resourceSubscriptions: [uri] })
    return () => subscription.close()
  }
  await client.subscribeResource({ uri })
  return () => client.unsubscribeResource({ uri })
}

const MOST_FOLLOWED = 1_000

/** Follows resources of a server for as long as somebody here does. */
function createFollowing({ name, log, ask }: SourceOffersOptions): {
  readonly follow: (uri: string) => (() => void) | undefined
  readonly resume: (client: RemoteClient) => void
} {
  const followed = new Map<string, (() => void)[]>()

  async function start(client: RemoteClient, uri: string): Promise<void> {
    const end = await subscribe(client, uri)
    const stop = () => void end().catch(() => undefined)
    if (followed.has(uri)) pushTo(followed, uri, stop)
    else stop()
  }
  const report = (uri: string) => (error: unknown) =>
    log.warn(`the MCP server ${name} does not tell when a resource changes`, { uri, error })

  return {
    follow(uri) {
      if (followed.size >= MOST_FOLLOWED) {
        report(uri)(new Error(`more than ${MOST_FOLLOWED} resources are followed`))
        return undefined
      }
      followed.set(uri, [])
      void ask((client) => start(client, uri)).catch(report(uri))
      return () => {
        const stops = followed.get(uri) ?? []
        followed.delete(uri)
        for (const stop of stops) stop()
      }
    },
    resume(client) {
      for (const uri of followed.keys()) {
        followed.set(uri, [])
        void start(client, uri).catch(report(uri))
      }
    },
  }
}
