/** Traffic at the simulated car park: plays the schedule of each lot at its cameras, barriers and places, at any speed. */
import { type Clock, sleep, type Timer } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { SimCamera } from '../cameras/camera.js';
import type { SimProduct } from '../products/sim-product.js';
import type { SimPlace } from '../sensors/sim-place.js';
import { type Chance, createChance } from './chance.js';
import { drivePass, type Gate } from './drive-pass.js';
import { createScaledTime } from './scaled-time.js';
import type { TrafficLot } from './traffic-lots.js';
import { drawPass, drawStay, type Pass, type Visit, visitsFrom } from './traffic-schedule.js';
import { vehicleOf } from './vehicle.js';

/** How many vehicles wait at a camera before others drive on. */
const QUEUE_MAX = 8;
/** How many vehicles are inside at most, where a lot has no limit. */
const INSIDE_MAX = 1_000;
const TRY_AGAIN_MS = 10 * 60_000;
/** From the barrier to a place. */
const TO_THE_PLACE_MS = 4_000;
/** No timer is longer, so that a change of the speed is never late. */
const WAIT_MAX_MS = 60_000;

export interface TrafficPlan {
  lots: readonly TrafficLot[];
  seed: number;
  /** How many times faster than the clock; 0: it stands still. */
  speed: number;
  /** Where its day begins, wall milliseconds. */
  from_ms: number;
}

export interface TrafficView {
  seed: number;
  speed: number;
  /** The time in the traffic's day. */
  time: string;
  inside: number;
  /** How many wait at a camera. */
  waiting: number;
  came: number;
  left: number;
  /** How many a barrier kept out. */
  refused: number;
}

export interface Traffic {
  view(): TrafficView;
  setSpeed(speed: number): void;
  /** Puts vehicles inside that came before the traffic began, each on its place, if it has one that is free. */
  putInside(vehicles: readonly { plate: string; place?: string | undefined }[]): void;
  /** Resolves when no vehicle is on its way any more. */
  close(): Promise<void>;
}

interface Parts {
  cameras: ReadonlyMap<string, SimCamera>;
  products: ReadonlyMap<string, SimProduct>;
  places: readonly SimPlace[];
  clock: Clock;
  logger: Logger;
}

/** Begins at once. */
export function startTraffic(plan: TrafficPlan, parts: Parts): Traffic {
  const { clock, logger } = parts;
  const closing = new AbortController();
  const time = createScaledTime(clock, plan);
  const counts = { came: 0, left: 0, refused: 0 };
  const { signal } = closing;
  const lots = plan.lots.map((lot) => createLotTraffic(lot, { ...parts, plan, time, counts, signal, wake: tick }));
  let timer: Timer | undefined;

  function tick(): void {
    timer?.cancel();
    if (closing.signal.aborted) return;
    const next = Math.min(...lots.map((lot) => lot.begin()));
    const waitMs = Math.min(WAIT_MAX_MS, time.until(next));
    if (time.speed > 0) timer = clock.setTimer(Math.max(1, Math.ceil(waitMs)), tick);
  }
  const sum = (of: 'inside' | 'waiting') => lots.reduce((total, lot) => total + lot[of](), 0);
  logger.debug({ seed: plan.seed, speed: plan.speed }, 'traffic begins');
  tick();
  return {
    view: () => ({
      seed: plan.seed,
      speed: time.speed,
      time: new Date(time.now()).toISOString(),
      inside: sum('inside'),
      waiting: sum('waiting'),
      ...counts,
    }),
    setSpeed(speed) {
      time.setSpeed(speed);
      tick();
    },
    putInside(vehicles) {
      lots[0]?.putInside(vehicles);
      tick();
    },
    async close() {
      timer?.cancel();
      closing.abort(new Error('the traffic ends'));
      await Promise.all(lots.map((lot) => lot.settled()));
    },
  };
}

interface LotDeps extends Parts {
  plan: TrafficPlan;
  time: ReturnType<typeof createScaledTime>;
  counts: { came: number; left: number; refused: number };
  signal: AbortSignal;
  /** Called when a vehicle leaves earlier than the next pass that was known. */
  wake(): void;
}

/** The next pass of a vehicle, which is inside or still to come. */
interface Coming {
  visit: Visit;
  /** Which of its passes. */
  index: number;
  at_ms: number;
}

