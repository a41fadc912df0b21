/** The Forrst protocol version a service speaks and puts into every answer. */
export const PROTOCOL_VERSION = '0.1.0'

/** The protocol versions capabilities list. */
export const PROTOCOL_VERSIONS: readonly string[] = [PROTOCOL_VERSION]
