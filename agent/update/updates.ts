/** Brings the device from one release to the next: does what `update-machine.ts` says, and keeps where it is. */
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Clock, every, sleep, type Timer } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { UpdateReport, WantedUpdates } from '../../shared/releases.js';
import { compareVersions } from '../../shared/version-order.js';
import { isUpdateHour } from './decide-update-hour.js';
import { fetchBundle, sha256Of, WrongFileError } from './fetch-bundle.js';
import type { Offer, OfferFinder } from './find-offers.js';
import { type BundleInfo, BundleRefused, type UpdateInstaller } from './update-installer.js';
import {
  type Act,
  activating,
  afterFetch,
  afterInstall,
  beginUpdate,
  chosen,
  FIRST_STATE,
  type InstalledSoftware,
  isWorking,
  notActivated,
  offerFile,
  type Outcome,
  type PendingRelease,
  problemOf,
  proven,
  type Seen,
  stepUpdate,
  type UpdateState,
} from './update-machine.js';
import { readUpdateState, writeUpdateState } from './update-state-file.js';

const LOOK_EVERY_MS = 5_000;
const STICKS_EVERY_MS = 15_000;
/** After this long the system that started counts as one that starts. */
const GOOD_AFTER_MS = 60_000;
const RESTART_WITHIN_MS = 5 * 60_000;

/** The software in `GET /status`. */
export interface UpdateView extends UpdateReport {
  /** Updates on sticks, the newest that can be installed first. */
  offers: Offer[];
}

/** The effect that a file would have on this device. */
export interface CheckedFile {
  path: string;
  version: string;
  installed: string | null;
  /** `same` and `older` are not what most people want. */
  step: 'newer' | 'same' | 'older';
}

export interface UpdatesDeps {
  installer: UpdateInstaller;
  /** Where the state and the file are kept. */
  directory: string;
  clock: Clock;
  logger: Logger;
  wanted(): WantedUpdates | undefined;
  /** The time zone of the lot. */
  timezone(): string;
  /** Wall milliseconds; null: not known. */
  knownTime(): number | null;
  /** Why this is no moment to exchange the software, in words for people; null: it is one. */
  busy(): string | null;
  /** How many vehicles were decided on since the program started. */
  decisions(): number;
  cloud(): boolean;
  radio(): boolean;
  store(): boolean;
  offers: OfferFinder;
}

export interface Updates {
  /** Begins to look. @param onChange called when something has changed that the cloud shall hear soon */
  start(onChange: () => void): void;
  /** The configuration says something else now. */
  wishesChanged(): void;
  view(): UpdateView;
  report(): UpdateReport;
  /** Looks what a file is; null: the newest that was found on a stick. @throws Error that says why it cannot be installed */
  check(path: string | null): Promise<CheckedFile>;
  /** Begins to install a file. @throws like `check`, or because another update is under way */
  install(path: string | null): Promise<CheckedFile>;
  close(): Promise<void>;
}

/** The state that the functions of this file share. */
interface Updating {
  deps: UpdatesDeps;
  onChange(): void;
  startedMs: number;
  closing: AbortController;
  state: UpdateState;
  /** undefined: not known yet; null: this device has no slots. */
  software: InstalledSoftware | null | undefined;
  /** The obstacle to any update. */
  trouble: string | null;
  /** Why the state is not on the disk as it is here; null: it is. */
  unkept: string | null;
  waitsFor: string | null;
  progress: number | null;
  offers: Offer[];
  sticksLookedMs: number;
  workingSinceMs: number | null;
  failedMs: number;
  /** The slot that runs got its tries back. */
  isMarked: boolean;
  /** Ends the fetching of the file; null: none is being fetched. */
  fetching: AbortController | null;
}

