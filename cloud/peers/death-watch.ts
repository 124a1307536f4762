/** Finds out which other processes are dead: by their beats and by no clock but the own one. */

/** How long a process may stand still. It is taken for dead well within 10 s. */
const STILL_MAX_MS = 7_000;
/** The same for one whose connection to the database has ended, as that of a killed one has. */
const GONE_MAX_MS = 3_000;
/** After a pause nobody knows for how long the others stood still: this process, or the database, did too. */
const PAUSE_MAX_MS = 3_000;

/** Another process, as it was found. */
export interface SeenProcess {
  id: string;
  beat: number;
}

export interface DeathWatch {
  /**
   * Notes a look at the other processes. @param now monotonic milliseconds
   * @returns those that have stood still for so long that they are dead, and those that are dead if they have no connection
   */
  look(now: number, others: readonly SeenProcess[]): { dead: string[]; doubtful: string[] };
}

export function createDeathWatch(): DeathWatch {
  let seen = new Map<string, { beat: number; since: number }>();
  let lastLook = Number.NEGATIVE_INFINITY;
  return {
    look(now, others) {
      const isAnew = now - lastLook > PAUSE_MAX_MS;
      lastLook = now;
      const before = isAnew ? new Map<string, { beat: number; since: number }>() : seen;
      seen = new Map(
        others.map(({ id, beat }) => {
          const known = before.get(id);
          return [id, known?.beat === beat ? known : { beat, since: now }];
        }),
      );
      const stillFor = (ms: number) =>
        others.map(({ id }) => id).filter((id) => now - (seen.get(id)?.since ?? now) >= ms);
      const dead = stillFor(STILL_MAX_MS);
      return { dead, doubtful: stillFor(GONE_MAX_MS).filter((id) => !dead.includes(id)) };
    },
  };
}
