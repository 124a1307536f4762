/** The tracer of both programs, which OpenTelemetry's SDK is behind. */
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createOtelTracer } from '../../../shared/node/otel-tracer.js';
import { uidSchema } from '../../../shared/ids.js';
import { type Logger, silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { FIRST_SPAN, startWatch, traceIdsOf } from '../../../shared/tracer.js';
import { startReceiver } from '../../integration/webhook/webhook-receiver.js';
import { FakeClock } from '../../world/fake-clock.js';

const UID = uidSchema.parse('0199a7c0-0000-7000-8000-0000000000f1');
const TRACE_ID = '0199a7c00000700080000000000000f1';

describe('the tracer of a program', () => {
  const service = { name: 'parking-agent', version: '1.2.3' };

  it('sends spans with the ids of their record, also from before the program was started', async () => {
    const collector = await startReceiver(200);
    const tracer = await createOtelTracer({
      endpoint: `http://127.0.0.1:${collector.port}`,
      service,
      clock: systemClock,
      logger: silentLogger,
    });
    const startMs = Date.UTC(2020, 0, 1);
    tracer.add({ uid: UID, name: FIRST_SPAN, startMs, tookMs: 12.5, attributes: { lane: 0 } });
    tracer.add({ uid: UID, name: 'send', startMs: startMs + 20, tookMs: 0, attributes: {} });
    await tracer.close();
    const [sent] = collector.received;
    await collector.close();
    expect(sent?.path).toBe('/v1/traces');
    const [{ resource, scopeSpans }] = (JSON.parse(sent?.body ?? '') as { resourceSpans: [Record<string, never>] })
      .resourceSpans as unknown as [{ resource: unknown; scopeSpans: { spans: Record<string, unknown>[] }[] }];
    expect(JSON.stringify(resource)).toContain('"parking-agent"');
    const [first, second] = scopeSpans[0]?.spans ?? [];
    expect(first).toMatchObject({
      traceId: TRACE_ID,
      spanId: TRACE_ID.slice(16),
      name: 'plate read',
      startTimeUnixNano: `${startMs}000000`,
      endTimeUnixNano: `${startMs + 12}500000`,
    });
    expect(second).toMatchObject({ traceId: TRACE_ID, parentSpanId: TRACE_ID.slice(16), name: 'send' });
    expect(second?.spanId).toMatch(/^[0-9a-f]{16}$/);
    expect(second?.spanId).not.toBe(TRACE_ID.slice(16));
  });

  it('says in the log that its collector is gone, and holds nobody up', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const warnings: string[] = [];
    const logger: Logger = { ...silentLogger, warn: (_fields, message) => void warnings.push(message) };
    const clock = new FakeClock();
    const tracer = await createOtelTracer({ endpoint: `http://127.0.0.1:${port}`, service, clock, logger });
    tracer.add({ uid: UID, name: FIRST_SPAN, startMs: 0, tookMs: 0, attributes: {} });
    const closed = tracer.close();
    await clock.advance(2_000);
    await closed;
    // The SDK goes on trying for a while.
    await expect.poll(() => warnings).toContain('traces could not be sent');
  });
});

describe('the ids of a trace', () => {
  it('follow from the uid of the record', () => {
    expect(traceIdsOf(UID)).toEqual({ traceId: TRACE_ID, firstSpanId: TRACE_ID.slice(16) });
  });

  it('belong to spans that are measured by the clock that never goes back', async () => {
    const clock = new FakeClock(1_000);
    const watch = startWatch(clock);
    await clock.advance(30);
    clock.jumpWall(-500);
    expect(watch()).toEqual({ startMs: 1_000, tookMs: 30 });
  });
});