export function createUpdates(deps: UpdatesDeps): Updates {
  const { clock, logger } = deps;
  const u: Updating = {
    deps,
    onChange() {},
    startedMs: clock.monotonic(),
    closing: new AbortController(),
    state: FIRST_STATE,
    software: undefined,
    trouble: null,
    unkept: null,
    waitsFor: null,
    progress: null,
    offers: [],
    sticksLookedMs: Number.NEGATIVE_INFINITY,
    workingSinceMs: null,
    failedMs: Number.NEGATIVE_INFINITY,
    isMarked: false,
    fetching: null,
  };
  let running: Promise<void> = Promise.resolve();
  let looking: Timer | null = null;
  const onError = (error: unknown) => {
    if (u.closing.signal.aborted) return;
    const reason = errorText(error);
    if (reason !== u.trouble) logger.error({ err: error }, 'the update cannot go on');
    u.trouble = reason;
  };

  return {
    start(onChange) {
      u.onChange = onChange;
      looking ??= every({ clock, periodMs: LOOK_EVERY_MS, work: () => (running = look(u)), onError });
    },
    wishesChanged() {
      if (u.state.phase !== 'fetching' || u.software === null || u.software === undefined) return;
      const next = stepUpdate(u.state, see(u, u.software)).state;
      if (next.release?.sha256 !== u.state.release?.sha256)
        u.fetching?.abort(new Error('another release is wanted now'));
    },
    report: () => reportOf(u),
    view: () => ({ ...reportOf(u), offers: u.offers }),
    check: (path) => checkFile(u, path),
    async install(path) {
      const file = await checkFile(u, path);
      const { version } = file;
      const release = { version, path: file.path, sha256: await sha256Of(file.path), bytes: statSync(file.path).size };
      const next = offerFile(u.state, release, file.installed);
      u.fetching?.abort(new Error('a person brought another update'));
      set(u, next);
      return file;
    },
    async close() {
      u.closing.abort(new Error('the gateway is stopping'));
      looking?.cancel();
      await running.catch(() => undefined);
    },
  };
}

const statePathOf = ({ directory }: UpdatesDeps) => join(directory, 'state.json');
const fileOf = ({ deps }: Updating, { sha256 }: Pick<PendingRelease, 'sha256'>) =>
  join(deps.directory, `${sha256}.raucb`);

function reportOf({ software, state, progress, waitsFor, trouble, unkept }: Updating): UpdateReport {
  return {
    can_install: software !== null && software !== undefined,
    machine: software?.machine ?? null,
    installed: software?.version ?? null,
    slot: software?.slot ?? null,
    phase: state.phase,
    version: state.release?.version ?? null,
    progress,
    waits_for: waitsFor,
    error: state.error ?? trouble ?? unkept,
  };
}

/**
 * Keeps the state before it counts. On a disk that refuses it counts all the same, and is written as soon as that is possible: after a power cut
 * before that, a step is done again.
 */
function set(u: Updating, next: UpdateState): void {
  if (next === u.state && u.unkept === null) return;
  try {
    writeUpdateState(statePathOf(u.deps), next);
    u.unkept = null;
  } catch (error) {
    const reason = errorText(error);
    if (u.unkept === null) u.deps.logger.error({ err: error }, 'the state of the update cannot be kept');
    u.unkept = `the state of the update cannot be kept: ${reason}`;
  }
  change(u, next);
}

/** Keeps a state without which the other slot would not know what it is. @throws when the disk refuses: it is as it was */
function keep(u: Updating, next: UpdateState): void {
  writeUpdateState(statePathOf(u.deps), next);
  u.unkept = null;
  change(u, next);
}

function change(u: Updating, next: UpdateState): void {
  if (next.phase !== u.state.phase) {
    const { phase, release, error } = next;
    const version = release?.version ?? u.state.release?.version;
    u.deps.logger.info({ phase, release: version, reason: error }, 'the update went on');
  }
  const isNews = next.phase !== u.state.phase || next.error !== u.state.error;
  u.state = next;
  if (isNews) u.onChange();
}

async function look(u: Updating): Promise<void> {
  if (u.closing.signal.aborted) return;
  const software = await begin(u);
  if (software === null) return;
  u.trouble = null;
  await lookForSticks(u, software);
  await markAtStart(u);
  const step = stepUpdate(u.state, see(u, software));
  set(u, step.state);
  u.waitsFor = step.waits_for;
  if (step.act !== null && !u.closing.signal.aborted) await doAct(u, step.act);
}

/** Finds out, once, what this device is and where its update is. @returns null: it has no slots */
async function begin(u: Updating): Promise<InstalledSoftware | null> {
  if (u.software !== undefined) return u.software;
  const found = await u.deps.installer.look();
  if (found !== null) {
    const path = statePathOf(u.deps);
    const kept = readUpdateState(path);
    if (kept === null) u.deps.logger.error({ path }, 'the state of the update is damaged: it begins anew');
    u.state = kept ?? FIRST_STATE;
    set(u, beginUpdate(u.state, found));
  }
  u.software = found;
  u.onChange();
  return found;
}

