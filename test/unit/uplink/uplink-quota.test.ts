import { Registry } from 'prom-client';
import { describe, expect, it } from 'vitest';
import { createUplinkQuota, UPLINK_ALLOWANCES } from '../../../cloud/doors/uplink/uplink-quota.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { BATCH_BYTES_MAX } from '../../../shared/uplink-bounds.js';
import { FakeClock, settle } from '../../world/fake-clock.js';

const UUID = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
const PICTURE_BYTES = 300_000;
/** A read with its decision, session and opening, as the agent encodes it, has less. */
const RECORD_BYTES = 1_500;

function quota() {
  const clock = new FakeClock();
  const registry = new Registry();
  const logged: string[] = [];
  const logger = { ...silentLogger, warn: (_: object, message: string) => void logged.push(message) };
  const held: string[] = [];
  const onHeld = (uuid: string) => void held.push(uuid);
  return {
    clock,
    registry,
    logged,
    held,
    quota: createUplinkQuota({ clock, logger, registry, allowances: UPLINK_ALLOWANCES, onHeld }),
  };
}

describe('the quota of a gateway', () => {
  it('is not felt by a gateway that comes back after a week with 50,000 records', async () => {
    const { quota: of, registry, logged } = quota();
    const batches = Math.ceil((50_000 * RECORD_BYTES) / BATCH_BYTES_MAX);
    for (let batch = 0; batch < batches; batch++) {
      expect(await of.spend(UUID, BATCH_BYTES_MAX)).toBe(true);
      of.countRecords(UUID, Math.ceil(50_000 / batches));
    }
    // Its newest pictures go at once, too.
    for (let picture = 0; picture < 400; picture++) expect(await of.spend(UUID, PICTURE_BYTES)).toBe(true);
    expect(logged).toEqual([]);
    expect(await registry.getSingleMetric('parking_gateway_messages_held_total')?.get()).toMatchObject({
      values: [{ value: 0 }],
    });
  });

  it('counts records by themselves, so that tiny ones are not free', async () => {
    const { clock, quota: of } = quota();
    let records = 0;
    const send = async (): Promise<void> => {
      while (await of.spend(UUID, 6_000)) {
        of.countRecords(UUID, 100);
        records += 100;
      }
    };
    const sending = send();
    await settle();
    await clock.advance(60_000);
    of.close();
    await sending;
    // The burst, and a minute's share.
    expect(records).toBeLessThanOrEqual((256 + 60 * 8) * 1024 + 100);
    expect(records).toBeGreaterThan(100_000);
  });

  it('lets a flood wait, counts it, and says so once a minute', async () => {
    const { clock, quota: of, registry, logged, held } = quota();
    let passed = 0;
    // Large messages, such as pictures, come at once only for a while.
    for (let message = 0; message < 1_000; message++) void of.spend(UUID, 1024 * 1024).then(() => (passed += 1));
    await settle();
    const atOnce = passed;
    expect(atOnce).toBeLessThanOrEqual(32);
    await clock.advance(10_000);
    expect(passed - atOnce).toBeLessThanOrEqual(21);
    expect(logged).toHaveLength(1);
    await clock.advance(480_000);
    expect(passed).toBe(1_000);
    expect(logged.length).toBeLessThanOrEqual(9);
    expect(await registry.getSingleMetric('parking_gateway_messages_held_total')?.get()).toMatchObject({
      values: [{ value: 1_000 - atOnce }],
    });
    expect(held).toEqual(Array.from({ length: 1_000 - atOnce }, () => UUID));
  });
});
