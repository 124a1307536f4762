/** Sees what decides on the next step of an update (`update-machine.ts`), and for how long it has been so. */
import type { Clock } from '../../shared/clock.js';
import type { WantedUpdates } from '../../shared/releases.js';
import { isUpdateHour } from './decide-update-hour.js';
import type { UpdateInstaller } from './update-installer.js';
import { type InstalledSoftware, isWorking, type Seen, type UpdateState } from './update-machine.js';

export interface UpdateSightDeps {
  installer: UpdateInstaller;
  clock: Clock;
  wanted(): WantedUpdates | undefined;
  /** The time zone of the lot. */
  timezone(): string;
  /** Wall milliseconds; null: not known. */
  knownTime(): number | null;
  /** Why this is no moment to exchange the software, in words for people; null: it is one. */
  busy(): string | null;
  /** Which product is commanded or moves, in words for people; null: none. */
  moves(): string | null;
  /** How many vehicles were decided on since the program started. */
  decisions(): number;
  cloud(): boolean;
  radio(): boolean;
  store(): boolean;
}

export type UpdateSight = ReturnType<typeof createUpdateSight>;

export function createUpdateSight(deps: UpdateSightDeps) {
  const { clock } = deps;
  const startedMs = clock.monotonic();
  let workingSinceMs: number | null = null;
  let failedMs = Number.NEGATIVE_INFINITY;

  return {
    noteFailure(): void {
      failedMs = clock.monotonic();
    },
    see(state: UpdateState, software: InstalledSoftware): Seen {
      const nowMs = clock.monotonic();
      const timeMs = deps.knownTime();
      const wanted = deps.wanted();
      const works = { cloud: deps.cloud(), radio: deps.radio(), store: deps.store() };
      if (!isWorking(state, works)) workingSinceMs = null;
      else workingSinceMs ??= nowMs;
      return {
        ...works,
        software,
        wanted,
        busy: deps.busy(),
        streams: deps.installer.streams,
        // Without the time nobody can say that it is not the hour; a device that never knows it would never be updated.
        isHour: timeMs === null || isUpdateHour(wanted?.hours ?? null, deps.timezone(), timeMs),
        isClockKnown: timeMs !== null,
        decisions: deps.decisions(),
        startedForMs: nowMs - startedMs,
        workingForMs: workingSinceMs === null ? 0 : nowMs - workingSinceMs,
        failedForMs: nowMs - failedMs,
      };
    },
  };
}
