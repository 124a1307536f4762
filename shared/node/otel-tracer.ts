/** Driver: traces by the OpenTelemetry SDK, sent as OTLP over HTTP (JSON). The packages of the SDK are loaded only when traces are configured. */
import { createBoundedLog } from '../bounded-log.js';
import { type Clock, sleep } from '../clock.js';
import type { Logger } from '../logger.js';
import { FIRST_SPAN, type Tracer, traceIdsOf } from '../tracer.js';

/** How long spans are collected before they are sent. */
const SEND_AFTER_MS = 1_000;
const CLOSE_WITHIN_MS = 2_000;

/** @param options.endpoint URL of the collector (OTEL_EXPORTER_OTLP_ENDPOINT); `/v1/traces` is appended */
export async function createOtelTracer(options: {
  endpoint: string;
  service: { name: string; version: string };
  clock: Clock;
  logger: Logger;
}): Promise<Tracer> {
  const { endpoint, service, clock, logger } = options;
  const { diag, DiagLogLevel, ROOT_CONTEXT, trace, TraceFlags } = await import('@opentelemetry/api');
  const { BatchSpanProcessor, RandomIdGenerator, TracerProvider } = await import('@opentelemetry/sdk-trace');
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const { detectResources, envDetector, resourceFromAttributes } = await import('@opentelemetry/resources');

  // Without a bound, an unreachable collector would cause a log line each second.
  const lines = createBoundedLog({ logger, clock }).from('traces');
  const warn = (reason: string) => lines.warn({ reason }, 'traces could not be sent');
  diag.setLogger({ error: warn, warn, info() {}, debug() {}, verbose() {} }, DiagLogLevel.WARN);

  let planned: { traceId: string; spanId: string } | null = null;
  const random = new RandomIdGenerator();
  const provider = new TracerProvider({
    // OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES override this.
    resource: resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    idGenerator: {
      generateTraceId: () => planned?.traceId ?? random.generateTraceId(),
      generateSpanId: () => planned?.spanId ?? random.generateSpanId(),
    },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url: `${endpoint}/v1/traces` }),
        scheduledDelayMillis: SEND_AFTER_MS,
      }),
    ],
  });
  const tracer = provider.getTracer(service.name, service.version);

  return {
    add({ uid, name, startMs, tookMs, attributes }) {
      const { traceId, firstSpanId } = traceIdsOf(uid);
      const first = { traceId, spanId: firstSpanId, traceFlags: TraceFlags.SAMPLED, isRemote: true };
      const isFirst = name === FIRST_SPAN;
      planned = isFirst ? first : null;
      const parent = isFirst ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, first);
      const span = tracer.startSpan(name, { startTime: hrTimeOf(startMs), attributes }, parent);
      planned = null;
      span.end(hrTimeOf(startMs + tookMs));
    },
    async close() {
      await Promise.race([provider.shutdown().catch(() => undefined), sleep(clock, CLOSE_WITHIN_MS)]);
    },
  };
}

/** Converts wall milliseconds for the SDK, which would interpret a small plain number as time since the start of the process. */
function hrTimeOf(epochMs: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(epochMs / 1_000);
  return [seconds, Math.round((epochMs - seconds * 1_000) * 1_000_000)];
}