function createLotTraffic(lot: TrafficLot, deps: LotDeps) {
  const { plan, time, clock, logger, counts, signal } = deps;
  const chance = createChance(plan.seed, `play ${lot.name}`);
  const places = deps.places.filter((place) => place.view().lot === lot.name);
  const parked = createParked(places, chance);
  const inside = new Set<string>();
  const gates = { in: gateOf(lot.entry, deps), out: gateOf(lot.exit, deps) };
  const queues = { in: createQueue(lot.name, deps), out: createQueue(lot.name, deps) };
  const agenda = createAgenda(visitsFrom(lot, { seed: plan.seed, from_ms: plan.from_ms }));

  /** Begins what is due. @returns when the next pass is, by the traffic's clock */
  function begin(): number {
    const now = time.now();
    for (let next = agenda.dequeue(now); next !== null; next = agenda.dequeue(now)) enqueue(next);
    return agenda.nextMs();
  }

  function enqueue(next: Coming): void {
    const pass = next.visit.passes[next.index];
    if (pass === undefined) return;
    // The vehicle may have been put inside before its visit began.
    if (pass.side === 'in' && inside.has(next.visit.vehicle.plate)) return;
    const queue = queues[pass.side];
    const isFull = queue.length() >= QUEUE_MAX || (pass.side === 'in' && inside.size >= INSIDE_MAX);
    if (!isFull) queue.add(() => play(next, pass));
    else if (inside.has(next.visit.vehicle.plate)) agenda.add({ ...next, at_ms: next.at_ms + TRY_AGAIN_MS });
  }

  async function play(next: Coming, pass: Pass): Promise<void> {
    const { visit, index } = next;
    const { vehicle } = visit;
    const { plate } = vehicle;
    if (pass.side === 'out') parked.leave(plate);
    const hasPassed = await drivePass(gates[pass.side], { vehicle, pass }, { clock, signal });
    logger.debug({ lot: lot.name, plate, side: pass.side, hasPassed }, 'a vehicle at a camera');
    if (pass.side === 'out') inside.delete(plate);
    if (!hasPassed) {
      counts.refused += 1;
      return;
    }
    counts[pass.side === 'in' ? 'came' : 'left'] += 1;
    const then = visit.passes[index + 1];
    if (then === undefined || pass.side === 'out') return;
    inside.add(plate);
    // It stays as long as it wanted to, however long it waited at the barrier.
    agenda.add({ visit, index: index + 1, at_ms: Math.max(then.at_ms, time.now()) });
    deps.wake();
    // The queue does not wait for this: the next vehicle is at the barrier meanwhile.
    sleep(clock, TO_THE_PLACE_MS, signal).then(
      () => inside.has(plate) && !signal.aborted && parked.park(plate),
      () => {},
    );
  }

  return {
    begin,
    inside: () => inside.size,
    waiting: () => queues.in.length() + queues.out.length(),
    settled: () => Promise.all([queues.in.settled(), queues.out.settled()]),
    putInside(vehicles: readonly { plate: string; place?: string | undefined }[]) {
      for (const { plate: written, place } of vehicles.slice(0, INSIDE_MAX)) {
        const plate = normalisePlate(written);
        if (inside.has(plate)) continue;
        inside.add(plate);
        if (!signal.aborted) parked.park(plate, place);
        agenda.add(drawLeaver(lot, plate, { chance, at_ms: time.now() + drawStay(chance) }));
      }
    },
  };
}

function drawLeaver(
  { members }: TrafficLot,
  plate: string,
  { chance, at_ms }: { chance: Chance; at_ms: number },
): Coming {
  const vehicle = vehicleOf(plate, { isMember: members.includes(plate) });
  return { visit: { vehicle, passes: [drawPass(chance, vehicle, { at_ms, side: 'out' })] }, index: 0, at_ms };
}

/** The passes to come, in their order: visits of the schedule, and vehicles inside that leave. */
function createAgenda(visits: ReturnType<typeof visitsFrom>) {
  /** Vehicles inside that leave, the next first. */
  let leaving: Coming[] = [];
  let coming = nextVisit();

  function nextVisit(): Coming {
    const { value } = visits.next() as { value: Visit };
    return { visit: value, index: 0, at_ms: value.passes[0]?.at_ms ?? 0 };
  }
  function first(): Coming {
    const [leaver] = leaving;
    return leaver !== undefined && leaver.at_ms <= coming.at_ms ? leaver : coming;
  }
  return {
    nextMs: () => first().at_ms,
    /** Takes the next pass that is due; null: none is. */
    dequeue(nowMs: number): Coming | null {
      const next = first();
      if (next.at_ms > nowMs) return null;
      if (next === coming) coming = nextVisit();
      else leaving = leaving.slice(1);
      return next;
    },
    /** Adds the pass of a vehicle that leaves. */
    add(next: Coming): void {
      const at = leaving.findIndex(({ at_ms }) => at_ms > next.at_ms);
      leaving = at === -1 ? [...leaving, next] : leaving.toSpliced(at, 0, next);
    },
  };
}

function gateOf({ device_id, product }: TrafficLot['entry'], { cameras, products }: Parts): Gate {
  const camera = cameras.get(device_id);
  if (camera === undefined) throw new Error(`there is no camera ${device_id}`);
  return { camera, product: product === null ? undefined : products.get(product) };
}

/** Says which vehicle is on which place. */
function createParked(places: readonly SimPlace[], chance: Chance) {
  const occupied = new Map<string, SimPlace>();
  return {
    /** @param wished the name of a place, which it takes if that one is free; without it, or else, any free one */
    park(plate: string, wished?: string): void {
      const free = places.filter((place) => !place.view().occupied);
      const place =
        free.find((each) => each.view().name === wished) ?? (free.length > 0 ? chance.pick(free) : undefined);
      if (place === undefined) return;
      occupied.set(plate, place);
      place.change({ occupied: true });
    },
    leave(plate: string): void {
      occupied.get(plate)?.change({ occupied: false });
      occupied.delete(plate);
    },
  };
}

/** A queue of vehicles before a camera: they pass one after the other. */
function createQueue(lot: string, { signal, logger }: Pick<LotDeps, 'signal' | 'logger'>) {
  let waiting = 0;
  let last: Promise<void> = Promise.resolve();
  return {
    length: () => waiting,
    settled: () => last,
    add(work: () => Promise<void>) {
      waiting += 1;
      last = last
        .then(() => (signal.aborted ? undefined : work()))
        .catch((error: unknown) => {
          if (!signal.aborted) logger.warn({ err: error, lot }, 'a vehicle was lost');
        })
        .then(() => {
          waiting -= 1;
        });
    },
  };
}
