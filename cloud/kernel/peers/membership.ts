/**
 * Makes this process one of those that work on the database: it counts up its beat every second, shares the gateways with the others, and
 * takes over what a dead one had. A lease saves work and settles nothing: whatever has to be exact is so by the locks of its transaction.
 */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { Peers, PeersTx } from '../store/peers.js';
import { createDeathWatch, type DeathWatch } from './death-watch.js';
import { decideLeases, type Lease } from './decide-leases.js';
import {
  allLeases,
  allProcesses,
  deleteLeases,
  deleteProcess,
  insertProcess,
  leasesToChange,
  saveBeat,
  saveLeases,
} from './peer-queries.js';

export interface Membership {
  /** Whether it is the first of the living: it does what one process has to do for all. */
  isFirst(): boolean;
  /** How many processes live, and how many parts of the gateways are this one's. */
  counts(): { processes: number; parts: number };
  /** Gives all gateways away, and takes none any more. */
  leave(): Promise<void>;
  /** Ends the membership: this process writes nothing from then on. */
  close(): Promise<void>;
}

export interface MembershipDeps {
  peers: Peers;
  clock: Clock;
  logger: Logger;
  /** Whether gateways can be heard at the moment. */
  canHear: () => boolean;
  /** Called with the parts of the gateways that are this process's from now on. Those that it gives away are the next one's after that. */
  onParts: (parts: ReadonlySet<number>) => void;
  /** Called when another process died: what it was about to tell, nobody has told, and what it waited for, nobody waits for. */
  onDeath: () => void;
  /** Called when this process becomes the first of the living, because those before it died or stopped. */
  onFirst: () => void;
  /** Called when another process stopped: what it waited for, nobody waits for. */
  onLeft: () => void;
  /** Called when the others took this process for dead: it can write nothing any more, and has to be started again. */
  onExpelled: () => void;
}

const TICK_MS = 1_000;
/** A connection to the broker that was lost is often back before another process could take over. */
const DEAF_MAX_TICKS = 3;
const LEASES = 'leases';
const DEATH = 'death';
const LEFT = 'left';

