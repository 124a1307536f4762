/** What is wrong with clocks and credentials, and what strangers try with theirs. */
import { LINK_KEPT_MS } from '../../../../agent/product/held-links.js';
import type { RadioLink } from '../../../../agent/product/radio.js';
import { encodeAdminRecord } from '../../../../shared/product-protocol/admin-record.js';
import { encodeHello } from '../../../../shared/product-protocol/message-codec.js';
import { NO_EXPIRY_S } from '../../../../shared/product-protocol/token-codec.js';
import { waitUntil } from '../../../../scripts/sim/wait-until.js';
import type { Ending } from '../../../unit/product/commander-world.js';
import { BARRIER, productItem } from '../../../unit/product/product-item.js';
import { crypto, IDENTITY, KEYS, mint } from '../../../unit/product-protocol/protocol-fixture.js';
import { MOVEMENT_MS } from '../radio-world.js';
import { anotherGateway, EVENT, type Fault, type Kit, open, wordOf } from './fault-kit.js';
import { nobleRadio } from '../../../world/test-radios.js';

const DAY_S = 86_400;

const guestsKey = (id: number) => ({
  command: mint({ op: 'open', slot: 16, id }),
  set_time: mint({ op: 'status', slot: 16 }),
});

/** The faults are as they are meant to be: what leads to them is done. */
function must(word: string, expected: string): void {
  if (word !== expected) throw new Error(`on the way to the fault: ${word}, not ${expected}`);
}

/** A stolen gateway, whose tokens ended a day ago and whose own clock was set back. */
async function revive(kit: Kit): Promise<Ending> {
  const nowS = Math.floor(kit.clock.now() / 1_000);
  const window = { notBeforeS: nowS - 3 * DAY_S, expiresS: nowS - DAY_S };
  const credentials = { command: mint({ slot: 3, ...window }), set_time: mint({ op: 'status', slot: 3, ...window }) };
  const stolen = await anotherGateway(kit, 5, { knownTime: () => kit.clock.now() - 2 * DAY_S * 1_000 });
  const setting = { name: 'set_time', timeS: nowS - 2 * DAY_S } as const;
  const set = await kit.command(setting, {
    on: stolen,
    credentials: { ...credentials, command: credentials.set_time },
  });
  must(wordOf(set), 'type 1 (its own)');
  const ending = await kit.command('open', { eventId: EVENT, on: stolen, credentials });
  await kit.clock.advance(LINK_KEPT_MS);
  return ending;
}

async function besideStranger(kit: Kit, chat: (link: RadioLink) => Promise<void> | void): Promise<Ending> {
  const stranger = nobleRadio({
    kind: 'transport',
    open: () => kit.air.openTransport({ role: 'central', name: 'stranger' }),
  });
  kit.onClose(() => stranger.close());
  await waitUntil('the radio of the stranger', () => stranger.state === 'on');
  const link = await stranger.connect(BARRIER, { timeoutMs: 30_000 });
  const outcome = open(kit);
  await chat(link);
  await kit.clock.advance(5_000);
  await link.closed;
  await kit.until('moving');
  await kit.clock.advance(MOVEMENT_MS);
  return outcome;
}

export const CREDENTIAL_FAULTS: Fault[] = [
  {
    fault: 'its clock lost',
    expected: 'done',
    moves: 1,
    happens(kit) {
      kit.barrier.change({ rtc_valid: false });
      return kit.move('open', { eventId: EVENT });
    },
  },
  {
    fault: 'its clock lost, and a gateway without the time',
    expected: 'type 9 (its own)',
    moves: 0,
    async happens(kit) {
      kit.barrier.change({ rtc_valid: false });
      const lost = await anotherGateway(kit, 4, { knownTime: () => null });
      const ending = await kit.command('open', { eventId: EVENT, on: lost });
      await kit.clock.advance(LINK_KEPT_MS);
      return ending;
    },
  },
  {
    fault: 'the product was paired again',
    expected: 'type 1',
    moves: 0,
    happens(kit) {
      kit.north.watch.setProducts([productItem(BARRIER, { pairing: { pairingEpoch: 2 } })]);
      return open(kit);
    },
  },
  {
    fault: 'its event_id sniffed, and used before it by a guest',
    expected: 'done',
    moves: 3,
    again: { expected: 'done', moves: 3 },
    async happens(kit) {
      must(wordOf(await kit.move('open', { eventId: EVENT, credentials: guestsKey(7) })), 'done');
      must(wordOf(await kit.move('close')), 'done');
      return kit.move('open', { eventId: EVENT });
    },
  },
  {
    fault: 'an expired token, and set_time to revive it',
    expected: 'type 1 (its own)',
    moves: 0,
    happens: revive,
  },
  {
    fault: 'the same, after its clock was made to fail',
    expected: 'type 9 (its own)',
    moves: 0,
    happens(kit) {
      kit.barrier.change({ rtc_valid: false });
      return revive(kit);
    },
  },
  {
    fault: 'a full deny ring: a denied key',
    expected: 'type 1 (its own)',
    moves: 0,
    async happens(kit) {
      for (let serial = 1; serial <= 65; serial++) {
        const record = encodeAdminRecord(crypto, {
          adminKey: KEYS.admin,
          identity: IDENTITY,
          record: { serial, action: { kind: 'deny', id: 1_000 + serial, expiresS: NO_EXPIRY_S } },
        });
        must(wordOf(await kit.command({ name: 'admin', record })), serial <= 64 ? 'done' : 'type 11 (its own)');
      }
      return kit.command('open', { eventId: EVENT, credentials: guestsKey(1_065) });
    },
  },
  {
    fault: 'a stranger holds its link and says nothing',
    expected: 'done',
    moves: 1,
    happens: (kit) => besideStranger(kit, () => {}),
  },
  {
    fault: 'a stranger holds its link with one HELLO after the other',
    expected: 'done',
    moves: 1,
    happens: (kit) =>
      besideStranger(kit, async (link) => {
        for (let second = 0; second < 4; second++) {
          await link.write(Uint8Array.of(0xc0, ...encodeHello({ minVersion: 1, maxVersion: 1 })));
          await kit.clock.advance(1_000);
        }
      }),
  },
];
