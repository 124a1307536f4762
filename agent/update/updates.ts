/** Brings the device from one release to the next: looks what `update-machine.ts` says, and has it done. */
import { statSync } from 'node:fs';
import { every, type Timer } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { Logger } from '../../shared/logger.js';
import type { UpdateReport } from '../../shared/releases.js';
import { compareVersions } from '../../shared/version-order.js';
import { type BundleJudge, createBundleJudge } from './bundle-judge.js';
import { sha256Of } from './fetch-bundle.js';
import type { Offer, OfferFinder } from './find-offers.js';
import { createKeptUpdateState } from './kept-update-state.js';
import { createReleaseBringer } from './release-bringer.js';
import { createUpdateActs } from './update-acts.js';
import { type InstalledSoftware, offerFile, requireNoneUnderWay, stepUpdate } from './update-machine.js';
import { createUpdateSight, type UpdateSightDeps } from './update-sight.js';

const LOOK_EVERY_MS = 5_000;
const STICKS_EVERY_MS = 15_000;
const FIRST_MINUTE = 'the first minute after its start';

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

export interface UpdatesDeps extends UpdateSightDeps {
  /** Where the state and the file are kept. */
  directory: string;
  logger: Logger;
  offers: OfferFinder;
}

export interface Updates {
  /** Begins to look. @param onChange called when something has changed that the cloud shall hear soon */
  start(onChange: () => void): void;
  /** The configuration says something else now. */
  wishesChanged(): void;
  /** null: nothing is known before the first look. */
  view(): UpdateView | null;
  /** undefined: nothing is known before the first look. */
  report(): UpdateReport | undefined;
  /** Looks what a file is; null: the newest that was found on a stick. @throws Error that says why it cannot be installed */
  check(path: string | null): Promise<CheckedFile>;
  /** Begins to install a file. @throws like `check`, or because another update is under way */
  install(path: string | null): Promise<CheckedFile>;
  close(): Promise<void>;
}

export function createUpdates(deps: UpdatesDeps): Updates {
  const closing = new AbortController();
  let onChange = () => {};
  let looking: Timer | null = null;
  let running: Promise<void> = Promise.resolve();
  const { kept, bringer, sight, looks, sticks, judge } = compose(deps, closing.signal, () => onChange());

  const report = (): UpdateReport | undefined => {
    const software = looks.software();
    const trouble = looks.trouble();
    if (software === undefined && trouble === null) return undefined;
    const { phase, release, error } = kept.now();
    return {
      // RAUC that does not answer has slots.
      can_install: software !== null,
      machine: software?.machine ?? null,
      installed: software?.version ?? null,
      slot: software?.slot ?? null,
      phase,
      version: release?.version ?? null,
      progress: bringer.progress(),
      waits_for: looks.waitsFor(),
      error: error ?? trouble ?? kept.problem(),
    };
  };
  const check = async (path: string | null) => {
    // RAUC looks at no bundle while it installs one.
    requireNoneUnderWay(kept.now());
    return checkFile(path, { judge, software: looks.software(), offers: sticks.offers(), trouble: looks.trouble() });
  };

  return {
    start(listener) {
      onChange = listener;
      const { clock } = deps;
      const work = () => (running = looks.look());
      looking ??= every({ clock, periodMs: LOOK_EVERY_MS, work, onError: looks.noteTrouble });
    },
    wishesChanged() {
      const software = looks.software();
      if (kept.now().phase !== 'fetching' || software === null || software === undefined) return;
      const next = stepUpdate(kept.now(), sight.see(kept.now(), software)).state;
      if (next.release?.sha256 !== kept.now().release?.sha256) bringer.stopFetching('another release is wanted now');
    },
    report,
    view() {
      const known = report();
      return known === undefined ? null : { ...known, offers: sticks.offers() };
    },
    check,
    async install(path) {
      const file = await check(path);
      const { version } = file;
      const release = { version, path: file.path, sha256: await sha256Of(file.path), bytes: statSync(file.path).size };
      const next = offerFile(kept.now(), release, file.installed);
      bringer.stopFetching('a person brought another update');
      kept.set(next);
      return file;
    },
    async close() {
      closing.abort(new Error('the gateway is stopping'));
      looking?.cancel();
      await running.catch(() => undefined);
    },
  };
}

