/** Pairings of the cloud at the gateway: what comes of them is kept, unless only their time ran out. */
import { describe, expect, it } from 'vitest';
import { createRemotePairings } from '../../../agent/command/remote-pairings.js';
import type { PairingOutcome } from '../../../agent/product/product-commander.js';
import type { OutboxEntry } from '../../../agent/store/agent-store.js';
import { deferred } from '../../../agent/waiting/deferred.js';
import type { EventId, ProductDeviceId } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock, settle } from '../../world/fake-clock.js';
import { uidOf } from '../lpr/plate-world.js';

const WAIT_MS = 30_000;
const LINK_FAILURE: PairingOutcome = { outcome: 'failed', type: 3, authenticated: false };
const PAIRED: PairingOutcome = { outcome: 'succeeded', confirmation: new Uint8Array(17) };

describe('a pairing of the cloud', () => {
  it.each([
    ['the link failed before', WAIT_MS - 1_000, LINK_FAILURE, 1],
    ['its time ran out, and that is all', WAIT_MS, LINK_FAILURE, 0],
    ['the product confirms it late', WAIT_MS, PAIRED, 1],
  ])('has a result unless only its time ran out: %s', async (_when, atMs, outcome, results) => {
    const clock = new FakeClock();
    const kept: OutboxEntry[] = [];
    const ended = deferred<PairingOutcome>();
    const pairings = createRemotePairings(
      {
        store: { append: (entry) => Promise.resolve(kept.push(entry)) },
        clock,
        cloudOffsetMs: () => clock.now() - clock.monotonic(),
        stamp: () => ({ uid: uidOf(1), mono_ms: clock.monotonic(), wall_ms: clock.now(), clock_ok: true }),
        logger: silentLogger,
        onCommitted: () => {},
      },
      { pair: () => ended.promise },
    );
    pairings.handle({
      step: 'begin',
      event_id: 'deadbeef' as EventId,
      product_id: 7,
      device_id: 'a4c138000001' as ProductDeviceId,
      deadline_ms: clock.now() + WAIT_MS,
    });
    await clock.advance(atMs);
    ended.resolve(outcome);
    await settle();
    expect(kept.map(({ payload }) => payload)).toMatchObject(
      Array.from({ length: results }, () => ({ kind: 'command_result', outcome: outcome.outcome })),
    );
    await pairings.close();
  });
});
