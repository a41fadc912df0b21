import {
  type Extension,
  type ExtensionCall,
  type Next,
  notApplicable,
  type Outcome,
  requireBoolean,
} from '../../core/index.ts'
import { andThen, extensionUrn, type Maybe } from '../../values/index.ts'

/** The name of the extension. */
export const STREAM_URN: string = extensionUrn('stream')

/** Extensions that answer something else than the function does while it runs. */
const CONFLICTS = ['caching', 'async', 'replay', 'query'].map(extensionUrn)

/** Creates the extension that hands partial results to the caller while the function runs. */
export function streamExtension(): Extension {
  return {
    urn: STREAM_URN,
    version: '1.0.0',
    phase: 'shape',
    order: -10,
    streams: true,
    details: {
      content_type: 'text/event-stream',
      events: ['data', 'progress', 'error', 'done', 'complete'],
    },
    conflicts: ({ options }) => (options['accept'] === true ? CONFLICTS : []),
    around(exchange, next) {
      if (!requireBoolean(exchange, 'accept')) return runWhole(exchange, next)
      const { target, pointer } = exchange
      if (!target.streams) {
        throw notApplicable({ urn: STREAM_URN, pointer }, target, `${target.name} does not stream`)
      }
      return exchange.call.facts.outlet === undefined
        ? runWhole(exchange, next)
        : runStreaming(exchange, next)
    },
  }
}

function runWhole({ call, answer }: ExtensionCall, next: Next): Maybe<Outcome> {
  answer({ enabled: false })
  return next(call)
}

function runStreaming({ call, answer }: ExtensionCall, next: Next): Maybe<Outcome> {
  call.facts.outlet?.begin()
  return andThen(next(call), (outcome) => {
    answer({ completed: outcome.ok })
    return outcome
  })
}
