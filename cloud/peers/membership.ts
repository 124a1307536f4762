/**
 * Makes this process one of those that work on the database: it counts up its beat every second, shares the gateways with the others, and
 * takes over what a dead one had. A lease saves work and settles nothing: whatever has to be exact is so by the locks of its transaction.
 */
import { type Clock, every } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { CloudStore, Tx } from '../store/cloud-store.js';
import type { Peers } from '../store/peers.js';
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
  store: Pick<CloudStore, 'change'>;
  peers: Peers;
  clock: Clock;
  logger: Logger;
  /** Whether gateways can be heard at the moment. */
  canHear: () => boolean;
  /** Called with the parts of the gateways that are this process's from now on. Those that it gives away are the next one's after that. */
  onParts: (parts: ReadonlySet<number>) => void;
  /** Called when another process died: what it was about to tell, nobody has told, and what it waited for, nobody waits for. */
  onDeath: () => void;
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
  const { store, peers, clock, logger } = deps;
  const watch = createDeathWatch();
  let living: readonly string[] = [peers.id];
  let parts: ReadonlySet<number> = new Set();
  let isFailing = false;
  let isLeaving = false;
  let isClosed = false;
  let deafTicks = 0;
  let ticking: Promise<void> | null = null;
  let isAskedAgain = false;

  const isHearing = () => !isLeaving && deafTicks < DEAF_MAX_TICKS;

  await store.change((tx) =>
    insertProcess(tx, { id: peers.id, beat: 0, is_hearing: deps.canHear() ? 1 : 0, started_at: clock.now() }),
  );
  peers.requireMembership();

  async function tick(): Promise<void> {
    deafTicks = deps.canHear() ? 0 : deafTicks + 1;
    const { processes, leases, dead } = await store.change((tx) => lookAround(tx, { peers, watch, clock, isHearing }));
    for (const id of dead) {
      await store.change((tx) => deleteProcess(tx, id));
      await store.change((tx) => peers.endWorkOf(tx, id));
      logger.warn({ process: id }, 'another cloud process is dead: what it did is taken over');
    }
    living = processes.map(({ id }) => id);
    const hearing = processes.filter((each) => each.is_hearing === 1).map(({ id }) => id);
    const { take, give } = decideLeases({ me: peers.id, hearing, leases });
    if (give.length > 0) await giveAway(give, leases);
    if (take.length > 0) await takeOver(hearing);
    if (dead.length === 0) return;
    deps.onDeath();
    peers.tell(DEATH, null);
  }

  async function giveAway(give: readonly number[], leases: readonly Lease[]): Promise<void> {
    // They are heard no more before another process hears them.
    hold(leases.filter(({ part }) => !give.includes(part)));
    await store.change((tx) => deleteLeases(tx, peers.id, give));
    peers.tell(LEASES, null);
  }

  async function takeOver(hearing: readonly string[]): Promise<void> {
    hold(
      await store.change(async (tx) => {
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
    peers.onTold(DEATH, deps.onDeath),
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
      await store
        .change((tx) => deleteProcess(tx, peers.id))
        .catch((error: unknown) => {
          logger.warn({ err: error }, 'other cloud processes could not be told that this one stops');
        });
      peers.tell(LEFT, null);
      peers.tell(LEASES, null);
    },
  };
}

async function lookAround(
  tx: Tx,
  { peers, watch, clock, isHearing }: { peers: Peers; watch: DeathWatch; clock: Clock; isHearing: () => boolean },
) {
  await saveBeat(tx, { id: peers.id, is_hearing: isHearing() ? 1 : 0 });
  const processes = await allProcesses(tx);
  const { dead, doubtful } = watch.look(
    clock.monotonic(),
    processes.filter(({ id }) => id !== peers.id),
  );
  for (const id of doubtful) if (!(await peers.isConnected(tx, id))) dead.push(id);
  const living = processes.filter(({ id }) => !dead.includes(id));
  return { processes: living, leases: await allLeases(tx), dead };
}
