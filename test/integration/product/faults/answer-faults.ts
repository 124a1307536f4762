/** What a product answers late or never, and what others answer in its place. */
import { LINK_KEPT_MS } from '../../../../agent/product/held-links.js';
import { encodeHello, encodeRefuse } from '../../../../shared/product-protocol/message-codec.js';
import { startPeripheral } from '../../../../scripts/sim/radio/bleno-peripheral.js';
import { waitUntil } from '../../../../scripts/sim/wait-until.js';
import { BARRIER } from '../../../unit/product/product-item.js';
import { MOVEMENT_MS } from '../radio-world.js';
import {
  type Fault,
  hasHeardOfMovement,
  inRange,
  type Kit,
  open,
  outOfRange,
  throughMovement,
  wordOf,
} from './fault-kit.js';

const FORGED_STATUS = Uint8Array.from({ length: 18 }, (_, index) => (index < 2 ? 0x82 : 7));
const REFUSE = encodeRefuse({ type: 1, rtcS: 0 });
/** A whole message in one fragment. */
const alone = (message: Uint8Array) => Uint8Array.of(0xc0, ...message);
const answersAtOnce = ({ barrier }: Kit) => barrier.change({ answer_delay_ms: 0 });

export const ANSWER_FAULTS: Fault[] = [
  {
    fault: 'answers that come 20 s late',
    expected: 'done',
    cloud: 'Timeout',
    moves: 1,
    async happens(kit) {
      kit.barrier.change({ answer_delay_ms: 20_000 });
      const outcome = open(kit);
      await kit.until('moving');
      await kit.clock.advance(20_000);
      await hasHeardOfMovement(kit);
      await kit.clock.advance(20_000);
      return outcome;
    },
    heals: answersAtOnce,
  },
  {
    fault: 'no answer to the REQUEST, ever',
    expected: 'type 3',
    cloud: 'Timeout',
    moves: 1,
    async happens(kit) {
      kit.barrier.change({ answer_delay_ms: 1_000_000 });
      const outcome = open(kit);
      await kit.until('moving');
      await kit.clock.advance(125_000);
      return outcome;
    },
    heals: answersAtOnce,
  },
  {
    fault: 'a forged STATUS while it moves',
    expected: 'done',
    moves: 1,
    happens(kit) {
      const middle = kit.tamper();
      return throughMovement(kit, { work: () => middle.link?.inject(FORGED_STATUS) });
    },
  },
  {
    fault: 'the STATUS of an earlier success replayed, while it jams',
    expected: 'type 5 (its own)',
    moves: 0,
    again: { expected: 'type 5 (its own)', moves: 0 },
    async happens(kit) {
      const heard: Uint8Array[] = [];
      const middle = kit.tamper({
        toGateway(fragment) {
          heard.push(fragment);
          return [fragment];
        },
      });
      const word = wordOf(await kit.command('status'));
      if (word !== 'done') throw new Error(`its status: ${word}`);
      const success = heard.at(-1) ?? new Uint8Array();
      await kit.clock.advance(LINK_KEPT_MS);
      kit.barrier.change({ jammed: true });
      const outcome = open(kit);
      await kit.until('moving');
      // One fragment, as it was on the air.
      middle.link?.inject(success.slice(1));
      await kit.clock.advance(MOVEMENT_MS);
      return outcome;
    },
    heals: ({ barrier }) => barrier.change({ jammed: false }),
  },
  {
    fault: 'another device with its name and its advertisement',
    expected: 'type 1',
    moves: 0,
    async happens(kit) {
      const data = Buffer.from(kit.north.watch.reports()[0]?.advertisement_data ?? '', 'hex');
      const impostor = await startPeripheral({
        transport: kit.air.openTransport({ role: 'peripheral', name: 'a4c1380000fe' }),
        manufacturerData: data,
        info: () => data,
        // It knows the protocol, and no key: it refuses as a product would.
        onWrite: () => void impostor.notify(alone(REFUSE)),
      });
      kit.onClose(() => impostor.close());
      outOfRange(kit);
      await waitUntil('the impostor to be heard', () => kit.north.watch.knownAddress(BARRIER) === 'a4c1380000fe');
      const ending = await open(kit);
      impostor.close();
      return ending;
    },
    async heals(kit) {
      inRange(kit);
      await waitUntil('the barrier to be heard', () => kit.south.watch.knownAddress(BARRIER) === BARRIER);
    },
  },
  {
    fault: 'a forged REFUSE instead of a CHALLENGE',
    expected: 'type 1',
    moves: 0,
    happens(kit) {
      kit.tamper({ toGateway: (fragment, index) => [index === 0 ? alone(REFUSE) : fragment] });
      return open(kit);
    },
  },
  {
    fault: 'a forged REFUSE while it moves',
    expected: 'done',
    moves: 1,
    happens(kit) {
      const middle = kit.tamper();
      return throughMovement(kit, { work: () => middle.link?.inject(REFUSE) });
    },
  },
  {
    fault: 'a lowered HELLO',
    expected: 'type 0',
    moves: 0,
    happens(kit) {
      const lowered = encodeHello({ minVersion: 0, maxVersion: 1 });
      kit.tamper({
        toProduct: (fragment, index) => [index === 0 ? Uint8Array.of(fragment[0] ?? 0, ...lowered) : fragment],
      });
      return open(kit);
    },
  },
];
