/** Admin records of the cloud at the gateway: delivered in time, one at a time to each product. */
import { describe, expect, it } from 'vitest';
import { createAdminRecords } from '../../../agent/command/admin-records.js';
import type { CommandOutcome, ProductCommand } from '../../../agent/product/product-commander.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { SUCCEEDED } from '../lpr/plate-world.js';

const RECORD = new Uint8Array(29).fill(7);

function adminWorld() {
  const clock = new FakeClock();
  const begun: { command: ProductCommand; end(outcome: CommandOutcome): void }[] = [];
  const world: { done: number; events: number; answers: unknown[] } = { done: 0, events: 0, answers: [] };
  const records = createAdminRecords(
    { clock, cloudOffsetMs: () => clock.now() - clock.monotonic(), logger: silentLogger },
    {
      commander: {
        execute: (command, signal) =>
          new Promise((resolve) => {
            begun.push({ command, end: resolve });
            signal?.addEventListener('abort', () => resolve({ outcome: 'failed', type: 3, authenticated: false }));
          }),
      },
      newEventId: () => (world.events += 1).toString(16).padStart(8, '0') as EventId,
      onDone(device_id, answer) {
        world.done += 1;
        world.answers.push([device_id, answer]);
      },
    },
  );
  const message = (device_id = 'a4c138000001', record = encodeBase64url(RECORD)) => ({
    device_id: device_id as ProductDeviceId,
    record,
    deadline_ms: clock.now() + 60_000,
  });
  return { clock, begun, world, records, message };
}

describe('an admin record', () => {
  it('is given to its product by the deadline of the cloud, and a report follows', async () => {
    const { clock, begun, world, records, message } = adminWorld();
    records.handle(message());
    expect(begun[0]?.command).toMatchObject({
      device_id: 'a4c138000001',
      command: { name: 'admin', record: RECORD },
      deadline_mono_ms: clock.monotonic() + 60_000,
    });
    begun[0]?.end(SUCCEEDED);
    await settle();
    expect(world.done).toBe(1);
  });

  it('is told of as the product answered it, by its serial, and as nothing when nobody did', async () => {
    const { begun, world, records, message } = adminWorld();
    const block = SUCCEEDED.outcome === 'succeeded' ? SUCCEEDED.block : undefined;
    if (block === undefined) throw new Error('the outcome has no block');
    const outcomes: CommandOutcome[] = [
      SUCCEEDED,
      { outcome: 'failed', type: 11, authenticated: true, block },
      { outcome: 'failed', type: 11, authenticated: false },
    ];
    for (const [at, outcome] of outcomes.entries()) {
      records.handle(message());
      begun[at]?.end(outcome);
      await settle();
    }
    const serial = 0x07070707;
    expect(world.answers).toEqual([
      ['a4c138000001', { serial, error_type: null }],
      ['a4c138000001', { serial, error_type: 11 }],
      ['a4c138000001', undefined],
    ]);
  });

  it('is brought once more when its product was not reached, and then said to have reached nobody', async () => {
    const { clock, begun, world, records, message } = adminWorld();
    records.handle(message());
    begun[0]?.end({ outcome: 'failed', type: 4, authenticated: false });
    await clock.advance(1_999);
    expect(begun).toHaveLength(1);
    await clock.advance(1);
    expect([begun.length, world.done]).toEqual([2, 0]);
    begun[1]?.end({ outcome: 'failed', type: 2, authenticated: false });
    await clock.advance(60_000);
    expect(begun).toHaveLength(2);
    expect(world.answers).toEqual([['a4c138000001', { serial: 0x07070707, error_type: 2 }]]);
  });

  it('waits for the one before it to the same product, and is delivered after it', async () => {
    const { begun, world, records, message } = adminWorld();
    const [clockRecord, denial, generation] = [1, 2, 3].map((byte) => new Uint8Array(29).fill(byte));
    const of = (record: Uint8Array | undefined) => message('a4c138000001', encodeBase64url(record ?? RECORD));
    records.handle(of(clockRecord));
    records.handle(of(denial));
    records.handle(of(generation));
    records.handle(message('a4c138000002'));
    expect(begun.map(({ command }) => command.device_id)).toEqual(['a4c138000001', 'a4c138000002']);
    begun[0]?.end({ outcome: 'failed', type: 11, authenticated: false });
    await settle();
    begun[2]?.end(SUCCEEDED);
    await settle();
    begun[3]?.end(SUCCEEDED);
    await settle();
    const delivered = begun.flatMap(({ command: { device_id, command } }) =>
      device_id === 'a4c138000001' && command.name === 'admin' ? [command.record] : [],
    );
    expect(delivered).toEqual([clockRecord, denial, generation]);
    expect(world.answers).toEqual([
      ['a4c138000001', undefined],
      ['a4c138000001', { serial: 0x02020202, error_type: null }],
      ['a4c138000001', { serial: 0x03030303, error_type: null }],
    ]);
    await records.close();
  });

  it('is dropped when its turn comes too late: the cloud makes another one', async () => {
    const { clock, begun, world, records, message } = adminWorld();
    records.handle(message());
    records.handle(message('a4c138000001', encodeBase64url(new Uint8Array(29).fill(8))));
    await clock.advance(60_000);
    begun[0]?.end(SUCCEEDED);
    await settle();
    expect([begun.length, world.done]).toEqual([1, 1]);
    // The product takes the next one at once.
    records.handle(message());
    expect(begun).toHaveLength(2);
    await records.close();
  });

  it('is delivered once, however often it is sent meanwhile, and only so many wait', async () => {
    const { begun, records, message } = adminWorld();
    for (let time = 0; time < 100; time++) records.handle(message());
    begun[0]?.end(SUCCEEDED);
    await settle();
    expect(begun).toHaveLength(1);
    for (let time = 0; time < 100; time++)
      records.handle(message('a4c138000001', encodeBase64url(new Uint8Array(29).fill(time))));
    for (let at = 1; at < begun.length; at++) {
      begun[at]?.end(SUCCEEDED);
      await settle();
    }
    expect(begun).toHaveLength(1 + 17);
    await records.close();
  });

  it('leaves none behind when the gateway stops', async () => {
    const { begun, records, message } = adminWorld();
    records.handle(message());
    records.handle(message('a4c138000001', encodeBase64url(new Uint8Array(29).fill(8))));
    await records.close();
    expect(begun).toHaveLength(1);
  });

  it('is dropped when it is late, or no text of ours', async () => {
    const { clock, begun, records, message } = adminWorld();
    const late = message();
    await clock.advance(60_000);
    records.handle(late);
    records.handle(message('a4c138000001', '*'));
    expect(begun).toEqual([]);
  });
});
