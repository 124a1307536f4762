/** What goes wrong with the link, the adapter and the radio process. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LINK_KEPT_MS } from '../../../../agent/product/held-links.js';
import type { HciTransport } from '../../../../agent/product/hci/hci-transport.js';
import { serveHub } from '../../../../scripts/sim/radio/hub.js';
import type { Ending } from '../../../unit/product/commander-world.js';
import { childrenOf } from '../../../unit/radio/processes.js';
import { MOVEMENT_MS, NORTH } from '../radio-world.js';
import {
  anotherGateway,
  EVENT,
  type Fault,
  FRAGMENTS_TO_GATEWAY,
  FRAGMENTS_TO_PRODUCT,
  gatewayName,
  inRange,
  type Kit,
  open,
  outOfRange,
  tamperUntil,
  throughMovement,
  whileMoving,
  wordOf,
} from './fault-kit.js';
import { childRadio } from '../../../world/test-radios.js';
import { nobleRadio } from '../../../world/test-radios.js';

/** The product gets nothing that it understands, and ends the link after 5 s. */
async function misunderstood(
  kit: Kit,
  instead: (fragment: Uint8Array, index: number) => Uint8Array[],
): Promise<Ending> {
  const written = new Promise<void>((resolve) => {
    kit.tamper({
      toProduct: instead,
      onWritten: (index) => index === FRAGMENTS_TO_PRODUCT - 1 && resolve(),
    });
  });
  const outcome = open(kit);
  await written;
  await kit.clock.advance(5_000);
  return outcome;
}

/** Two gateways, with one command or with one each. */
async function bothAtOnce(kit: Kit, eventId?: string): Promise<Ending> {
  const first = open(kit);
  const second = kit.command('open', { on: kit.south, ...(eventId === undefined ? {} : { eventId }) });
  await kit.until('moving');
  await kit.clock.advance(MOVEMENT_MS);
  await Promise.race([first, second]);
  await kit.clock.advance(LINK_KEPT_MS);
  const words = (await Promise.all([first, second])).map(wordOf);
  if (words[1] !== 'done') throw new Error(`the other gateway: ${words[1]}`);
  return first;
}

/** HCI event, LE meta: the connection is complete. */
const CONNECTED = /^043e..01/;
/** L2CAP's channel of ATT, whose next byte is the operation. */
const ATT = /^02.{12}0400/;
const attRequest = (operation: string) => new RegExp(`${ATT.source}${operation}`);
const READ_BY_GROUP_TYPE = attRequest('10');
/** The first one of a link is that of the descriptor. */
const WRITE = attRequest('12');

/** The product is out of range from when such a packet passes between a gateway and its adapter, as hex. */
async function cutWhen(kit: Kit, moment: RegExp): Promise<Ending> {
  const name = gatewayName(3);
  let isGone = false;
  const look = (packet: Buffer) => {
    if (isGone || !moment.test(packet.toString('hex'))) return;
    isGone = true;
    outOfRange(kit);
  };
  const openTransport = (): HciTransport => {
    const transport = kit.air.openTransport({ role: 'central', name });
    return {
      get up() {
        return transport.up;
      },
      closed: transport.closed,
      write(packet) {
        look(packet);
        transport.write(packet);
      },
      onPacket: (listener) =>
        transport.onPacket((packet) => {
          look(packet);
          listener(packet);
        }),
      close: () => transport.close(),
    };
  };
  const radio = nobleRadio({ kind: 'transport', open: openTransport });
  const gateway = await anotherGateway(kit, 3, { radio });
  const ending = await kit.command('open', { eventId: EVENT, on: gateway });
  if (!isGone) throw new Error(`no packet was like ${moment.source}`);
  return ending;
}

