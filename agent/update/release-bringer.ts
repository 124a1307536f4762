/** Brings a release to this device and into the slot that is not used, and knows how far that is. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { BundleJudge } from './bundle-judge.js';
import { fetchBundle, sha256Of, WrongFileError } from './fetch-bundle.js';
import type { KeptUpdateState } from './kept-update-state.js';
import { type BundleInfo, BundleRefused, type UpdateInstaller } from './update-installer.js';
import type { Outcome, PendingRelease } from './update-machine.js';

export type ReleaseBringer = ReturnType<typeof createReleaseBringer>;

interface ReleaseBringerDeps {
  installer: UpdateInstaller;
  judge: BundleJudge;
  kept: KeptUpdateState;
  /** Where the file is kept. */
  directory: string;
  clock: Clock;
  logger: Logger;
  /** Ends it. */
  closing: AbortSignal;
}

export function createReleaseBringer(deps: ReleaseBringerDeps) {
  const { installer, judge, kept, clock, logger, closing } = deps;
  let progress: number | null = null;
  /** Ends the fetch that is under way. */
  let fetching: AbortController | null = null;
  const onProgress = (percent: number) => {
    progress = percent;
  };
  const fileOf = ({ sha256 }: PendingRelease) => join(deps.directory, `${sha256}.raucb`);
  /** The address from which RAUC installs by itself; null: the file is brought first. */
  const streamOf = ({ source }: PendingRelease): string | null =>
    kept.now().is_whole || source.kind !== 'cloud' ? null : source.url;

  async function fetchRelease(release: PendingRelease): Promise<void> {
    const url = streamOf(release);
    if (url !== null) return void (await judge.requireStream(url, release.version));
    fetching = new AbortController();
    const signal = AbortSignal.any([closing, fetching.signal]);
    const path = fileOf(release);
    try {
      await fetchBundle({ release, path, onProgress, signal, clock });
    } finally {
      fetching = null;
    }
    await judge.requireFit(path, release.version);
  }

  async function installRelease(release: PendingRelease): Promise<void> {
    const url = streamOf(release);
    if (url !== null) return installJudged(url, await judge.requireStream(url, release.version));
    const path = fileOf(release);
    // The file may be gone since it was fetched.
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return kept.set({ ...kept.now(), phase: 'fetching' });
    if ((await sha256Of(path)) !== release.sha256) {
      remove(release);
      throw new WrongFileError('the file that was fetched is not as it came any more: it is fetched again');
    }
    await installJudged(path, await judge.requireFit(path, release.version));
  }

  async function installJudged(place: string, judged: BundleInfo): Promise<void> {
    await installer.install(place, onProgress);
    await judge.requireWritten(judged);
  }

  const remove = (release: PendingRelease): void => removeFile(fileOf(release), logger);

  async function run(work: () => Promise<void>): Promise<Outcome> {
    const outcome = await outcomeOf(work, () => progress !== null);
    progress = null;
    return outcome;
  }

  return {
    /** Percent of the step that is under way; null: none is, or nobody knows. */
    progress: (): number | null => progress,
    fetch: (release: PendingRelease): Promise<Outcome> => run(() => fetchRelease(release)),
    install: (release: PendingRelease): Promise<Outcome> => run(() => installRelease(release)),
    /** Ends the fetching of a file, if one is being fetched. */
    stopFetching: (reason: string): void => fetching?.abort(new Error(reason)),
    /** Removes the file of a release, if it is there. */
    remove,
  };
}

/** A disk that became read-only keeps it. */
function removeFile(path: string, logger: Logger): void {
  try {
    rmSync(path, { force: true });
  } catch (error) {
    logger.warn({ err: error }, 'the file of the update could not be removed');
  }
}

/** Says how a step ended. One that another release or the end of the program cuts short has not failed. */
async function outcomeOf(work: () => Promise<void>, isFurther: () => boolean): Promise<Outcome> {
  try {
    await work();
    return { kind: 'done' };
  } catch (error) {
    if (error instanceof BundleRefused) return { kind: 'refused', error: errorText(error) };
    if (error instanceof WrongFileError) return { kind: 'wrong_file', error: errorText(error) };
    return { kind: 'failed', error: errorText(error), isFurther: isFurther() };
  }
}
