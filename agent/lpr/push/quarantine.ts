/**
 * Keeps pushes that could not be parsed, so that a person can find out why. The folder is bounded, for each camera and in all. The oldest
 * push of the camera that holds most is removed first, so that a noisy camera never pushes out the pushes of others. Writes are bounded
 * too, because a memory card wears out.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { Logger } from '../../../shared/logger.js';
import { MINUTE_MS } from '../../../shared/durations.js';

const LIMITS: QuarantineLimits = {
  pushesMax: 100,
  pushesPerCameraMax: 20,
  bytesMax: 20 * 1024 * 1024,
  bytesPerCameraMax: 4 * 1024 * 1024,
  /** The beginning of a push shows why it could not be parsed; pictures follow it. */
  bodyBytesMax: 256 * 1024,
};
const CONTENT_TYPE_LENGTH_MAX = 256;
const WRITES_PER_MINUTE_MAX = 24;
const WRITES_PER_CAMERA_MAX = 6;

export interface QuarantineLimits {
  pushesMax: number;
  pushesPerCameraMax: number;
  bytesMax: number;
  bytesPerCameraMax: number;
  bodyBytesMax: number;
}

/** One push as `doctor` shows it. The beginning of its body lies beside it in `body_file`. */
const quarantinedPushSchema = z.object({
  at_ms: z.number(),
  camera_device_id: z.string(),
  driver: z.string(),
  reason: z.string(),
  content_type: z.string(),
  /** The length of the whole body. */
  bytes: z.number(),
  kept_bytes: z.number(),
  body_file: z.string(),
  /** The camera's IANA zone. */
  timezone: z.string(),
});
export type QuarantinedPush = z.infer<typeof quarantinedPushSchema>;

export type MalformedPush = Omit<QuarantinedPush, 'at_ms' | 'bytes' | 'kept_bytes' | 'body_file'> & {
  body: Uint8Array;
};

/** Makes the entry that the quarantine keeps of something that a camera sent. */
export function malformedPush(
  { device_id, driver, timezone }: CameraItem,
  { contentType, body, reason }: { contentType: string; body: Uint8Array; reason: string },
): MalformedPush {
  return {
    camera_device_id: device_id,
    driver,
    timezone,
    reason,
    content_type: contentType.slice(0, CONTENT_TYPE_LENGTH_MAX),
    body,
  };
}

export interface Quarantine {
  /** Resolves with whether the push is kept. It is not kept when too many came within the minute. Never rejects: a full disk is logged. */
  add(push: MalformedPush): Promise<boolean>;
}

export function createQuarantine(deps: {
  directory: string;
  clock: Clock;
  logger: Logger;
  limits?: Partial<QuarantineLimits>;
}): Quarantine {
  const { directory, clock, logger } = deps;
  const limits = { ...LIMITS, ...deps.limits };
  let sequence = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** The writes of the last minute. */
  let writes: { cameraDeviceId: string; monoMs: number }[] = [];

  function mayWrite(cameraDeviceId: string): boolean {
    const monoMs = clock.monotonic();
    writes = writes.filter((written) => monoMs - written.monoMs < MINUTE_MS);
    const ofCamera = writes.filter((written) => written.cameraDeviceId === cameraDeviceId).length;
    if (writes.length >= WRITES_PER_MINUTE_MAX || ofCamera >= WRITES_PER_CAMERA_MAX) return false;
    writes.push({ cameraDeviceId, monoMs });
    return true;
  }

  async function write(push: MalformedPush): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const { body, ...described } = push;
    const kept = body.subarray(0, limits.bodyBytesMax);
    const newest = await makeRoom(
      directory,
      { camera_device_id: push.camera_device_id, kept_bytes: kept.length },
      limits,
    );
    const at_ms = clock.now();
    // The digits have a fixed width, so that names sort as the pushes came, also after a clock that was ahead; the counter distinguishes pushes of
    // the same millisecond.
    const order = at_ms >= newest ? at_ms : newest + 1;
    const name = `${String(order).padStart(15, '0')}-${String(sequence++ % 1_000_000).padStart(6, '0')}`;
    const entry: QuarantinedPush = {
      at_ms,
      ...described,
      bytes: body.length,
      kept_bytes: kept.length,
      body_file: join(directory, `${name}.bin`),
    };
    await writeFile(entry.body_file, kept);
    await writeFile(join(directory, `${name}.json`), `${JSON.stringify(entry)}\n`);
  }

  return {
    add(push) {
      if (!mayWrite(push.camera_device_id)) return Promise.resolve(false);
      const written = last
        .then(() => write(push))
        .then(
          () => true,
          (error: unknown) => {
            logger.error({ err: error, directory, camera: push.camera_device_id }, 'malformed push could not be kept');
            return false;
          },
        );
      last = written;
      return written;
    },
  };
}