function see(u: Updating, software: InstalledSoftware): Seen {
  const { deps } = u;
  const nowMs = deps.clock.monotonic();
  const timeMs = deps.knownTime();
  const wanted = deps.wanted();
  const works = { cloud: deps.cloud(), radio: deps.radio(), store: deps.store() };
  if (!isWorking(u.state, works)) u.workingSinceMs = null;
  else u.workingSinceMs ??= nowMs;
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
    startedForMs: nowMs - u.startedMs,
    workingForMs: u.workingSinceMs === null ? 0 : nowMs - u.workingSinceMs,
    failedForMs: nowMs - u.failedMs,
  };
}

async function lookForSticks(u: Updating, software: InstalledSoftware): Promise<void> {
  const { clock, logger } = u.deps;
  if (clock.monotonic() - u.sticksLookedMs < STICKS_EVERY_MS) return;
  u.sticksLookedMs = clock.monotonic();
  u.offers = await u.deps.offers.find(software).catch((error: unknown) => {
    logger.warn({ err: error }, 'what is on the sticks could not be read');
    return [];
  });
}

/** Marks the slot at the start, which uses one of its tries. Software on trial gets them back once it works. */
async function markAtStart(u: Updating): Promise<void> {
  const { deps, state } = u;
  const isProving = state.phase === 'proving' || state.phase === 'activating';
  if (u.isMarked || isProving || !deps.store() || deps.clock.monotonic() - u.startedMs < GOOD_AFTER_MS) return;
  await deps.installer.markGood();
  u.isMarked = true;
}

async function doAct(u: Updating, act: Act): Promise<void> {
  const { installer, logger } = u.deps;
  const { release } = u.state;
  if (release === null) return;
  switch (act) {
    case 'fetch':
      return settle(u, release, { outcome: await outcomeOf(() => fetchRelease(u, release)), after: afterFetch });
    case 'install':
      return settle(u, release, { outcome: await outcomeOf(() => installRelease(u, release)), after: afterInstall });
    case 'activate':
      return activate(u);
    case 'mark_good':
      await installer.markGood();
      u.isMarked = true;
      removeFile(u, release);
      return set(u, proven(u.state));
    case 'mark_bad':
      logger.error(
        { release: release.version, reason: u.state.error },
        'the new software does not work: the one before it comes back',
      );
      await installer.markBad().catch((error: unknown) => logger.error({ err: error }, 'the slot could not be marked'));
      return restart(u);
  }
}

/** Another release may have taken the place of this one meanwhile. */
function settle(
  u: Updating,
  release: PendingRelease,
  { outcome, after }: { outcome: Outcome; after: (state: UpdateState, outcome: Outcome) => UpdateState },
): void {
  const isFurther = u.progress !== null;
  u.progress = null;
  if (u.state.release?.sha256 !== release.sha256 || u.closing.signal.aborted) return;
  if (outcome.kind !== 'done') {
    u.failedMs = u.deps.clock.monotonic();
    u.deps.logger.warn({ release: release.version, reason: outcome.error }, 'the update could not go on');
  }
  set(u, after(u.state, outcome.kind === 'failed' ? { ...outcome, isFurther } : outcome));
  if (u.state.phase === 'failed') removeFile(u, release);
}

/** A disk that became read-only keeps it. */
function removeFile(u: Updating, release: PendingRelease): void {
  try {
    rmSync(fileOf(u, release), { force: true });
  } catch (error) {
    u.deps.logger.warn({ err: error }, 'the file of the update could not be removed');
  }
}

const progressOf = (u: Updating) => (percent: number) => {
  u.progress = percent;
};

/** The address from which RAUC installs by itself; null: the file is brought first. */
const streamOf = ({ state }: Updating, { source }: PendingRelease): string | null =>
  state.is_whole || source.kind !== 'cloud' ? null : source.url;

async function fetchRelease(u: Updating, release: PendingRelease): Promise<void> {
  const url = streamOf(u, release);
  if (url !== null) return void (await requireStream(u, url, release.version));
  u.fetching = new AbortController();
  const signal = AbortSignal.any([u.closing.signal, u.fetching.signal]);
  const path = fileOf(u, release);
  try {
    await fetchBundle({ release, path, onProgress: progressOf(u), signal, clock: u.deps.clock });
  } finally {
    u.fetching = null;
  }
  await requireFit(u, path, release.version);
}

async function installRelease(u: Updating, release: PendingRelease): Promise<void> {
  const url = streamOf(u, release);
  if (url !== null) return installJudged(u, url, await requireStream(u, url, release.version));
  const path = fileOf(u, release);
  // The file may be gone since it was fetched.
  if (statSync(path, { throwIfNoEntry: false }) === undefined) return set(u, { ...u.state, phase: 'fetching' });
  if ((await sha256Of(path)) !== release.sha256) {
    removeFile(u, release);
    throw new WrongFileError('the file that was fetched is not as it came any more: it is fetched again');
  }
  await installJudged(u, path, await requireFit(u, path, release.version));
}

