export {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
} from './outgoing.ts'
export { findHeaderProblem, type OutgoingSignature } from './request.ts'
