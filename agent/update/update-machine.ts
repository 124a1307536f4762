/**
 * The way of a release from its announcement until it has shown that it works, or the former one runs again. Pure: the
 * runner (`updates.ts`) keeps the state, reports what it sees, performs the steps and reports their outcome.
 */
import type { UpdatePhase, WantedRelease, WantedUpdates } from '../../shared/releases.js';
import { compareVersions } from '../../shared/version-order.js';

export interface InstalledSoftware {
  /** For which bundles it is: RAUC's `compatible`. */
  machine: string;
  /** The slot that runs. */
  slot: string;
  /** The release in it; null: it does not say. */
  version: string | null;
  /** The slot that does not run; null: it is not known. */
  other: { version: string | null /** Its tries are used up, or it was marked so. */; is_bad: boolean } | null;
}

/** How long new software may take until it has shown that it works. */
export const PROVE_WITHIN_MS = 30 * 60_000;
/** Where nothing comes that has to be decided, this long without a fault is enough. */
export const QUIET_PROOF_MS = 10 * 60_000;
/** How often the program may start anew before new software counts as one that does not work. */
const STARTS_MAX = 5;
const INSTALL_TRIES_MAX = 3;
const STREAM_TRIES_MAX = 3;
const WRONG_FILES_MAX = 2;
const FILE_TRIES_MAX = 3;
const REFUSED_KEPT = 20;
const RETRY_MIN_MS = 60_000;
const RETRY_MAX_MS = 60 * 60_000;

export interface PendingRelease {
  version: string;
  /** The hash of the file, hex. */
  sha256: string;
  bytes: number;
  security_floor: string | null;
  /** Where it comes from: an address of the cloud, or a file that a person named. */
  source: { kind: 'cloud'; url: string } | { kind: 'file'; path: string };
}

/** The state that is kept over every restart. */
export interface UpdateState {
  phase: UpdatePhase;
  /** The release that the phase is about; null: idle. */
  release: PendingRelease | null;
  error: string | null;
  /** How often the step of this phase failed. */
  tries: number;
  /** `asked_ms` of the configuration that was heeded last. */
  asked_ms: number;
  /** A person asked for it: it does not wait for the lot's hours. */
  is_asked: boolean;
  /** The parts that worked before the activation, and have to work again. */
  before: { cloud: boolean; radio: boolean };
  /** The device will start from the new slot. */
  is_chosen: boolean;
  /** The file is brought whole before it is installed; else RAUC fetches the parts that the device has not, while it installs. */
  is_whole: boolean;
  /** How often the program started with the software that has to prove itself. */
  starts: number;
  /** Releases by their hash that are not tried again until a person asks. */
  refused: string[];
  /** Nothing older than this version is installed. */
  floor: string | null;
  /** The version that a person or the boot loader replaced by an older one: nothing up to it returns by itself. */
  held: string | null;
}

export const FIRST_STATE: UpdateState = {
  phase: 'idle',
  release: null,
  error: null,
  tries: 0,
  asked_ms: 0,
  is_asked: false,
  before: { cloud: false, radio: false },
  is_chosen: false,
  is_whole: true,
  starts: 0,
  refused: [],
  floor: null,
  held: null,
};

/** The observations of the runner. Durations are of the monotonic clock. */
export interface Seen {
  software: InstalledSoftware;
  wanted: WantedUpdates | undefined;
  /** Why this is no moment to exchange the software; null: nothing moves and nobody waits. */
  busy: string | null;
  /** Whether a release can be installed from its address. */
  streams: boolean;
  /** Whether the lot's hours allow it now. */
  isHour: boolean;
  cloud: boolean;
  radio: boolean;
  store: boolean;
  /** Whether the time is known: signatures have one. */
  isClockKnown: boolean;
  /** How many vehicles were decided on since the program started. */
  decisions: number;
  startedForMs: number;
  /** For how long everything has worked that has to work (`isWorking`). */
  workingForMs: number;
  /** How long ago the last step failed. */
  failedForMs: number;
}

/** The next act. */
export type Act = 'fetch' | 'install' | 'activate' | 'mark_good' | 'mark_bad';

export interface Step {
  state: UpdateState;
  act: Act | null;
  /** The thing that it waits for, in words for people. */
  waits_for: string | null;
}