function compose(deps: UpdatesDeps, closing: AbortSignal, onChange: () => void) {
  const { installer, clock, logger, directory } = deps;
  const kept = createKeptUpdateState({ directory, logger, onChange });
  const judge = createBundleJudge({ installer, machine: () => looks.software()?.machine ?? '', state: kept.now });
  const bringer = createReleaseBringer({ installer, judge, kept, directory, clock, logger, closing });
  const sight = createUpdateSight(deps);
  const acts = createUpdateActs({ deps, kept, bringer, sight, closing });
  const sticks = createSticks(deps);
  const looks: Looks = createLooks(deps, { kept, sight, acts, sticks, closing, onChange });
  return { kept, judge, bringer, sight, sticks, looks };
}

interface LookParts {
  kept: ReturnType<typeof createKeptUpdateState>;
  sight: ReturnType<typeof createUpdateSight>;
  acts: ReturnType<typeof createUpdateActs>;
  sticks: ReturnType<typeof createSticks>;
  closing: AbortSignal;
  onChange(): void;
}

type Looks = ReturnType<typeof createLooks>;

/** Finds out how far the update is and which step comes next, and knows the slots of this device. */
function createLooks({ installer, logger }: UpdatesDeps, { kept, sight, acts, sticks, closing, onChange }: LookParts) {
  /** undefined: not known yet; null: this device has no slots. */
  let software: InstalledSoftware | null | undefined;
  /** The reason why no update is possible. */
  let trouble: string | null = null;
  let waitsFor: string | null = null;

  /** Finds out, once, which slots this device has and how far its update is. @returns null: it has none */
  async function begin(): Promise<InstalledSoftware | null> {
    if (software !== undefined) return software;
    const found = await installer.look();
    if (found !== null) acts.begin(found);
    software = found;
    onChange();
    return found;
  }

  return {
    software: () => software,
    trouble: () => trouble,
    waitsFor: () => waitsFor,
    async look(): Promise<void> {
      if (closing.aborted) return;
      const found = await begin();
      if (found === null) return;
      trouble = null;
      await sticks.look(found);
      await acts.markAtStart();
      const step = stepUpdate(kept.now(), sight.see(kept.now(), found));
      kept.set(step.state);
      waitsFor = step.waits_for;
      if (step.act === null || closing.aborted) return;
      // The slot that runs is good first: to fetch and to install may take an hour, in which it would be started anew (parking-trial), and the
      // slot that is left for another one is the one that comes back.
      if (step.act !== 'mark_good' && step.act !== 'mark_bad' && acts.isStarting()) waitsFor = FIRST_MINUTE;
      else await acts.act(step.act);
    },
    noteTrouble(error: unknown): void {
      if (closing.aborted) return;
      const reason = errorText(error);
      if (reason !== trouble) logger.error({ err: error }, 'the update cannot go on');
      trouble = reason;
    },
  };
}

/** Keeps the offers of the sticks, as they were found last. */
function createSticks({ clock, logger, offers: finder }: UpdatesDeps) {
  let offers: Offer[] = [];
  let lookedMs = Number.NEGATIVE_INFINITY;
  return {
    offers: () => offers,
    async look(software: InstalledSoftware): Promise<void> {
      if (clock.monotonic() - lookedMs < STICKS_EVERY_MS) return;
      lookedMs = clock.monotonic();
      offers = await finder.find(software).catch((error: unknown) => {
        logger.warn({ err: error }, 'what is on the sticks could not be read');
        return [];
      });
    },
  };
}

interface FileFacts {
  judge: BundleJudge;
  software: InstalledSoftware | null | undefined;
  offers: readonly Offer[];
  trouble: string | null;
}

async function checkFile(path: string | null, { judge, software, offers, trouble }: FileFacts): Promise<CheckedFile> {
  if (software === null)
    throw new Error(
      'this device has no slots to install into: whoever installed its software updates it (a package: apt)',
    );
  if (software === undefined) throw new Error(trouble ?? 'the gateway has only just started: try again in a moment');
  const file = path ?? offers.find(({ version }) => version !== null)?.path;
  if (file === undefined) throw new Error(noOffer(offers));
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Error(`${file} is no file that the gateway can read: put it where its user may`);
  const { version } = await judge.requireFit(file, null).catch((error: unknown) => {
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
