/**
 * Makes this process one of those that work on the database: it counts up its beat every second, shares the gateways with the others, and
 * takes over what a dead process had. A lease only avoids double work. What has to be exact is made so by the locks of its transaction.
 */
import { type Clock, every, type Timer } from '../../../shared/clock.js';
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
  /** Called when another process died. Its last commits may be untold, and nobody waits for the ends of its commands any more. */
  onDeath: () => void;
  /** Called when this process becomes the first of the living, because those before it died or stopped. */
  onFirst: () => void;
  /** Called when another process stopped. Nobody waits for the ends of its commands any more. */
  onLeft: () => void;
  /** Called when the others took this process for dead: it can write nothing any more, and has to be started again. */
  onExpelled: () => void;
}

const BEAT_MS = 1_000;
/** A connection to the broker that was lost is often back before another process could take over. */
const DEAF_MAX_BEATS = 3;
const LEASES = 'leases';
const DEATH = 'death';
const LEFT = 'left';

/** The parts of the gateways that are this process's. */
interface OwnParts {
  count(): number;
  /** Takes and gives so that those who hear share them. */
  balance(hearing: readonly string[], leases: readonly Lease[]): Promise<void>;
}

function createOwnParts({ peers, logger, onParts }: Pick<MembershipDeps, 'peers' | 'logger' | 'onParts'>): OwnParts {
  let parts: ReadonlySet<number> = new Set();

  function hold(leases: readonly Lease[]): void {
    parts = new Set(leases.filter(({ owner }) => owner === peers.id).map(({ part }) => part));
    logger.info({ parts: parts.size }, 'parts of the gateways are heard by this process');
    onParts(parts);
  }

  async function giveAway(give: readonly number[], leases: readonly Lease[]): Promise<void> {
    // They are heard no more before another process hears them.
    hold(leases.filter(({ part }) => !give.includes(part)));
    await peers.apart((tx) => deleteLeases(tx, peers.id, give));
    peers.notify(LEASES, null);
  }

  async function acquireParts(hearing: readonly string[]): Promise<void> {
    hold(
      await peers.apart(async (tx) => {
        const { acquire } = decideLeases({ me: peers.id, hearing, leases: await leasesToChange(tx) });
        await saveLeases(tx, peers.id, acquire);
        return allLeases(tx);
      }),
    );
  }

  return {
    count: () => parts.size,
    async balance(hearing, leases) {
      const { acquire, give } = decideLeases({ me: peers.id, hearing, leases });
      if (give.length > 0) await giveAway(give, leases);
      if (acquire.length > 0) await acquireParts(hearing);
    },
  };
}

/** The work that dead processes left. */
interface DeadProcesses {
  /** Ends the membership of the dead, and what they have under way in the database. What fails is tried again with the next call. */
  end(dead: readonly string[]): Promise<void>;
  /** Whether a death has to be made known; it counts as known from then on. */
  drainNews(): boolean;
}

function createDeadProcesses({ peers, logger }: Pick<MembershipDeps, 'peers' | 'logger'>): DeadProcesses {
  /** The dead who are no members any more, but may still have something under way in the database. */
  const toEnd = new Set<string>();
  let isUnannounced = false;
  return {
    async end(dead) {
      for (const id of dead) {
        await peers.apart((tx) => deleteProcess(tx, id));
        toEnd.add(id);
      }
      for (const id of toEnd) {
        await peers.apart((tx) => peers.endWorkOf(tx, id));
        toEnd.delete(id);
        isUnannounced = true;
        logger.warn({ process: id }, 'another cloud process is dead: what it did is taken over');
      }
    },
    drainNews() {
      const isNews = isUnannounced;
      isUnannounced = false;
      return isNews;
    },
  };
}

