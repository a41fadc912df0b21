import type { CallObserver } from '../core/index.ts'

/** What a measurement is about, by the names of OpenTelemetry. */
export type MeterAttributes = Readonly<Record<string, string>>

/** A meter of `@opentelemetry/api`, as far as it is used. */
export interface OpenTelemetryMeter {
  createCounter(
    name: string,
    options?: object,
  ): { add(value: number, attributes?: MeterAttributes): void }
  createUpDownCounter(
    name: string,
    options?: object,
  ): { add(value: number, attributes?: MeterAttributes): void }
  createHistogram(
    name: string,
    options?: object,
  ): { record(value: number, attributes?: MeterAttributes): void }
}

/**
 * Creates an observer that reports calls to OpenTelemetry.
 *
 * @example
 * service.observers.push(openTelemetryMetrics(metrics.getMeter('orders')))
 */
export function openTelemetryMetrics(meter: OpenTelemetryMeter): CallObserver {
  const duration = meter.createHistogram('rpc.server.call.duration', {
    unit: 's',
    description: 'Time from the arrival of a call to its outcome.',
  })
  const running = meter.createUpDownCounter('waymark.calls.in_flight', {
    description: 'Calls that run now.',
  })
  const errors = meter.createCounter('waymark.errors', {
    description: 'Failed calls by error code.',
  })
  return {
    begin: (surface) => running.add(1, { 'rpc.system.name': surface }),
    end({ surface, target, code, durationMs }) {
      running.add(-1, { 'rpc.system.name': surface })
      const attributes: MeterAttributes = {
        'rpc.system.name': surface,
        // A name that only the caller made up is not an attribute.
        'rpc.method': target?.name ?? '_OTHER',
        ...(code !== undefined && { 'error.type': code }),
      }
      duration.record(durationMs / 1_000, attributes)
      if (code !== undefined) errors.add(1, attributes)
    },
  }
}
