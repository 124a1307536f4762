/**
 * Releases of the gateway's software, as cloud and gateway speak of them. A release is a bundle of system and application that RAUC installs
 * into the slot that is not used: it is signed, and each device checks that by itself.
 */
import { z } from 'zod';
import { epochMs, textSchema } from './uplink-bounds.js';
import { VERSION_LENGTH_MAX, VERSION_PATTERN } from './version-order.js';

/** How many releases one gateway is told of: one for each kind of device. */
const WANTED_MAX = 16;
const MINUTES_OF_DAY = 24 * 60;

const minuteSchema = z
  .number()
  .int()
  .min(0)
  .max(MINUTES_OF_DAY - 1);

export const wantedReleaseSchema = z.object({
  /** RAUC's `compatible`: a gateway takes no notice of releases for other devices. */
  machine: z.string(),
  version: z.string().max(VERSION_LENGTH_MAX).regex(VERSION_PATTERN),
  /** The hash of the whole file, hex. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  bytes: z.number().int().positive(),
  /** Where the gateway fetches it; nobody else is told this address. */
  url: z.string(),
  /** Once it has this release, a gateway installs nothing older than this version. */
  security_floor: z.string().nullable(),
});
export type WantedRelease = z.infer<typeof wantedReleaseSchema>;

/**
 * In the gateway's configuration: the release that it shall install, and when it may. Left out: none, and no time was
 * given.
 */
export const wantedUpdatesSchema = z.object({
  /** No update is begun. */
  is_paused: z.boolean(),
  /** Between which minutes of the lot's day software may be exchanged, the end not included; it may go over midnight. null: at any time. */
  hours: z.object({ from: minuteSchema, to: minuteSchema }).nullable(),
  /** When somebody last asked for an update without waiting for these hours, and for another try of what failed; 0: never. */
  asked_ms: epochMs,
  releases: z.array(wantedReleaseSchema).max(WANTED_MAX),
});
export type WantedUpdates = z.infer<typeof wantedUpdatesSchema>;

/**
 * How far an update is. `fetching`: its file is on the way. `installing`: it is written into the slot that is not used.
 * `ready`: that is done, and it waits for a quiet moment. `activating`: the device is about to start anew. `proving`:
 * the new software runs, and has not shown yet that it works. `failed`: it was not installed; the software that ran
 * goes on. `fallen_back`: it did not work, and the one before runs again.
 */
export const UPDATE_PHASES = [
  'idle',
  'fetching',
  'installing',
  'ready',
  'activating',
  'proving',
  'failed',
  'fallen_back',
] as const;
export type UpdatePhase = (typeof UPDATE_PHASES)[number];

const REASON_LENGTH_MAX = 500;
const SLOT_LENGTH_MAX = 32;
const reasonSchema = textSchema(REASON_LENGTH_MAX).nullable();
const versionSchema = textSchema(VERSION_LENGTH_MAX).nullable();

/** The state of a gateway's software, as it reports it. */
export const updateReportSchema = z.object({
  /** false: it has no slots to install into (our .deb on somebody's own system, updated by apt). */
  can_install: z.boolean(),
  /** RAUC's `compatible` of the device. */
  machine: textSchema(100).nullable(),
  /** The release that runs, and in which slot. */
  installed: versionSchema,
  slot: textSchema(SLOT_LENGTH_MAX).nullable(),
  phase: z.enum(UPDATE_PHASES),
  /** The release that the phase is about. */
  version: versionSchema,
  /** The progress of the file, or of the installation, in percent. */
  progress: z.number().int().min(0).max(100).nullable(),
  /** The thing that it waits for, in words for people. */
  waits_for: reasonSchema,
  /** Why it failed or fell back, or what stands in its way. */
  error: reasonSchema,
});
export type UpdateReport = z.infer<typeof updateReportSchema>;