/** Says where the update is after the program has started. */
export function beginUpdate(state: UpdateState, software: InstalledSoftware): UpdateState {
  const { phase, release } = state;
  if (release === null) return withoutUpdate(state, software);
  const runsIt = software.version === release.version;
  // Somebody may have chosen its slot by hand.
  if (runsIt && (phase === 'failed' || phase === 'fallen_back')) return idle(state);
  if (phase === 'proving') return runsIt ? { ...state, starts: state.starts + 1 } : fallenBack(state, software);
  if (phase !== 'ready' && phase !== 'activating') return state;
  if (runsIt) return { ...state, phase: 'proving', starts: 1, tries: 0, error: null };
  if (phase === 'ready') return state;
  // The power may have gone before the slot was chosen.
  return state.is_chosen ? fallenBack(state, software) : { ...state, phase: 'ready' };
}

/** No update is under way: where the other slot holds newer software, a person or the boot loader has put this in its place. */
function withoutUpdate(state: UpdateState, { version, other }: InstalledSoftware): UpdateState {
  const before = other?.version ?? null;
  const next: UpdateState = { ...state, phase: 'idle', error: null };
  if (before === null || version === null || compareVersions(before, version) <= 0) return next;
  const held = newer(state.held, before);
  if (other?.is_bad !== true) return { ...next, held };
  return { ...next, held, phase: 'fallen_back', error: `${before} did not start any more; ${version} runs again` };
}

/** The newer one of two versions; null: neither is known. */
function newer(one: string | null, other: string | null): string | null {
  return compareVersions(one ?? '', other ?? '') < 0 ? other : one;
}

/** Says what is to be done now. */
export function stepUpdate(before: UpdateState, seen: Seen): Step {
  const state = withHold(withWishes(before, seen), seen);
  const wait = (waits_for: string | null): Step => ({ state, act: null, waits_for });
  const act = (next: Act): Step => ({ state, act: next, waits_for: null });
  switch (state.phase) {
    case 'idle':
    case 'failed':
    case 'fallen_back':
      return wait(heldBack(state, seen));
    case 'activating':
      // The runner ends an activation before it asks again: this one's end could not be kept.
      return stepUpdate(notActivated(state, null), seen);
    case 'fetching':
    case 'installing': {
      const waitsMs = state.tries === 0 ? 0 : Math.min(RETRY_MIN_MS * 2 ** (state.tries - 1), RETRY_MAX_MS);
      if (seen.failedForMs < waitsMs) return wait('the next try');
      if (!seen.isClockKnown) return wait('the time, which this device does not know yet');
      return act(state.phase === 'fetching' ? 'fetch' : 'install');
    }
    case 'ready': {
      if (seen.wanted?.is_paused === true && state.release?.source.kind === 'cloud')
        return wait('updates of this gateway are paused');
      if (!seen.isHour && !state.is_asked) return wait("the lot's hours for updates");
      return seen.busy === null ? act('activate') : wait(seen.busy);
    }
    case 'proving':
      return proving(state, seen);
  }
}

function proving(state: UpdateState, seen: Seen): Step {
  if (state.starts > STARTS_MAX || (seen.startedForMs >= PROVE_WITHIN_MS && !isProven(state, seen)))
    return { state: { ...state, error: whyUnproven(state, seen) }, act: 'mark_bad', waits_for: null };
  if (isProven(state, seen)) return { state, act: 'mark_good', waits_for: null };
  return { state, act: null, waits_for: whyUnproven(state, seen) };
}

/** Says whether everything works that worked before. */
export function isWorking(
  { before }: Pick<UpdateState, 'before'>,
  { cloud, radio, store }: Pick<Seen, 'cloud' | 'radio' | 'store'>,
): boolean {
  return store && (cloud || !before.cloud) && (radio || !before.radio);
}

function isProven(state: UpdateState, seen: Seen): boolean {
  return isWorking(state, seen) && (seen.decisions > 0 || seen.workingForMs >= QUIET_PROOF_MS);
}

function whyUnproven(state: UpdateState, seen: Seen): string {
  if (state.starts > STARTS_MAX) return `the program ended ${STARTS_MAX} times`;
  if (!seen.store) return 'the database does not take what is recorded';
  if (!seen.cloud && state.before.cloud) return 'the cloud is not reached';
  if (!seen.radio && state.before.radio) return 'the Bluetooth adapter does not work';
  return 'a vehicle that is decided on, or ten quiet minutes';
}

