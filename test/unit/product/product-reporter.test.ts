import { describe, expect, it } from 'vitest';
import { createProductReporter } from '../../../agent/product/product-reporter.js';
import { createProductWatch } from '../../../agent/product/product-watch.js';
import { type GatewayReport, gatewayReportSchema } from '../../../shared/uplink-reports.js';
import { createFakeRadio } from '../../devices/fake-radio.js';
import { FakeClock } from '../../world/fake-clock.js';
import { crypto } from '../product-protocol/protocol-fixture.js';
import { keepingLogger } from '../radio/bench.js';
import { BARRIER, GATE, OPENED, productItem } from './product-item.js';

const INTERVAL_MS = 30_000;

function startReporter(items = [productItem(BARRIER), productItem(GATE)]) {
  const clock = new FakeClock();
  const watch = createProductWatch({ radio: createFakeRadio({ clock }).radio, crypto, clock });
  watch.setProducts(items);
  const published: GatewayReport[] = [];
  const { logger, complaints } = keepingLogger();
  const failures: Error[] = [];
  const reporter = createProductReporter({
    watch,
    clock,
    logger,
    intervalMs: INTERVAL_MS,
    publish(report) {
      const failure = failures.shift();
      if (failure !== undefined) throw failure;
      published.push(report);
    },
  });
  return { clock, watch, reporter, published, complaints, failures };
}

describe('the reports of products', () => {
  const named = (report?: GatewayReport) => report?.products.map(({ device_id }) => device_id);

  it('are sent now and then, with all products', async () => {
    const { clock, watch, published } = startReporter();
    for (const device_id of [BARRIER, GATE]) watch.applyStatus(device_id, OPENED);
    await clock.advance(INTERVAL_MS - 1);
    expect(published).toHaveLength(1);
    await clock.advance(1);
    expect(published.map((report) => named(report)?.join())).toEqual(Array(2).fill(`${BARRIER},${GATE}`));
    expect(gatewayReportSchema.safeParse(published[0]).success).toBe(true);
    await clock.advance(INTERVAL_MS - 1);
    expect(published).toHaveLength(2);
  });

  it('say nothing of a product that was not heard yet, until there was time to hear it', async () => {
    const { clock, watch, published } = startReporter();
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(2 * INTERVAL_MS - 1);
    expect(published.map(named)).toEqual([[BARRIER], [BARRIER]]);
    await clock.advance(1);
    expect(published.at(-1)?.products).toMatchObject([{ device_id: BARRIER }, { device_id: GATE, status: 'offline' }]);
  });

  it('follow a change at once, several changes together', async () => {
    const { clock, watch, published } = startReporter();
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(100);
    watch.applyStatus(GATE, { ...OPENED, state: 'closed' });
    await clock.advance(149);
    expect(published).toEqual([]);
    await clock.advance(1);
    expect(published.map(({ products }) => products.map(({ state }) => state))).toEqual([['opened', 'closed']]);
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(1_000);
    expect(published).toHaveLength(1);
    watch.applyStatus(BARRIER, { ...OPENED, state: 'closed' });
    await clock.advance(250);
    expect(published.at(-1)?.products[0]?.state).toBe('closed');
  });

  it('tell of a product that fell silent', async () => {
    const { clock, watch, published } = startReporter();
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(59_000);
    expect(published.at(-1)?.products[0]?.status).toBe('online');
    await clock.advance(6_250);
    expect(published.at(-1)?.products[0]?.status).toBe('offline');
  });

  it('are asked for by whoever has somebody to tell', async () => {
    const { clock, watch, reporter, published } = startReporter();
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(250);
    reporter.reportSoon();
    reporter.reportSoon();
    await clock.advance(250);
    expect(published).toHaveLength(2);
  });

  it('are not sent without products', async () => {
    const { clock, reporter, published } = startReporter([]);
    reporter.reportSoon();
    await clock.advance(2 * INTERVAL_MS);
    expect(published).toEqual([]);
  });

  it('go on after one that could not be published', async () => {
    const { clock, watch, published, complaints, failures } = startReporter();
    failures.push(new Error('the broker is gone'), new Error('the broker is gone'));
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(INTERVAL_MS);
    const failed = expect.stringContaining('the report of the products failed');
    expect([published, complaints]).toEqual([[], [failed, failed]]);
    await clock.advance(INTERVAL_MS);
    expect(published).toHaveLength(1);
  });

  it('end with the reporter, and leave no timer behind', async () => {
    const { clock, watch, reporter, published } = startReporter();
    watch.applyStatus(BARRIER, OPENED);
    await clock.advance(250);
    watch.applyStatus(BARRIER, { ...OPENED, errors: 1 });
    reporter.close();
    reporter.reportSoon();
    watch.applyStatus(BARRIER, { ...OPENED, state: 'closed' });
    expect(clock.pending).toBe(0);
    await clock.advance(2 * INTERVAL_MS);
    expect(published).toHaveLength(1);

    const idle = startReporter();
    idle.reporter.close();
    idle.reporter.reportSoon();
    expect(idle.clock.pending).toBe(0);
  });
});