/** Runs the beats of this process, one at a time. */
interface Beats {
  /** Runs one, or one more after the one under way. Rejects when the one that it waits for fails. */
  now(): Promise<void>;
  /** Runs one after the other from now on, and on demand. */
  start(): void;
  ask(): void;
  /** Waits for the one under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

function createBeats({ clock, logger }: Pick<MembershipDeps, 'clock' | 'logger'>, beat: () => Promise<void>): Beats {
  let beating: Promise<void> | null = null;
  let isAskedAgain = false;
  let isFailing = false;
  let isClosed = false;
  let timer: Timer | undefined;

  function now(): Promise<void> {
    if (beating !== null) {
      isAskedAgain = true;
      return beating;
    }
    isAskedAgain = false;
    beating = beat().finally(() => {
      beating = null;
      if (isAskedAgain && !isClosed) ask();
    });
    return beating;
  }

  function failed(error: unknown): void {
    if (isClosed || isFailing) return;
    isFailing = true;
    logger.error({ err: error }, 'the other cloud processes could not be looked at; it is tried again every second');
  }

  const ask = () => void now().catch(failed);

  return {
    now,
    ask,
    start() {
      const work = async () => {
        await now();
        isFailing = false;
      };
      timer = every({ clock, periodMs: BEAT_MS, work, onError: failed });
    },
    settled: async () => beating?.catch(failed),
    async close() {
      isClosed = true;
      timer?.cancel();
      await beating?.catch(() => {});
    },
  };
}

export async function joinProcesses(deps: MembershipDeps): Promise<Membership> {
  const { peers, clock } = deps;
  const watch = createDeathWatch();
  const parts = createOwnParts(deps);
  const deadProcesses = createDeadProcesses(deps);
  const beats = createBeats(deps, beat);
  let living: readonly string[] = [peers.id];
  let isLeaving = false;
  let deafBeats = 0;

  await peers.apart((tx) =>
    insertProcess(tx, { id: peers.id, beat: 0, is_hearing: deps.canHear() ? 1 : 0, started_at: clock.now() }),
  );
  peers.requireMembership();

  async function beat(): Promise<void> {
    deafBeats = deps.canHear() ? 0 : deafBeats + 1;
    const isHearing = !isLeaving && deafBeats < DEAF_MAX_BEATS;
    const { processes, leases, dead } = await lookAround({ peers, watch, clock, isHearing });
    await deadProcesses.end(dead);
    noteLiving(processes.map(({ id }) => id));
    const hearing = processes.filter((each) => each.is_hearing === 1).map(({ id }) => id);
    await parts.balance(hearing, leases);
    if (!deadProcesses.drainNews()) return;
    noteDeath();
    peers.notify(DEATH, null);
  }

  function noteLiving(ids: readonly string[]): void {
    const wasFirst = living[0] === peers.id;
    living = ids;
    if (!wasFirst && living[0] === peers.id) deps.onFirst();
  }

  /** The dead may have committed what they did not tell. */
  function noteDeath(): void {
    peers.assumeMissed();
    deps.onDeath();
  }

  await beats.now();
  beats.start();
  const stops = [
    peers.onNotice(LEASES, beats.ask),
    peers.onNotice(DEATH, noteDeath),
    peers.onNotice(LEFT, deps.onLeft),
    peers.onExpelled(deps.onExpelled),
  ];

  return {
    isFirst: () => living[0] === peers.id,
    counts: () => ({ processes: living.length, parts: parts.count() }),
    async leave() {
      isLeaving = true;
      await beats.settled();
      beats.ask();
      await beats.settled();
    },
    async close() {
      for (const stop of stops) stop();
      await beats.close();
      await signOff(deps);
    },
  };
}

/** Takes this process out of those that work on the database, and tells the others. */
async function signOff({ peers, logger }: Pick<MembershipDeps, 'peers' | 'logger'>): Promise<void> {
  try {
    await peers.apart((tx) => deleteProcess(tx, peers.id));
  } catch (error) {
    logger.warn({ err: error }, 'other cloud processes could not be told that this one stops');
  }
  peers.notify(LEFT, null);
  peers.notify(LEASES, null);
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