/** Explains in words for people why the release that the cloud wants does not come by itself; null: there is none. */
function heldBack({ held }: UpdateState, { wanted, software }: Seen): string | null {
  const version = wantedFor(wanted, software)?.version;
  if (version === undefined || held === null || compareVersions(version, held) > 0) return null;
  if (compareVersions(software.version ?? '', version) >= 0) return null;
  return `${version} was taken back: it waits for a newer one, or for somebody who asks for it`;
}

/** Holds a person's release until there is something newer than was known then. */
function withHold(state: UpdateState, { wanted, software }: Seen): UpdateState {
  const { release, held } = state;
  if (release?.source.kind !== 'file' || held !== null || !(isUnderWay(state.phase) || state.phase === 'proving'))
    return state;
  return { ...state, held: newer(release.version, wantedFor(wanted, software)?.version ?? null) };
}

const wantedFor = (wanted: WantedUpdates | undefined, { machine }: InstalledSoftware): WantedRelease | undefined =>
  wanted?.releases.find((release) => release.machine === machine);

/** Heeds what the cloud wants and people asked for, in the phases in which nothing is lost by it. */
function withWishes(state: UpdateState, { wanted, software, streams }: Seen): UpdateState {
  if (wanted === undefined || state.phase === 'activating' || state.phase === 'proving') return state;
  let next = state;
  if (wanted.asked_ms > state.asked_ms) {
    next = { ...next, asked_ms: wanted.asked_ms, is_asked: true, tries: 0, refused: [], held: null };
    if (next.phase === 'failed' || next.phase === 'fallen_back') next = idle(next);
  }
  // A person's release goes before that of the cloud.
  if (next.release?.source.kind === 'file' && isUnderWay(next.phase)) return next;
  const release = wantedFor(wanted, software);
  if (release === undefined || !isNews(next, release, software)) {
    const isWithdrawn = next.release?.sha256 !== release?.sha256;
    return next.phase === 'fetching' && isWithdrawn ? idle(next) : next;
  }
  if (wanted.is_paused && !isUnderWay(next.phase)) return next;
  if (next.release?.sha256 === release.sha256 && isUnderWay(next.phase)) {
    // The key in the address may be another one now.
    return { ...next, release: { ...next.release, source: { kind: 'cloud', url: release.url } } };
  }
  return next.phase === 'installing' ? next : startOf(next, release, streams);
}

const isUnderWay = (phase: UpdatePhase) => phase === 'fetching' || phase === 'installing' || phase === 'ready';

function isNews(state: UpdateState, release: WantedRelease, software: InstalledSoftware): boolean {
  return (
    compareVersions(software.version ?? '', release.version) < 0 &&
    (state.held === null || compareVersions(release.version, state.held) > 0) &&
    !state.refused.includes(release.sha256) &&
    problemOf(state, release.version) === null
  );
}

function startOf(state: UpdateState, wanted: WantedRelease, streams: boolean): UpdateState {
  const { version, sha256, bytes, url, security_floor } = wanted;
  const release = { version, sha256, bytes, security_floor, source: { kind: 'cloud', url } } as const;
  return { ...begun(state, release), is_whole: !streams };
}

function begun(state: UpdateState, release: PendingRelease): UpdateState {
  const { error, tries, is_chosen, is_whole, starts } = FIRST_STATE;
  return { ...state, phase: 'fetching', release, error, tries, is_chosen, is_whole, starts };
}

/** Says why a version is not installed; null: it may be. */
export function problemOf({ floor }: Pick<UpdateState, 'floor'>, version: string): string | null {
  if (floor === null || compareVersions(version, floor) >= 0) return null;
  return `${version} is older than ${floor}, and what is older than that has a known weakness: it is not installed any more`;
}

/** @throws Error while an update can no longer be replaced by another one */
export function requireNoneUnderWay({ phase, release }: UpdateState): void {
  if (phase === 'installing' || phase === 'activating' || phase === 'proving')
    throw new Error(`the update to ${release?.version ?? 'another version'} is under way (${phase}): wait for its end`);
}

/**
 * Begins with a file that a person named, instead of anything else.
 * @param installed what runs: where the file is older, it does not come back by itself. The wishes of the cloud are heeded at the next step
 * @throws Error that says why it cannot be begun now
 */
