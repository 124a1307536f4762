/** Says whether somebody is about to pass, by products that move or are commanded, and vehicles that were just seen. */
import type { Clock } from '../../shared/clock.js';
import type { ProductItem } from '../../shared/gateway-config.js';
import type { ProductCommander, ProductPairer } from '../product/product-commander.js';
import type { ProductWatch } from '../product/product-watch.js';

/** A vehicle that was seen may stand there for so long. */
const VEHICLE_MS = 5 * 60_000;

export interface Passage {
  /** The same commander, whose commands count. */
  counted<Commander extends ProductCommander & ProductPairer>(commander: Commander): ProductCommander & ProductPairer;
  /** Notes a read or a sighting of a vehicle that was not seen just before. */
  noteVehicle(isDecided: boolean): void;
  /** How many vehicles were decided on since the program started. */
  decisions(): number;
  /** Says why this is no moment to stop the program, in words for people; null: nothing moves, and nobody waits. */
  busy(at: { products: Iterable<ProductItem>; watch: Pick<ProductWatch, 'isMoving' | 'reports'> }): string | null;
  /** Says which product is commanded or moves, in words for people; null: none. */
  moves(at: { products: Iterable<ProductItem>; watch: Pick<ProductWatch, 'isMoving'> }): string | null;
}

export function createPassage(clock: Clock): Passage {
  let running = 0;
  let decisions = 0;
  let seenMs: number | null = null;

  async function counting<T>(work: Promise<T>): Promise<T> {
    running += 1;
    try {
      return await work;
    } finally {
      running -= 1;
    }
  }

  function moves(names: ReturnType<typeof namesOf>, { isMoving }: Pick<ProductWatch, 'isMoving'>): string | null {
    if (running > 0) return 'a command at a product';
    for (const [deviceId, name] of names) if (isMoving(deviceId)) return `${name}, which moves`;
    return null;
  }

  return {
    counted: (commander) => ({
      execute: (command, signal) => counting(commander.execute(command, signal)),
      pair: (order, signal) => counting(commander.pair(order, signal)),
    }),
    noteVehicle(isDecided) {
      seenMs = clock.monotonic();
      if (isDecided) decisions += 1;
    },
    decisions: () => decisions,
    moves: ({ products, watch }) => moves(namesOf(products), watch),
    busy({ products, watch }) {
      // The products may be readable only once.
      const names = namesOf(products);
      const moving = moves(names, watch);
      if (moving !== null) return moving;
      const under = watch.reports().find(({ is_car_on_top, status }) => is_car_on_top === true && status === 'online');
      if (under !== undefined) return `the vehicle at ${names.get(under.device_id) ?? under.device_id}`;
      if (seenMs !== null && clock.monotonic() - seenMs < VEHICLE_MS) return 'a vehicle that was just seen';
      return null;
    },
  };
}

const namesOf = (products: Iterable<ProductItem>) =>
  new Map([...products].map(({ device_id, name }) => [device_id, name]));
