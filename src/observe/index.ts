export {
  type AuditOptions,
  type AuditOutcome,
  type AuditQuery,
  type AuditRecord,
  type AuditSink,
  createAudit,
  readAudit,
} from './audit.ts'
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
export {
  type MeterAttributes,
  type OpenTelemetryMeter,
  openTelemetryMetrics,
} from './open-telemetry.ts'
export {
  type AttachedMetrics,
  type MeasuredApp,
  type MeasuredTriggers,
  type MetricsOption,
  type PrometheusOptions,
  prometheus,
} from './prometheus.ts'
