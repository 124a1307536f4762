/** Finds out which other processes are dead: by their beats and by no clock but the own one. */

/** How long a process may stand still. It is taken for dead well within 10 s. */
const STILL_MAX_MS = 7_000;
/** The same for one whose connection to the database has ended, as that of a killed one has. */
const GONE_MAX_MS = 3_000;
/** After a pause nobody knows for how long the others stood still: this process did too. */
const PAUSE_MAX_MS = 3_000;
/** While the database takes longer than this over a look, it keeps the others waiting as well. */
const LOOK_COUNTED_MAX_MS = 3_000;

/** Another process, as it was found. */
export interface SeenProcess {
  id: string;
  beat: number;
}

/** When the database was asked, and when it had answered: monotonic milliseconds. */
export interface LookTimes {
  askedAt: number;
  answeredAt: number;
}

export interface DeathWatch {
  /**
   * Notes a look at the other processes.
   * @returns those that have stood still for so long that they are dead, and those that are dead if they have no connection
   */
  look(times: LookTimes, others: readonly SeenProcess[]): { dead: string[]; doubtful: string[] };
}

export function createDeathWatch(): DeathWatch {
  let seen = new Map<string, { beat: number; since: number }>();
  let lastLook = Number.NEGATIVE_INFINITY;
  /** The time in which others could have beaten, in milliseconds. */
  let counted = 0;
  return {
    look({ askedAt, answeredAt }, others) {
      // How long a look takes is the database's doing: with a slow one, looks seldom come one right after the other.
      const pause = askedAt - lastLook;
      const isAnew = pause > PAUSE_MAX_MS;
      if (!isAnew) counted += pause + Math.min(answeredAt - askedAt, LOOK_COUNTED_MAX_MS);
      lastLook = answeredAt;
      const before = isAnew ? new Map<string, { beat: number; since: number }>() : seen;
      seen = new Map(
        others.map(({ id, beat }) => {
          const known = before.get(id);
          return [id, known?.beat === beat ? known : { beat, since: counted }];
        }),
      );
      const stillFor = (ms: number) =>
        others.map(({ id }) => id).filter((id) => counted - (seen.get(id)?.since ?? counted) >= ms);
      const dead = stillFor(STILL_MAX_MS);
      return { dead, doubtful: stillFor(GONE_MAX_MS).filter((id) => !dead.includes(id)) };
    },
  };
}