type Held = Pick<QuarantinedPush, 'camera_device_id' | 'kept_bytes'>;

/**
 * Removes pushes until the next one fits, and bodies without an entry, which a stop of the gateway leaves.
 * @returns the number with which the name of the newest one begins; 0: there is none
 */
async function makeRoom(directory: string, next: Held, limits: QuarantineLimits): Promise<number> {
  let entries = await listQuarantine(directory);
  const newest = entries.at(-1);
  for (;;) {
    const leaving = firstToLeave(entries, next, limits);
    if (leaving === undefined) break;
    entries = entries.filter((entry) => entry !== leaving);
  }
  const kept = new Set(entries.map((entry) => baseName(entry.body_file)));
  for (const file of await readdir(directory)) {
    if (!kept.has(baseName(file))) await rm(join(directory, file), { force: true });
  }
  return newest === undefined ? 0 : Number(nameOfPush(newest).split('-')[0]);
}

/**
 * Chooses the push that makes room for the next one: the oldest of its own camera when that camera holds its share,
 * else the oldest of the camera that holds most.
 */
function firstToLeave<Entry extends Held>(entries: Entry[], next: Held, limits: QuarantineLimits): Entry | undefined {
  const bytesOf = (held: readonly Held[]) => held.reduce((sum, { kept_bytes }) => sum + kept_bytes, 0);
  const heldBy = (camera: string) => entries.filter((entry) => entry.camera_device_id === camera);
  const own = heldBy(next.camera_device_id);
  if (own.length >= limits.pushesPerCameraMax || bytesOf([...own, next]) > limits.bytesPerCameraMax) return own[0];
  const hasTooMany = entries.length >= limits.pushesMax;
  if (!hasTooMany && bytesOf([...entries, next]) <= limits.bytesMax) return undefined;
  const held = [...new Set(entries.map((entry) => entry.camera_device_id))].map(heldBy);
  const size = hasTooMany ? (pushes: Entry[]) => pushes.length : bytesOf;
  return held.reduce((most, pushes) => (size(pushes) > size(most) ? pushes : most), own)[0];
}

/** Lists the pushes in quarantine, oldest first; empty when the folder does not exist. It only reads, so that any process may call it. */
export async function listQuarantine(directory: string): Promise<QuarantinedPush[]> {
  const names = await readdir(directory).catch(() => []);
  const entries: QuarantinedPush[] = [];
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    try {
      entries.push(quarantinedPushSchema.parse(JSON.parse(await readFile(join(directory, name), 'utf8'))));
    } catch {
      // The entry is incomplete, because it is being written or the gateway was stopped. The next push removes it.
    }
  }
  return entries;
}

/** As `add` names them: nothing else of the folder, or beside it, is ever read by a name from outside. */
const NAME = /^\d{15}-\d{6}$/;

/** A push with the beginning of its body; null: there is none of this name, or it has made room. @param name without extension */
export async function readQuarantined(
  directory: string,
  name: string,
): Promise<{ push: QuarantinedPush; body: Uint8Array<ArrayBuffer> } | null> {
  if (!NAME.test(name)) return null;
  const push = (await listQuarantine(directory)).find((each) => baseName(each.body_file) === name);
  if (push === undefined) return null;
  const body = await readFile(join(directory, `${name}.bin`)).catch(() => null);
  return body === null ? null : { push, body: new Uint8Array(body) };
}

/** The name by which `readQuarantined` finds a push. */
export const nameOfPush = ({ body_file }: QuarantinedPush): string => baseName(body_file);

function baseName(file: string): string {
  return parse(file).name;
}