/**
 * Installs a bundle that was judged, and compares what is in the slot then: an address may answer with another file the second time. The slot is
 * not chosen before that. @throws BundleRefused when it is another one
 */
async function installJudged(u: Updating, place: string, judged: BundleInfo): Promise<void> {
  await u.deps.installer.install(place, progressOf(u));
  const written = await u.deps.installer.written();
  // An older RAUC does not say it; then the file is the device's own, and its SHA-256 was compared.
  const isOther =
    judged.manifest_hash === null
      ? written !== null && written.version !== judged.version
      : written?.manifest_hash !== judged.manifest_hash;
  if (isOther)
    throw new BundleRefused(
      `what was installed (${written?.version ?? 'nothing whole'}) is not the bundle that was judged (${judged.version})`,
    );
}

/** @throws BundleRefused also when nobody could say afterwards whether it is what was installed */
async function requireStream(u: Updating, url: string, announced: string): Promise<BundleInfo> {
  const info = await requireFit(u, url, announced);
  if (info.manifest_hash === null)
    throw new BundleRefused('this rauc does not say which bundle it installs: the file is brought whole');
  return info;
}

/** @throws BundleRefused */
async function requireFit(u: Updating, path: string, announced: string | null): Promise<BundleInfo> {
  const info = await u.deps.installer.check(path);
  const { machine, version } = info;
  const own = u.software?.machine ?? '';
  if (machine !== own) throw new BundleRefused(`it is for ${machine}, and this device is ${own}`);
  const problem = problemOf(u.state, version);
  if (problem !== null) throw new BundleRefused(problem);
  if (announced !== null && announced !== version)
    throw new BundleRefused(`its signature says version ${version}, and ${announced} was announced`);
  return info;
}

async function activate(u: Updating): Promise<void> {
  const { deps } = u;
  keep(u, activating(u.state, { cloud: deps.cloud(), radio: deps.radio() }));
  try {
    await deps.installer.choose();
    keep(u, chosen(u.state));
  } catch (error) {
    return set(u, notActivated(u.state, errorText(error)));
  }
  // A vehicle may have come meanwhile.
  if (deps.busy() !== null) return set(u, notActivated(u.state, null));
  await restart(u);
}

/** The restart ends this program. @throws the reason of the end */
async function restart(u: Updating): Promise<void> {
  const { installer, clock, logger } = u.deps;
  try {
    await installer.restart();
    await sleep(clock, RESTART_WITHIN_MS, u.closing.signal);
    throw new Error('the device was told to start anew and did not: is parking-restart.path enabled?');
  } catch (error) {
    u.closing.signal.throwIfAborted();
    logger.error({ err: error }, 'the device does not start anew');
    set(u, notActivated(u.state, errorText(error)));
  }
}

async function checkFile(u: Updating, path: string | null): Promise<CheckedFile> {
  const { software, offers, trouble } = u;
  if (software === null) throw new Error('this device has no slots to install into: its software is updated by apt');
  if (software === undefined) throw new Error(trouble ?? 'the gateway has only just started: try again in a moment');
  const file = path ?? offers.find(({ version }) => version !== null)?.path;
  if (file === undefined) throw new Error(noOffer(offers));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Error(`${file} is no file that the gateway can read: put it where its user may`);
  const { version } = await requireFit(u, file, null).catch((error: unknown) => {
    throw new Error(`${file}: ${errorText(error)}`, { cause: error });
  });
  const order = compareVersions(version, software.version ?? '');
  return {
    path: file,
    version,
    installed: software.version,
    step: order > 0 ? 'newer' : order < 0 ? 'older' : 'same',
  };
}

function noOffer(offers: readonly Offer[]): string {
  if (offers.length === 0) return 'no stick with an update was found: name the file';
  const reasons = offers.map(({ path, problem }) => `${path}: ${problem}`).join('; ');
  return `no update on a stick can be installed (${reasons})`;
}

/** Does one step. A step that ends by another release, or by the end of the program, has not failed. */
async function outcomeOf(work: () => Promise<void>): Promise<Outcome> {
  try {
    await work();
    return { kind: 'done' };
  } catch (error) {
    const kind = error instanceof BundleRefused ? 'refused' : error instanceof WrongFileError ? 'wrong_file' : 'failed';
    return { kind, error: errorText(error) };
  }
}
