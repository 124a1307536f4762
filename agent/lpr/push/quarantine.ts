/** Keeps pushes that could not be parsed, so that a person can find out why. The folder is bounded; the oldest push is removed first. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';

const PUSHES_MAX = 100;
const BYTES_MAX = 20 * 1024 * 1024;

/** One push as `doctor` shows it; the body lies beside it in `body_file`. */
const quarantinedPushSchema = z.object({
  at_ms: z.number(),
  camera_device_id: z.string(),
  driver: z.string(),
  reason: z.string(),
  content_type: z.string(),
  bytes: z.number(),
  body_file: z.string(),
});
type QuarantinedPush = z.infer<typeof quarantinedPushSchema>;

export type MalformedPush = Omit<QuarantinedPush, 'at_ms' | 'bytes' | 'body_file'> & { body: Uint8Array };

export interface Quarantine {
  /** Never rejects: a full disk is logged. */
  add(push: MalformedPush): Promise<void>;
}

export function createQuarantine(deps: {
  directory: string;
  clock: Clock;
  logger: Logger;
  limits?: { pushesMax: number; bytesMax: number };
}): Quarantine {
  const { directory, clock, logger } = deps;
  const { pushesMax, bytesMax } = deps.limits ?? { pushesMax: PUSHES_MAX, bytesMax: BYTES_MAX };
  let sequence = 0;
  let last: Promise<void> = Promise.resolve();

  async function write(push: MalformedPush): Promise<void> {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await trim(push.body.length);
    const at_ms = clock.now();
    // The digits have a fixed width, so that names sort by time; the counter distinguishes pushes of the same millisecond.
    const name = `${String(at_ms).padStart(15, '0')}-${String(sequence++ % 1_000_000).padStart(6, '0')}`;
    const { body, ...described } = push;
    const entry: QuarantinedPush = {
      at_ms,
      ...described,
      bytes: body.length,
      body_file: join(directory, `${name}.bin`),
    };
    await writeFile(entry.body_file, body);
    await writeFile(join(directory, `${name}.json`), `${JSON.stringify(entry)}\n`);
  }

  /** Makes room. It also removes a body without its entry, which a stop of the gateway between the two leaves. */
  async function trim(roomFor: number): Promise<void> {
    const entries = await listQuarantine(directory);
    let bytes = roomFor + entries.reduce((sum, entry) => sum + entry.bytes, 0);
    let first = 0;
    while (first < entries.length && (entries.length - first >= pushesMax || bytes > bytesMax)) {
      bytes -= entries[first]?.bytes ?? 0;
      first++;
    }
    const kept = new Set(entries.slice(first).map((entry) => baseName(entry.body_file)));
    for (const file of await readdir(directory)) {
      if (!kept.has(baseName(file))) await rm(join(directory, file), { force: true });
    }
  }

  return {
    add(push) {
      last = last.then(() =>
        write(push).catch((error: unknown) => {
          logger.error({ err: error, directory, camera: push.camera_device_id }, 'malformed push could not be kept');
        }),
      );
      return last;
    },
  };
}

/** Lists what is in quarantine, oldest first; empty when the folder is not there. It only reads, so any process may call it. */
export async function listQuarantine(directory: string): Promise<QuarantinedPush[]> {
  const names = await readdir(directory).catch(() => []);
  const entries: QuarantinedPush[] = [];
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    try {
      entries.push(quarantinedPushSchema.parse(JSON.parse(await readFile(join(directory, name), 'utf8'))));
    } catch {
      // The file is half written, just now or because the gateway was stopped; the next push removes it.
    }
  }
  return entries;
}

function baseName(file: string): string {
  return parse(file).name;
}
