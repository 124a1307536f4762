/**
 * What goes wrong on the way to a product, over noble and bleno on the emulated radio, in fragments of the smallest ATT MTU: fault x expected x
 * seen. After each fault another gateway gives the same command, as the cloud would have it: the product moves once in all. The gate has one
 * in three of them; which ones differs from one commit to the next.
 */
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { findProductDetails } from '../../../cloud/equipment/product/product-detail-queries.js';
import { ApiError } from '../../../shared/errors.js';
import { someOf } from '../../depth.js';
import { SEED } from '../../seed.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { createStoreWorld } from '../gateway/link-world.js';
import { ANSWER_FAULTS } from './faults/answer-faults.js';
import { CREDENTIAL_FAULTS } from './faults/credential-faults.js';
import {
  cloudWordOf,
  EVENT,
  FRAGMENTS_TO_GATEWAY,
  FRAGMENTS_TO_PRODUCT,
  inRange,
  type Kit,
  outOfRange,
  startKit,
  whileTimePasses,
  wordOf,
} from './faults/fault-kit.js';
import { LINK_FAULTS } from './faults/link-faults.js';
import { noteHeard } from './note-heard.js';
import { MOVEMENT_MS } from './radio-world.js';

const FAULTS = [...LINK_FAULTS, ...ANSWER_FAULTS, ...CREDENTIAL_FAULTS];

