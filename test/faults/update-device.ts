/** A device with two slots whose software is updated: slots, state and bundle are in one folder, and time passes as fast as its work. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from '../../agent/commissioning/whole-file.js';
import { createOfferFinder } from '../../agent/update/find-offers.js';
import { createUpdates } from '../../agent/update/updates.js';
import { silentLogger } from '../../shared/logger.js';
import type { WantedRelease } from '../../shared/releases.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { type KeptSlots, Slots } from '../devices/slots.js';
import { FakeClock } from '../world/fake-clock.js';

export const OLD = '1.0.0';
export const NEW = '1.1.0';
const MACHINE = 'parking-gateway-arm64';
const LOOK_EVERY_MS = 5_000;
/** One that is updated starts twice; one whose new software does not start, or that is cut off, once or twice more. */
const STARTS_MAX = 6;

export interface UpdateDeviceOptions {
  disk: string;
  url: string;
  sha256: string;
  bytes: number;
  /** Whether the new software does not start. */
  isBroken: boolean;
  /** Whether RAUC installs from the address. */
  streams: boolean;
}

/** The end of an update on a device that has power. */
export interface Ended {
  phase: string | undefined;
  installed: string | null | undefined;
  slot: string | null | undefined;
  error: string | null | undefined;
  /** What ran at first. */
  began: string | null;
  /** What was asked of the slots. */
  asked: string[];
}

export const updateFolder = (disk: string): string => join(disk, 'update');
const slotsFile = (disk: string): string => join(disk, 'slots.json');

/** Gives the device power until nothing more happens. @throws when that does not come about */
export async function runUpdateDevice(options: UpdateDeviceOptions): Promise<Ended> {
  const { disk, streams, isBroken } = options;
  const slots = new Slots(
    (place) => bundleAt(place, options),
    keptSlots(disk),
    (kept) => writeWhole(slotsFile(disk), JSON.stringify(kept)),
  );
  slots.streams = streams;
  if (isBroken) slots.broken.add(NEW);
  let began: string | null | undefined;
  for (let starts = 0; starts < STARTS_MAX; starts += 1) {
    slots.start();
    began ??= slots.version;
    const report = await runOnce(slots, options);
    if (slots.wantsRestart) continue;
    const { phase, installed, slot, error } = report ?? {};
    return { phase, installed, slot, error, began, asked: slots.asked };
  }
  throw new Error(`it starts anew without end: ${slots.asked.join(', ')}`);
}

/** Runs the room of updates from one start of the device to the next, or to the end. */
async function runOnce(slots: Slots, { disk, url, sha256, bytes }: UpdateDeviceOptions) {
  const clock = new FakeClock();
  const release: WantedRelease = { machine: MACHINE, version: NEW, sha256, bytes, url, security_floor: null };
  const updates = createUpdates({
    installer: slots,
    directory: updateFolder(disk),
    clock,
    logger: silentLogger,
    wanted: () => ({ is_paused: false, hours: null, asked_ms: 0, releases: [release] }),
    timezone: () => 'UTC',
    knownTime: () => clock.now(),
    busy: () => null,
    moves: () => null,
    // A vehicle comes at once: the software that decides on it has shown that it works.
    decisions: () => 1,
    cloud: () => true,
    radio: () => true,
    store: () => true,
    offers: createOfferFinder({ installer: slots, mountTable: async () => '' }),
  });
  updates.start(() => undefined);
  const hasEnded = () => {
    const { phase, installed } = updates.report() ?? {};
    return phase === 'fallen_back' || phase === 'failed' || (phase === 'idle' && installed === NEW);
  };
  try {
    await waitUntil('the update to end', async () => {
      // Bytes and files need real time: the clock goes on only while nothing is waited for but the next look.
      for (let looks = 0; looks < 100 && !hasEnded() && !slots.wantsRestart; looks += 1) {
        const next = clock.nextIn;
        if (next === null || next > LOOK_EVERY_MS) break;
        await clock.advance(LOOK_EVERY_MS);
      }
      return hasEnded() || slots.wantsRestart;
    });
    // What has ended stays so, and a device that has not shown that it starts is good after its first minute.
    if (!slots.wantsRestart) await clock.advance(2 * 60_000);
    return updates.report();
  } finally {
    await updates.close();
  }
}

function keptSlots(disk: string): KeptSlots | undefined {
  try {
    return JSON.parse(readFileSync(slotsFile(disk), 'utf8')) as KeptSlots;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Judges a bundle as RAUC does: a file that is not whole is none. */
function bundleAt(place: string, { url, sha256 }: UpdateDeviceOptions) {
  const isWhole = place === url || createHash('sha256').update(readFileSync(place)).digest('hex') === sha256;
  return isWhole ? { machine: MACHINE, version: NEW } : undefined;
}
