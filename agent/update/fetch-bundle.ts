/** Brings a bundle to the data partition: over HTTP, as many times as the link breaks, from where it broke, or from a stick. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, statfs } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../shared/clock.js';
import { errorText } from '../../shared/error-text.js';
import type { PendingRelease } from './update-machine.js';

/** So much of the disk is left to what the gateway records. */
const RESERVE_BYTES = 64 * 1024 ** 2;
/** A link that brings nothing for so long is cut. */
const SILENT_MS = 60_000;

/** The file is not the one that was announced. */
export class WrongFileError extends Error {}

export interface FetchOptions {
  release: PendingRelease;
  /** Where it shall be. Beside it, `.part` is what has arrived. */
  path: string;
  onProgress(percent: number): void;
  signal: AbortSignal;
  clock: Clock;
  /** The time limit of a link that brings nothing; left out: a minute. */
  silentMs?: number;
  /** How many bytes the disk has free; left out: it is asked. */
  freeBytes?: (directory: string) => Promise<number>;
}

/** @throws WrongFileError; Error when the link broke, the disk is full, or the source has no such file: another call goes on */
export async function fetchBundle(options: FetchOptions): Promise<void> {
  const { release, path } = options;
  const part = `${path}.part`;
  await mkdir(dirname(path), { recursive: true });
  await removeOthers(path);
  if ((await sizeOf(path)) === release.bytes) return;
  const has = await startOf(part, release.bytes);
  const free = await (options.freeBytes ?? freeBytesOf)(dirname(path));
  if (free < release.bytes - has + RESERVE_BYTES)
    throw new Error(
      `the disk has ${megabytes(free)} MB free, and the update needs ${megabytes(release.bytes - has + RESERVE_BYTES)} MB: it waits for room`,
    );
  await bring(part, has, options);
  const sha256 = await sha256Of(part);
  if (sha256 !== release.sha256) {
    await rm(part, { force: true });
    throw new WrongFileError(
      `the file that came is not the one that was announced (SHA-256 ${sha256}, announced ${release.sha256})`,
    );
  }
  await rename(part, path);
}

const megabytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

/** More bytes than the file has are not a part of it. */
async function startOf(part: string, bytes: number): Promise<number> {
  const has = await sizeOf(part);
  if (has <= bytes) return has;
  await rm(part, { force: true });
  return 0;
}

/** Files of earlier releases, so that the folder holds one at most. */
async function removeOthers(path: string): Promise<void> {
  const own = new Set([basename(path), `${basename(path)}.part`]);
  for (const name of await readdir(dirname(path)))
    if (/\.raucb(\.part)?$/.test(name) && !own.has(name)) await rm(join(dirname(path), name), { force: true });
}

async function freeBytesOf(directory: string): Promise<number> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize;
}

async function bring(part: string, has: number, options: FetchOptions): Promise<void> {
  const { release, onProgress } = options;
  if (has === release.bytes) return;
  const { start, chunks } =
    release.source.kind === 'cloud'
      ? await fromCloud(release.source.url, has, options)
      : { start: has, chunks: createReadStream(release.source.path, { start: has, signal: options.signal }) };
  const file = await open(part, start === 0 ? 'w' : 'r+');
  try {
    let position = start;
    for await (const chunk of chunks) {
      const bytes = chunk as Uint8Array;
      if (position + bytes.length > release.bytes)
        throw new WrongFileError(`more came than the ${release.bytes} bytes that were announced`);
      await file.write(bytes, 0, bytes.length, position);
      position += bytes.length;
      onProgress(Math.floor((position / release.bytes) * 100));
    }
    await file.sync();
    if (position < release.bytes)
      throw new Error(`the link broke after ${position} of ${release.bytes} bytes: it goes on from there`);
  } catch (error) {
    if (error instanceof WrongFileError) await rm(part, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

async function fromCloud(
  url: string,
  has: number,
  { release, signal, clock, silentMs = SILENT_MS }: FetchOptions,
): Promise<{ start: number; chunks: AsyncIterable<unknown> }> {
  const silence = new AbortController();
  const listen = () =>
    clock.setTimer(silentMs, () => silence.abort(new Error(`nothing came for ${silentMs / 1_000} s`)));
  let timer = listen();
  const headers = has === 0 ? {} : { range: `bytes=${has}-`, 'if-range': `"${release.sha256}"` };
  const response = await fetch(url, {
    headers,
    redirect: 'error',
    signal: AbortSignal.any([signal, silence.signal]),
  }).catch((cause: unknown) => {
    timer.cancel();
    throw new Error(`${new URL(url).origin} did not answer (${errorText(cause)})`, { cause });
  });
  if (response.body === null || (response.status !== 200 && response.status !== 206)) {
    timer.cancel();
    await response.body?.cancel();
    throw new Error(`${new URL(url).origin} answered ${response.status} instead of the update`);
  }
  const { body } = response;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of body) {
        timer.cancel();
        timer = listen();
        yield chunk as Uint8Array;
      }
    } finally {
      timer.cancel();
    }
  }
  return { start: response.status === 206 ? has : 0, chunks: chunks() };
}

export async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
