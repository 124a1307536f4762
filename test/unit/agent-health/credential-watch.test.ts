import { describe, expect, it } from 'vitest';
import { createCredentialWatch } from '../../../agent/health/credential-watch.js';
import { createHealthReporter } from '../../../agent/health/health-reporter.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { BARRIER, productItem } from '../product/product-item.js';
import { DAY_MS } from '../../../shared/durations.js';

function logOf() {
  const said: string[] = [];
  const keep = (level: string) => (fields: Record<string, unknown>) => void said.push(`${level} ${fields.days_left}`);
  return { said, logger: { ...silentLogger, warn: keep('warn'), info: keep('info') } };
}

describe('the time that a gateway can act without its cloud', () => {
  it.each([
    [7, [7, 4, 3.4, 3, 0, 7], ['warn 3', 'info 7']],
    [31, [31, 16, 15.4, 8, 31, 15], ['warn 15', 'info 31', 'warn 15']],
    [31, [-1], ['warn 0']],
  ])('is told of once below half of %i days, and once when it is renewed', (autonomyDays, days, expected) => {
    const { said, logger } = logOf();
    const watch = createCredentialWatch({ logger });
    for (const left of days) watch.note({ endsMs: left * DAY_MS, autonomyDays, nowMs: 0 });
    expect(said).toEqual(expected);
  });

  it('says nothing without credentials or without the time', () => {
    const { said, logger } = logOf();
    const watch = createCredentialWatch({ logger });
    watch.note({ endsMs: null, autonomyDays: 31, nowMs: 0 });
    watch.note({ endsMs: 0, autonomyDays: 31, nowMs: null });
    expect(said).toEqual([]);
  });

  it('is looked at with each report of the gateway, as long as no cloud hears it too', async () => {
    const clock = new FakeClock();
    const { said, logger } = logOf();
    const item = productItem(BARRIER);
    if (item.pairing === null) throw new Error('the product is not paired');
    const pairing = { ...item.pairing, expires_ms: clock.now() + 4 * DAY_MS };
    const reporter = createHealthReporter({
      faults: () => [],
      update: () => undefined,
      clock,
      logger,
      store: {
        health: { file_bytes: 1, failed: null } as never,
        outboxState: () => Promise.reject(new Error('there is no store')),
        outboxBatch: async () => null,
      },
      rules: { products: () => [{ ...item, pairing }], gateway: () => ({ autonomy_days: 7 }) as never },
      radioHealth: () => ({ state: 'on', adapters: [], recoveries: {} }) as never,
      cloudOffsetMs: () => null,
      isClockOk: () => true,
      intervalMs: DAY_MS / 2,
      publish: () => {},
    });
    await reporter.report();
    expect(said).toEqual([]);
    await clock.advance(DAY_MS);
    reporter.close();
    expect(said).toEqual(['warn 3']);
  });
});
