/** What goes wrong on the way to a product, and what comes of it: fault x expected x seen. */
import { afterAll, describe, expect, it } from 'vitest';
import { LINK_KEPT_MS } from '../../../agent/product/held-links.js';
import type { EventId } from '../../../shared/ids.js';
import { encodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import { DONE, type Ending, failed, startWorld } from './commander-world.js';
import { MOVEMENT_MS } from './machine-product.js';
import { BARRIER } from './product-item.js';

type FaultWorld = Awaited<ReturnType<typeof startWorld>>;

interface Fault {
  fault: string;
  /** How the first command ends. */
  expected: Ending;
  /** How many movements it may have caused. */
  moves: number;
  /** Makes the fault while the command is under way, and lets time pass until it has ended. */
  happens(world: FaultWorld): Promise<void>;
}

const FAULTS: Fault[] = [
  {
    fault: 'out of range before the link is made',
    expected: failed(4),
    moves: 0,
    async happens({ clock }) {
      await clock.advance(10_000);
    },
  },
  {
    fault: 'the link is cut after HELLO',
    expected: failed(2),
    moves: 0,
    async happens({ clock, barrier }) {
      barrier.isSilent = true;
      await clock.advance(10);
      barrier.radio.disconnect();
      await clock.advance(10);
    },
  },
  {
    fault: 'the link is cut while it moves',
    expected: failed(2),
    moves: 1,
    async happens({ clock, barrier }) {
      await clock.advance(500);
      barrier.radio.disconnect();
      await clock.advance(10);
    },
  },
  {
    fault: 'no answer to HELLO',
    expected: failed(3),
    moves: 0,
    async happens({ clock, barrier }) {
      barrier.isSilent = true;
      await clock.advance(5_000);
    },
  },
  {
    fault: 'no answer to the REQUEST',
    expected: failed(3),
    moves: 1,
    async happens({ clock, barrier }) {
      await clock.advance(10);
      barrier.isSilent = true;
      await clock.advance(125_000);
    },
  },
  {
    fault: 'a forged REFUSE instead of a CHALLENGE',
    expected: failed(1),
    moves: 0,
    async happens({ clock, barrier }) {
      barrier.isSilent = true;
      await clock.advance(0);
      barrier.isSilent = false;
      barrier.sendRaw(encodeRefuse({ type: 1, rtcS: 0 }));
      await clock.advance(10);
    },
  },
  {
    fault: 'a forged REFUSE while it moves',
    expected: DONE,
    moves: 1,
    async happens({ clock, barrier }) {
      await clock.advance(500);
      barrier.sendRaw(encodeRefuse({ type: 1, rtcS: 0 }));
      await clock.advance(MOVEMENT_MS);
    },
  },
  {
    fault: 'a forged STATUS while it moves',
    expected: DONE,
    moves: 1,
    async happens({ clock, barrier }) {
      await clock.advance(500);
      barrier.sendRaw(Uint8Array.from({ length: 18 }, (_, index) => (index === 0 ? 0x82 : index === 1 ? 0x82 : 7)));
      await clock.advance(MOVEMENT_MS);
    },
  },
  {
    fault: 'the adapter goes down while it moves',
    expected: failed(2),
    moves: 1,
    async happens({ clock, fake }) {
      await clock.advance(500);
      fake.setPower(false);
      await clock.advance(10);
      fake.setPower(true);
      await clock.advance(100);
    },
  },
];

describe('a fault on the way to a product', () => {
  const rows: string[] = [];

  it.each(FAULTS)('$fault', async ({ fault, expected, moves, happens }) => {
    const world = await startWorld();
    const { clock, barrier, command } = world;
    if (fault.startsWith('out of range')) barrier.radio.setPath({ inRange: false });
    const event_id = 'deadbeef' as EventId;
    const first = command({ event_id });
    await happens(world);
    expect([first.now, barrier.moves]).toEqual([expected, moves]);

    // As another gateway would: the same command moves the product once in all, or tells what came of it.
    barrier.isSilent = false;
    barrier.radio.setPath({ inRange: true });
    await clock.advance(100);
    const again = command({ event_id });
    await clock.advance(LINK_KEPT_MS + 2 * MOVEMENT_MS);
    const seen = `${endOf(first.now)}, then ${endOf(again.now)} with ${barrier.moves} movement(s)`;
    rows.push(`  ${fault.padEnd(40)}  ${endOf(expected).padEnd(16)}  ${seen}`);
    expect([again.now, barrier.moves]).toEqual([DONE, 1]);
    expect(world.connects[0]).toBe(BARRIER);
  });

  afterAll(() => {
    process.stdout.write(`\nFaults of a link: fault, expected, seen\n${rows.map((row) => `${row}\n`).join('')}`);
  });
});

function endOf(ending: Ending | null): string {
  if (ending === null) return 'none';
  return ending.outcome === 'succeeded' ? 'done' : `type ${ending.type}${ending.authenticated ? ' (its own)' : ''}`;
}
