/** What cameras sent and nobody could read, kept for whoever has to find out why: a bounded folder, the oldest goes first. */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';

const PUSHES_MAX = 100;
const BYTES_MAX = 20 * 1024 * 1024;

/** One push as `doctor` shows it; the body lies beside it in `body_file`. */
export interface QuarantinedPush {
  at_ms: number;
  camera_device_id: string;
  driver: string;
  reason: string;
  content_type: string;
  bytes: number;
  body_file: string;
}

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
    // Digits of one width, so that names sort by time; the counter tells pushes of one millisecond apart.
    const name = `${String(at_ms).padStart(15, '0')}-${String(sequence++ % 1_000_000).padStart(6, '0')}`;
    const { body, ...told } = push;
    const entry: QuarantinedPush = { at_ms, ...told, bytes: body.length, body_file: join(directory, `${name}.bin`) };
    await writeFile(entry.body_file, body);
    await writeFile(join(directory, `${name}.json`), `${JSON.stringify(entry)}\n`);
  }

  /** Makes room; a body without its entry (the gateway was stopped between the two) goes as well. */
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

/** What is in quarantine, oldest first; empty when the folder is not there. Only reads, so that any process may ask. */
export async function listQuarantine(directory: string): Promise<QuarantinedPush[]> {
  const names = await readdir(directory).catch(() => []);
  const entries: QuarantinedPush[] = [];
  for (const name of names.filter((file) => file.endsWith('.json')).sort()) {
    try {
      entries.push(JSON.parse(await readFile(join(directory, name), 'utf8')) as QuarantinedPush);
    } catch {
      // Half written: just now, or when the gateway was stopped; the next push clears it away.
    }
  }
  return entries;
}

function baseName(file: string): string {
  return parse(file).name;
}