describe('a fault on the emulated radio', () => {
  let kit: Kit;
  const rows: string[] = [];
  const note = (fault: string, expected: string, seen: string) =>
    void rows.push(`  ${fault.padEnd(58)}  ${expected.padEnd(17)}  ${seen}`);

  beforeEach(async () => {
    kit = await startKit();
  });
  afterEach(() => kit.close());

  it.each(someOf(FAULTS, 3, SEED))(
    '$fault',
    async ({ fault, expected, cloud, moves, happens, heals, again: after }) => {
      const startedMs = kit.clock.monotonic();
      const first = await happens(kit);
      const cloudWord = cloudWordOf(first, kit.clock.monotonic() - startedMs);
      const seen = { word: wordOf(first), moves: kit.barrier.view().moves };
      await kit.clock.advance(MOVEMENT_MS + LINK_KEPT_MS);
      await heals?.(kit);
      // The other gateway gives the command once more, when nothing disturbs any more.
      const second = wordOf(await whileTimePasses(kit, kit.command('open', { eventId: EVENT, on: kit.south })));
      const total = kit.barrier.view().moves;
      const cloudToo = cloudWord === 'Timeout' ? ` (for the cloud ${cloudWord})` : '';
      note(
        fault,
        expected,
        `${seen.word}${cloudToo}, ${seen.moves} moved; asked again: ${second}, ${total} moved in all`,
      );
      expect({ ...seen, isTimeout: cloudWord === 'Timeout' }).toEqual({
        word: expected,
        moves,
        isTimeout: cloud === 'Timeout',
      });
      expect({ expected: second, moves: total }).toEqual(after ?? { expected: 'done', moves: 1 });
    },
  );

  it('the link cut after each fragment', async () => {
    const words: string[] = [];
    const cuts = [
      ...Array.from({ length: FRAGMENTS_TO_PRODUCT }, (_, index) => ({ to: 'product', index }) as const),
      ...Array.from({ length: FRAGMENTS_TO_GATEWAY }, (_, index) => ({ to: 'gateway', index }) as const),
    ];
    for (const [round, cut] of someOf(cuts, 4, SEED).entries()) {
      const before = kit.barrier.view().moves;
      const eventId = `000000c${round}`;
      const isLast = cut.to === 'gateway' && cut.index === FRAGMENTS_TO_GATEWAY - 1;
      let hasMoved = false;
      const gone = () => outOfRange(kit);
      kit.tamper({
        async toProduct(fragment, index) {
          if (cut.to === 'product' && index === cut.index) setTimeout(gone, 0);
          hasMoved = index === FRAGMENTS_TO_PRODUCT - 1;
          return [fragment];
        },
        toGateway(fragment, index) {
          if (cut.to === 'gateway' && index === cut.index) gone();
          return [fragment];
        },
      });
      const outcome = kit.command('open', { eventId });
      if (isLast) {
        await kit.until('moving');
        await kit.clock.advance(MOVEMENT_MS);
      }
      const word = wordOf(await outcome);
      words.push(`${cut.to} ${cut.index}: ${word}`);
      // The end itself has arrived with the last one.
      expect(word).toBe(isLast ? 'done' : 'type 2');
      await kit.clock.advance(MOVEMENT_MS + LINK_KEPT_MS);
      const moved = kit.barrier.view().moves - before;
      expect(moved <= 1 && (moved === 0 || hasMoved)).toBe(true);
      inRange(kit);
      kit.north.onLink = (link) => link;
      const repeated = await whileTimePasses(kit, kit.command('open', { eventId }));
      expect([wordOf(repeated), kit.barrier.view().moves - before]).toEqual(['done', 1]);
      expect(wordOf(await kit.move('close'))).toBe('done');
      await kit.clock.advance(LINK_KEPT_MS);
    }
    note('the link cut after each fragment', 'type 2', `${words.join(', ')}; asked again: done, 1 moved in all, each`);
  });

  it('a car that appears while it closes', async () => {
    expect(wordOf(await kit.move('open'))).toBe('done');
    await kit.clock.advance(LINK_KEPT_MS);
    const closing = kit.command('close', { eventId: EVENT });
    await kit.until('moving');
    await kit.clock.advance(700);
    kit.barrier.change({ car_on_top: true });
    await kit.clock.advance(700);
    const word = wordOf(await closing);
    const repeated = kit.command('close', { eventId: EVENT, on: kit.south });
    await kit.clock.advance(LINK_KEPT_MS);
    const { state, moves } = kit.barrier.view();
    note(
      'a car that appears while it closes',
      'type 6 (its own)',
      `${word}, ${state}; asked again: ${wordOf(await repeated)}`,
    );
    // One way up, down, and back.
    expect([word, state, moves, wordOf(await repeated)]).toEqual(['type 6 (its own)', 'opened', 3, 'type 6 (its own)']);
    expect(kit.barrier.view()).toMatchObject({ state: 'opened', moves: 3 });
  });

  it('an open in every 50 ms of a closing movement', async () => {
    const moments = Array.from({ length: MOVEMENT_MS / 50 }, (_, index) => index * 50);
    const tried = someOf(moments, 15, SEED);
    for (const ms of tried) {
      expect(wordOf(await kit.move('open'))).toBe('done');
      const before = kit.barrier.view().moves;
      await kit.clock.advance(LINK_KEPT_MS);
      const closing = kit.command('close');
      await kit.until('moving');
      await kit.clock.advance(ms);
      const opening = kit.command('open');
      await waitUntil('the barrier to be open', async () => {
        await kit.clock.advance(50);
        return kit.barrier.view().state === 'opened';
      });
      expect([wordOf(await opening), wordOf(await closing)]).toEqual([
        'done',
        expect.stringMatching(/^(done|type 10 \(its own\))$/),
      ]);
      // Down, and up again: nothing more.
      expect(kit.barrier.view()).toMatchObject({ state: 'opened', moves: before + 2 });
      expect(wordOf(await kit.move('close'))).toBe('done');
      await kit.clock.advance(LINK_KEPT_MS);
    }
    note('an open in every 50 ms of a closing movement', 'done', `done, opened, 2 moved; at ${tried.length} moments`);
  });

  it('a signal below the threshold: the cloud asks no gateway', async () => {
    const cloud = await createStoreWorld();
    try {
      const { store, orders: commands, site } = cloud;
      await noteHeard(cloud, site.barrier, { gateway_id: site.gateway, rssi: -96 });
      const product = await findProductDetails(store.reader, site.barrier);
      if (product === null) throw new Error('there is no barrier');
      const refused: unknown = await commands.operate(ownChange(store), product, { operation: 'open' }).then(
        () => 'it was accepted',
        (error: unknown) => error,
      );
      const code = refused instanceof ApiError ? refused.errors[0]?.code : refused;
      note('a signal below the threshold', 'REST 704', `REST ${code}, ${cloud.sent.length} gateways asked`);
      expect([code, cloud.sent.length]).toEqual([704, 0]);
    } finally {
      await cloud.close();
    }
  });

  afterAll(() => {
    process.stdout.write(
      `\nFaults on the emulated radio: fault, expected, seen\n${rows.map((row) => `${row}\n`).join('')}`,
    );
  });
});