export const LINK_FAULTS: Fault[] = [
  {
    fault: 'the link cut as soon as it is made',
    expected: 'type 2',
    moves: 0,
    happens: (kit) => cutWhen(kit, CONNECTED),
    heals: inRange,
  },
  {
    fault: 'the link cut while the service is looked for',
    expected: 'type 2',
    moves: 0,
    happens: (kit) => cutWhen(kit, READ_BY_GROUP_TYPE),
    heals: inRange,
  },
  {
    fault: 'the link cut at the subscription',
    expected: 'type 2',
    moves: 0,
    happens: (kit) => cutWhen(kit, WRITE),
    heals: inRange,
  },
  {
    fault: 'out of range before the link is made',
    expected: 'type 4',
    moves: 0,
    happens(kit) {
      outOfRange(kit);
      kit.north.linkWithinMs = 500;
      return open(kit);
    },
    heals: inRange,
  },
  {
    fault: 'out of range in the middle of the REQUEST',
    expected: 'type 2',
    moves: 0,
    happens(kit) {
      kit.tamper({
        toProduct(fragment, index) {
          if (index === 2) outOfRange(kit);
          return [fragment];
        },
      });
      return open(kit);
    },
    heals: inRange,
  },
  {
    fault: 'out of range while it moves',
    expected: 'type 2',
    moves: 1,
    happens: (kit) => whileMoving(kit, () => outOfRange(kit)),
    heals: inRange,
  },
  {
    fault: 'a fragment of the REQUEST lost',
    expected: 'type 2',
    moves: 0,
    happens: (kit) => misunderstood(kit, (fragment, index) => (index === 2 ? [] : [fragment])),
  },
  {
    fault: 'two fragments of the REQUEST swapped',
    expected: 'type 2',
    moves: 0,
    happens(kit) {
      let held = new Uint8Array();
      return misunderstood(kit, (fragment, index) => {
        if (index !== 2) return index === 3 ? [fragment, held] : [fragment];
        held = new Uint8Array(fragment);
        return [];
      });
    },
  },
  {
    fault: 'a fragment of the REQUEST repeated',
    expected: 'type 2',
    moves: 0,
    happens: (kit) => misunderstood(kit, (fragment, index) => (index === 2 ? [fragment, fragment] : [fragment])),
  },
  {
    fault: 'the whole REQUEST repeated',
    expected: 'done',
    moves: 1,
    happens(kit) {
      const request: Uint8Array[] = [];
      kit.tamper({
        toProduct(fragment, index) {
          if (index > 0) request.push(fragment);
          return index === FRAGMENTS_TO_PRODUCT - 1 ? [fragment, ...request] : [fragment];
        },
      });
      return throughMovement(kit);
    },
  },
  {
    fault: 'a fragment of the CHALLENGE lost',
    expected: 'type 3',
    moves: 0,
    async happens(kit) {
      const instead = (fragment: Uint8Array, index: number) => (index === 0 ? [] : [fragment]);
      const { passed } = tamperUntil(kit, { at: 1, instead });
      const outcome = open(kit);
      await passed;
      await kit.clock.advance(5_000);
      return outcome;
    },
  },
  {
    fault: 'the final STATUS lost',
    expected: 'type 2',
    moves: 1,
    async happens(kit) {
      const last = FRAGMENTS_TO_GATEWAY - 1;
      const instead = (fragment: Uint8Array, index: number) => (index < last ? [fragment] : []);
      const { passed } = tamperUntil(kit, { at: last, instead });
      const outcome = throughMovement(kit);
      await passed;
      // The product takes the client for idle.
      await kit.clock.advance(2_000);
      return outcome;
    },
  },
  {
    fault: 'the adapter goes down and comes up while it moves',
    expected: 'type 2',
    moves: 1,
    async happens(kit) {
      const ending = await whileMoving(kit, () => kit.air.setPower(NORTH, false));
      kit.air.setPower(NORTH, true);
      return ending;
    },
  },
  {
    fault: 'the radio process is killed while it moves',
    expected: 'type 2',
    moves: 1,
    async happens(kit) {
      const folder = mkdtempSync(join(tmpdir(), 'radio-'));
      const path = join(folder, 'hub.sock');
      const hub = await serveHub(kit.air, path);
      const before = new Set(childrenOf(process.pid));
      const radio = childRadio({ kind: 'sim', path, name: gatewayName(3) });
      kit.onClose(async () => {
        await radio.close();
        await hub.close();
        rmSync(folder, { recursive: true });
      });
      const gateway = await anotherGateway(kit, 3, { radio });
      const pid = childrenOf(process.pid).find((each) => !before.has(each)) ?? 0;
      const outcome = kit.command('open', { eventId: EVENT, on: gateway });
      await kit.until('moving');
      process.kill(pid, 'SIGKILL');
      return outcome;
    },
  },
  {
    fault: 'its battery is dead while it moves',
    expected: 'type 2',
    moves: 1,
    again: { expected: 'type 4', moves: 1 },
    happens: (kit) => whileMoving(kit, () => kit.barrier.close()),
    heals({ south }) {
      south.linkWithinMs = 500;
    },
  },
  {
    fault: 'two gateways at once with one command',
    expected: 'done',
    moves: 1,
    happens: (kit) => bothAtOnce(kit, EVENT),
  },
  {
    fault: 'two gateways at once with a command each',
    expected: 'done',
    moves: 1,
    happens: (kit) => bothAtOnce(kit),
  },
];
