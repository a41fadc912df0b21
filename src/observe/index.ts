export { type CallLogOptions, createCallLog } from './call-log.ts'
export {
  defaultLogger,
  jsonLogger,
  type LoggerOptions,
  type PinoLogger,
  prettyLogger,
  toLogger,
  toSteadyLogger,
} from './logger.ts'