export function offerFile(
  state: UpdateState,
  file: Omit<PendingRelease, 'source' | 'security_floor'> & { path: string },
  installed: string | null = null,
): UpdateState {
  const { path, ...release } = file;
  requireNoneUnderWay(state);
  const problem = problemOf(state, file.version);
  if (problem !== null) throw new Error(problem);
  const refused = state.refused.filter((sha256) => sha256 !== file.sha256);
  const isOlder = compareVersions(file.version, installed ?? '') < 0;
  return {
    ...begun(
      { ...state, refused, held: isOlder ? installed : null },
      { ...release, security_floor: null, source: { kind: 'file', path } },
    ),
    is_asked: true,
  };
}

/** The outcome of an act. `refused`: no other try would do it. `isFurther`: a part of the file came before it failed. */
export type Outcome =
  | { kind: 'done' }
  | { kind: 'failed'; error: string; isFurther?: boolean }
  | { kind: 'wrong_file' | 'refused'; error: string };

export function afterFetch(state: UpdateState, outcome: Outcome): UpdateState {
  if (state.phase !== 'fetching') return state;
  if (outcome.kind === 'done') return { ...state, phase: 'installing', tries: 0, error: null };
  // A file may be damaged on the way once; another time it is the one that was published.
  if (!state.is_whole) return unstreamed(state, outcome);
  // A stick that was pulled out does not come back by itself.
  const isGone = state.release?.source.kind === 'file' && state.tries + 1 >= FILE_TRIES_MAX;
  const isLast =
    outcome.kind === 'refused' || (outcome.kind === 'wrong_file' && state.tries + 1 >= WRONG_FILES_MAX) || isGone;
  if (isLast) return given(state, 'failed', outcome.error);
  const isFurther = outcome.kind === 'failed' && outcome.isFurther === true;
  return { ...state, tries: isFurther ? 1 : state.tries + 1, error: outcome.error };
}

export function afterInstall(state: UpdateState, outcome: Outcome): UpdateState {
  if (state.phase !== 'installing') return state;
  if (outcome.kind === 'done') return { ...state, phase: 'ready', tries: 0, error: null };
  if (!state.is_whole) return unstreamed(state, outcome);
  const isLast = outcome.kind === 'refused' || state.tries + 1 >= INSTALL_TRIES_MAX;
  return isLast ? given(state, 'failed', outcome.error) : { ...state, tries: state.tries + 1, error: outcome.error };
}

/** A link that breaks again and again lets no installation through; and what RAUC refuses may have been damaged on the way. */
function unstreamed(state: UpdateState, outcome: Exclude<Outcome, { kind: 'done' }>): UpdateState {
  const { error } = outcome;
  const isOver = outcome.kind !== 'failed' || state.tries + 1 >= STREAM_TRIES_MAX;
  return isOver
    ? { ...state, phase: 'fetching', is_whole: true, tries: 0, error }
    : { ...state, tries: state.tries + 1, error };
}

/** The device is about to be started from the other slot. */
export const activating = (state: UpdateState, before: UpdateState['before']): UpdateState => ({
  ...state,
  phase: 'activating',
  before,
  is_chosen: false,
  error: null,
});

export const chosen = (state: UpdateState): UpdateState => ({ ...state, is_chosen: true });

/** It did not come to the restart. */
export const notActivated = (state: UpdateState, error: string | null): UpdateState =>
  state.phase === 'activating' ? { ...state, phase: 'ready', error } : state;

/** The software has shown that it works. */
export function proven(state: UpdateState): UpdateState {
  const { release, floor } = state;
  if (state.phase !== 'proving' || release === null) return state;
  const next = release.security_floor;
  return { ...idle(state), floor: next !== null && compareVersions(floor ?? '', next) < 0 ? next : floor };
}

const idle = (state: UpdateState): UpdateState => ({
  ...state,
  phase: 'idle',
  release: null,
  error: null,
  tries: 0,
  is_chosen: false,
  is_asked: state.phase === 'failed' || state.phase === 'fallen_back' ? state.is_asked : false,
  starts: 0,
});

function given(state: UpdateState, phase: 'failed' | 'fallen_back', error: string): UpdateState {
  const sha256 = state.release?.sha256;
  const refused = sha256 === undefined ? state.refused : [...state.refused.filter((each) => each !== sha256), sha256];
  return { ...state, phase, error, tries: 0, is_asked: false, is_chosen: false, refused: refused.slice(-REFUSED_KEPT) };
}

function fallenBack(state: UpdateState, { version }: InstalledSoftware): UpdateState {
  const why = state.error ?? 'it did not start, or did not come to work';
  return given(state, 'fallen_back', `${why}; ${version ?? 'the software before it'} runs again`);
}
