/** Does what `update-machine.ts` says, and keeps what came of it. */
import { type Clock, sleep } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { UpdatePhase } from '../../shared/releases.js';
import type { KeptUpdateState } from './kept-update-state.js';
import type { ReleaseBringer } from './release-bringer.js';
import type { UpdateInstaller } from './update-installer.js';
import {
  type Act,
  activating,
  afterFetch,
  afterInstall,
  chosen,
  notActivated,
  type InstalledSoftware,
  type Outcome,
  type PendingRelease,
  proven,
  type UpdateState,
} from './update-machine.js';
import type { UpdateSight, UpdateSightDeps } from './update-sight.js';

/** After this long the system that started counts as one that starts. */
const GOOD_AFTER_MS = 60_000;
const RESTART_WITHIN_MS = 5 * 60_000;

interface UpdateActsOptions {
  deps: Pick<UpdateSightDeps, 'installer' | 'clock' | 'busy' | 'moves' | 'cloud' | 'radio' | 'store'> & {
    logger: Logger;
  };
  kept: KeptUpdateState;
  bringer: ReleaseBringer;
  sight: UpdateSight;
  /** Ends the waiting. */
  closing: AbortSignal;
}

export function createUpdateActs({ deps, kept, bringer, sight, closing }: UpdateActsOptions) {
  const { installer, logger } = deps;
  const mark = createGoodMark(deps);

  /** Another release may have taken the place of this one meanwhile. */
  function settle(
    release: PendingRelease,
    { outcome, after }: { outcome: Outcome; after: (state: UpdateState, outcome: Outcome) => UpdateState },
  ): void {
    if (kept.now().release?.sha256 !== release.sha256 || closing.aborted) return;
    if (outcome.kind !== 'done') {
      sight.noteFailure();
      logger.warn({ release: release.version, reason: outcome.error }, 'the update could not go on');
    }
    kept.set(after(kept.now(), outcome));
    if (kept.now().phase === 'failed') bringer.remove(release);
  }

  async function activate(): Promise<void> {
    kept.keep(activating(kept.now(), { cloud: deps.cloud(), radio: deps.radio() }));
    try {
      await installer.choose();
      kept.keep(chosen(kept.now()));
    } catch (error) {
      return kept.set(notActivated(kept.now(), errorText(error)));
    }
    // A vehicle may have come meanwhile.
    if (deps.busy() !== null) return kept.set(notActivated(kept.now(), null));
    await restart({ deps, kept, closing });
  }

  return {
    /** Goes on where the program ended. The file of a release that was taken back is of no more use. */
    begin(software: InstalledSoftware): void {
      kept.begin(software);
      const { phase, release } = kept.now();
      if (phase === 'fallen_back' && release !== null) bringer.remove(release);
    },
    markAtStart: () => mark.atStart(kept.now().phase),
    isStarting: mark.isStarting,
    async act(act: Act): Promise<void> {
      const { release, error: reason } = kept.now();
      if (release === null) return;
      switch (act) {
        case 'fetch':
          return settle(release, { outcome: await bringer.fetch(release), after: afterFetch });
        case 'install':
          return settle(release, { outcome: await bringer.install(release), after: afterInstall });
        case 'activate':
          return activate();
        case 'mark_good':
          await mark.now();
          bringer.remove(release);
          return kept.set(proven(kept.now()));
        case 'mark_bad':
          // The device starts anew: nobody shall pass a gate then. It is asked again with the next look.
          if (deps.busy() !== null) return;
          logger.error(
            { release: release.version, reason },
            'the new software does not work: the one before it comes back',
          );
          await installer
            .markBad()
            .catch((error: unknown) => logger.error({ err: error }, 'the slot could not be marked'));
          return restart({ deps, kept, closing });
      }
    },
  };
}

/** The restart ends this program. @throws the reason of the end */
async function restart({ deps, kept, closing }: Pick<UpdateActsOptions, 'deps' | 'kept' | 'closing'>): Promise<void> {
  const { installer, clock, logger } = deps;
  try {
    await installer.restart();
    await sleep(clock, RESTART_WITHIN_MS, closing);
    throw new Error('the device was told to start anew and did not: is parking-restart.path enabled?');
  } catch (error) {
    closing.throwIfAborted();
    logger.error({ err: error }, 'the device does not start anew');
    kept.set(notActivated(kept.now(), errorText(error)));
  }
}

/** Gives the slot that runs its tries back: every start takes one. */
function createGoodMark(deps: { installer: UpdateInstaller; clock: Clock; moves(): string | null; store(): boolean }) {
  const { installer, clock } = deps;
  const startedMs = clock.monotonic();
  let isMarked = false;
  const isStarting = () => clock.monotonic() - startedMs < GOOD_AFTER_MS;
  async function now(): Promise<void> {
    await installer.markGood();
    isMarked = true;
  }
  return {
    now,
    isStarting,
    /** Gives the attempts back at the start, except to software that has yet to prove itself. */
    async atStart(phase: UpdatePhase): Promise<void> {
      if (isMarked) return;
      await installer.noteMoving(deps.moves());
      const isProving = phase === 'proving' || phase === 'activating';
      if (!isProving && deps.store() && !isStarting()) await now();
    },
  };
}
