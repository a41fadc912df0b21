export type {
  OpenTelemetryApi,
  OpenTelemetryContext,
  OpenTelemetrySpan,
  RemoteSpan,
  SpanContext,
  SpanStart,
  TraceIds,
  TraceState,
} from './open-telemetry.ts'
export { type TracingExtensionOptions, tracingExtension } from './tracing.ts'
