export {
  type Abortable,
  createAbortable,
  openScope,
  runInScope,
  sleep,
  untilAborted,
} from './abort.ts'
export { markDigits, withoutMark, writeMarked } from './exact-digits.ts'
export {
  isLargeNumber,
  isLostNumber,
  MAY_BE_LARGE,
  parseExactJson,
  quoteNumbers,
} from './exact-json.ts'
export {
  asList,
  asRecord,
  createRecord,
  type Duration,
  defined,
  entriesOf,
  formatPointer,
  fromJson,
  groupBy,
  isList,
  isRecord,
  type Json,
  type JsonObject,
  ownMember,
  parsePointer,
  pushTo,
  resolvePointer,
  shortenPointer,
  toCanonicalJson,
  toReason,
  toShort,
  toText,
  tryJson,
  unescapeSegment,
} from './json.ts'
export { findNoJson, inspectJson, type NoJson } from './json-value.ts'
export { andThen, isPromise, type Maybe, once, toMaybe } from './maybe.ts'
export { assertNoPrivateKeys, findPrivateKeys, PRIVATE_MEMBERS } from './private-keys.ts'
export { didYouMean, formatNear, nearest } from './suggest.ts'
export {
  type Clock,
  formatTimestamp,
  parseRetryAfter,
  systemClock,
  toDuration,
  toMilliseconds,
  unref,
} from './time.ts'
export { fromToolName, MAX_TOOL_NAME, spellName } from './tool-spelling.ts'
export { canonicalUrn, extensionName, extensionUrn } from './urn.ts'