export async function joinProcesses(deps: MembershipDeps): Promise<Membership> {
  const { peers, clock, logger } = deps;
  const watch = createDeathWatch();
  let living: readonly string[] = [peers.id];
  let parts: ReadonlySet<number> = new Set();
  /** The dead who are no members any more, but may still have something under way in the database. */
  const toEnd = new Set<string>();
  let isDeathUntold = false;
  let isFailing = false;
  let isLeaving = false;
  let isClosed = false;
  let deafTicks = 0;
  let ticking: Promise<void> | null = null;
  let isAskedAgain = false;

  const isHearing = () => !isLeaving && deafTicks < DEAF_MAX_TICKS;

  await peers.apart((tx) =>
    insertProcess(tx, { id: peers.id, beat: 0, is_hearing: deps.canHear() ? 1 : 0, started_at: clock.now() }),
  );
  peers.requireMembership();

  async function tick(): Promise<void> {
    deafTicks = deps.canHear() ? 0 : deafTicks + 1;
    const { processes, leases, dead } = await lookAround({ peers, watch, clock, isHearing: isHearing() });
    for (const id of dead) {
      await peers.apart((tx) => deleteProcess(tx, id));
      toEnd.add(id);
    }
    // Whatever fails from here on is tried again with the next beat.
    for (const id of toEnd) {
      await peers.apart((tx) => peers.endWorkOf(tx, id));
      toEnd.delete(id);
      isDeathUntold = true;
      logger.warn({ process: id }, 'another cloud process is dead: what it did is taken over');
    }
    noteLiving(processes.map(({ id }) => id));
    const hearing = processes.filter((each) => each.is_hearing === 1).map(({ id }) => id);
    const { take, give } = decideLeases({ me: peers.id, hearing, leases });
    if (give.length > 0) await giveAway(give, leases);
    if (take.length > 0) await takeOver(hearing);
    if (!isDeathUntold) return;
    isDeathUntold = false;
    noteDeath();
    peers.tell(DEATH, null);
  }

  function noteLiving(ids: readonly string[]): void {
    const wasFirst = living[0] === peers.id;
    living = ids;
    if (!wasFirst && living[0] === peers.id) deps.onFirst();
  }

  /** What it had committed, it may not have told. */
  function noteDeath(): void {
    peers.assumeMissed();
    deps.onDeath();
  }

  async function giveAway(give: readonly number[], leases: readonly Lease[]): Promise<void> {
    // They are heard no more before another process hears them.
    hold(leases.filter(({ part }) => !give.includes(part)));
    await peers.apart((tx) => deleteLeases(tx, peers.id, give));
    peers.tell(LEASES, null);
  }

  async function takeOver(hearing: readonly string[]): Promise<void> {
    hold(
      await peers.apart(async (tx) => {
        const { take } = decideLeases({ me: peers.id, hearing, leases: await leasesToChange(tx) });
        await saveLeases(tx, peers.id, take);
        return allLeases(tx);
      }),
    );
  }

  function hold(leases: readonly Lease[]): void {
    parts = new Set(leases.filter(({ owner }) => owner === peers.id).map(({ part }) => part));
    logger.info({ parts: parts.size }, 'parts of the gateways are heard by this process');
    deps.onParts(parts);
  }

  function tickNow(): Promise<void> {
    if (ticking !== null) {
      isAskedAgain = true;
      return ticking;
    }
    isAskedAgain = false;
    ticking = tick().finally(() => {
      ticking = null;
      if (isAskedAgain && !isClosed) void tickNow().catch(failed);
    });
    return ticking;
  }

  const failed = (error: unknown) => {
    if (isClosed || isFailing) return;
    isFailing = true;
    logger.error({ err: error }, 'the other cloud processes could not be looked at; it is tried again every second');
  };
  await tickNow();
  const timer = every({
    clock,
    periodMs: TICK_MS,
    async work() {
      await tickNow();
      isFailing = false;
    },
    onError: failed,
  });
  const stops = [
    peers.onTold(LEASES, () => void tickNow().catch(failed)),
    peers.onTold(DEATH, noteDeath),
    peers.onTold(LEFT, deps.onLeft),
    peers.onExpelled(() => {
      if (!isClosed) deps.onExpelled();
    }),
  ];

  return {
    isFirst: () => living[0] === peers.id,
    counts: () => ({ processes: living.length, parts: parts.size }),
    async leave() {
      isLeaving = true;
      await ticking?.catch(failed);
      await tickNow().catch(failed);
    },
    async close() {
      isClosed = true;
      timer.cancel();
      for (const stop of stops) stop();
      await ticking?.catch(() => {});
      await peers
        .apart((tx) => deleteProcess(tx, peers.id))
        .catch((error: unknown) => {
          logger.warn({ err: error }, 'other cloud processes could not be told that this one stops');
        });
      peers.tell(LEFT, null);
      peers.tell(LEASES, null);
    },
  };
}

async function lookAround({
  peers,
  watch,
  clock,
  isHearing,
}: {
  peers: Peers;
  watch: DeathWatch;
  clock: Clock;
  isHearing: boolean;
}) {
  const askedAt = clock.monotonic();
  const found = await peers.apart(async (tx: PeersTx) => {
    await saveBeat(tx, { id: peers.id, is_hearing: isHearing ? 1 : 0 });
    return { processes: await allProcesses(tx), leases: await allLeases(tx) };
  });
  const others = found.processes.filter(({ id }) => id !== peers.id);
  const { dead, doubtful } = watch.look({ askedAt, answeredAt: clock.monotonic() }, others);
  for (const id of doubtful) if (!(await peers.apart((tx) => peers.isConnected(tx, id)))) dead.push(id);
  return { ...found, processes: found.processes.filter(({ id }) => !dead.includes(id)), dead };
}
