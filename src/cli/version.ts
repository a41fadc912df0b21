import manifest from '../../package.json' with { type: 'json' }

/** The version of this package. */
export const VERSION: string = manifest.version

/** The oldest Node that runs it, as `>=20.19`. */
export const NODE_VERSION: string = manifest.engines.node
