/** What the benchmarks share: runs that take turns, processes and requests, and figures beside their references. */
import { type ChildProcess, fork, type ForkOptions } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type Agent, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebSocket } from 'ws';
import { sleep } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';

/** A value, and how a reader sees it. */
export type Amount = readonly [value: number, text: string];

/** @param text `{}` in it becomes the value, with so many digits behind the point */
export const amount = (value: number, text: string, digits = 0): Amount => [
  value,
  text.replace('{}', value.toFixed(digits)),
];

/** Prints one line: what was measured, beside its reference in the same run. Says if the ratio is not within its reach; the reader judges. */
export function printFigure(what: string, measured: Amount, reference: Amount, reach: number | null): void {
  const ratio = measured[0] / reference[0];
  const judged = reach === null ? '' : `  reach <= ${reach}${ratio > reach ? '  MISSED' : ''}`;
  console.log(`${what}: ${measured[1]} against ${reference[1]}  ratio ${ratio.toFixed(2)}${judged}`);
}

/** The value below which the share `share` of the samples lies. */
export function quantile(samples: readonly number[], share: number): number {
  const sorted = samples.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const median = (samples: readonly number[]): number => quantile(samples, 0.5);

/** How long the work takes, in milliseconds. */
export async function timed(work: () => unknown): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/**
 * Runs these one after the other, round after round, so that changes of the machine affect all of them.
 * @param warmUp so many rounds before them are not counted
 */
export async function alternate<Kind extends string>(
  rounds: number,
  runs: Readonly<Record<Kind, (round: number) => Promise<number>>>,
  warmUp = 0,
): Promise<Record<Kind, number[]>> {
  const kinds = Object.keys(runs) as Kind[];
  const samples = Object.fromEntries(kinds.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
  for (let round = -warmUp; round < rounds; round++) {
    for (const kind of kinds) {
      const sample = await runs[kind](round);
      if (round >= 0) samples[kind].push(sample);
    }
  }
  return samples;
}

/** The number behind an option of the command line. */
export function numberOption(args: readonly string[], name: string, otherwise: number): number {
  const at = args.indexOf(name);
  return at === -1 ? otherwise : Number(args[at + 1]);
}

/** A new folder, which goes when this process ends. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'parking-bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A process of a benchmark. */
export interface Child<Started> {
  readonly pid: number;
  /** What it said first. */
  readonly started: Started;
  /** Sends a message. @returns the answer; rejects when the process ends instead, or does not answer in this time */
  ask<Answer>(message: unknown, withinMs?: number): Promise<Answer>;
  /** The next message that it sends by itself. */
  next<Message>(): Promise<Message>;
  /** Resolves when it has ended by itself. */
  end(): Promise<void>;
  /** For one that may be too busy to notice. */
  kill(): void;
}

/** Starts a program of this folder, and waits for its first message. */
export async function startChild<Started>(
  file: string,
  args: readonly (string | number)[] = [],
  options: ForkOptions = {},
): Promise<Child<Started>> {
  const child = fork(new URL(file, import.meta.url), args.map(String), options);
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return {
    pid: child.pid ?? 0,
    started: await answerOf<Started>(child),
    async ask(message, withinMs) {
      if (!child.connected) throw new Error(`${file} has ended: its error is above`);
      const answer = answerOf<never>(child, withinMs);
      child.send(message as object, () => {});
      return answer;
    },
    next: () => answerOf(child),
    end() {
      if (child.connected) child.disconnect();
      return ended;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function answerOf<Answer>(child: ChildProcess, withinMs?: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      child.off('exit', ended);
      child.off('message', heard);
    };
    const fail = (reason: string) => {
      stop();
      reject(new Error(`a process of the benchmark ${reason}`));
    };
    const ended = () => fail('ended');
    const heard = (message: unknown) => {
      stop();
      resolve(message as Answer);
    };
    const timer = withinMs === undefined ? undefined : setTimeout(() => fail('does not answer'), withinMs);
    child.once('exit', ended);
    child.once('message', heard);
  });
}

/** The other side of `startChild`: says that it is ready, answers each message, and ends with its parent. */
export function serveParent<Message>(
  started: unknown,
  of: { answer?(message: Message): unknown; end?(): unknown } = {},
): void {
  const answer = async (message: Message) => process.send?.((await of.answer?.(message)) ?? null);
  process.on('message', (message: Message) => void answer(message));
  const end = async () => of.end?.();
  process.once('disconnect', () => void end().then(() => process.exit(0)));
  process.send?.(started);
}

/** @returns the processor time of this process with all its threads since the last question, in microseconds */
export function processorMeter(): () => number {
  let before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    before = process.cpuUsage();
    return user + system;
  };
}

/** Processor time of a process with all its threads, in milliseconds, which Linux counts in hundredths of a second; 0 when it is gone. */
export function processorMs(pid: number): number {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name may hold anything.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return (Number(fields[11]) + Number(fields[12])) * 10;
  } catch {
    return 0;
  }
}

/** The resident memory of a process, in megabytes. */
export const residentMb = (pid: number): number =>
  Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1_024;

const SETTLE_MS = 15_000;
const LOOKS = 60;
const LOOK_EVERY_MS = 500;

/**
 * Looks at a process for half a minute of rest. The garbage collector removes what a start left behind some ten seconds after it, and the
 * looks begin then.
 * @returns the median of each value that a look gives
 */
export async function restingMedians<Key extends string>(
  look: () => Record<Key, number>,
): Promise<Record<Key, number>> {
  await sleep(systemClock, SETTLE_MS);
  const looks: Record<Key, number>[] = [];
  for (let number = 0; number < LOOKS; number++) {
    looks.push(look());
    await sleep(systemClock, LOOK_EVERY_MS);
  }
  const keys = Object.keys(look()) as Key[];
  return Object.fromEntries(keys.map((key) => [key, median(looks.map((each) => each[key]))])) as Record<Key, number>;
}

/** Sends a GET, or a POST if there is a body. An agent of `false`, or none, is a connection of its own. */
export function ask(
  url: string,
  options: {
    agent?: Agent;
    bearer?: string | undefined;
    body?: string | Uint8Array | undefined;
    contentType?: string;
    localAddress?: string;
    signal?: AbortSignal;
  } = {},
): Promise<{ status: number; text: string }> {
  const { agent = false, bearer, body, contentType = 'application/json', ...others } = options;
  const headers = {
    ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
    ...(body === undefined ? {} : { 'content-type': contentType, 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const asked = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers, ...others });
    asked.once('error', reject);
    asked.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => (text += chunk));
      response.once('error', reject);
      response.once('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    asked.end(body);
  });
}

/** The same. @throws on any answer but 200 */
export async function askFor(...[url, options]: Parameters<typeof ask>): Promise<string> {
  const { status, text } = await ask(url, options);
  if (status !== 200) throw new Error(`${url} answered ${status}`);
  return text;
}

/** Does this so many times, some at a time. */
export async function atOnce(some: number, times: number, work: () => Promise<unknown>): Promise<void> {
  let left = times;
  const worker = async () => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: some }, worker));
}

/** Hears the events of a cloud from its greeting on. @returns a function that closes the socket */
export async function hearEvents(
  of: { cloudUrl: string; token: string },
  onEvent: (event: string, data: string) => void,
): Promise<() => void> {
  const socket = new WebSocket(`${of.cloudUrl.replace(/^http/, 'ws')}/v2/realtime`, {
    headers: { authorization: `Bearer ${of.token}` },
  });
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.once('close', (code) => reject(new Error(`the socket was closed with ${code}`)));
    socket.once('message', () => resolve());
  });
  socket.on('message', (text) => {
    const { event, data } = JSON.parse(String(text)) as { event: string; data: string };
    onEvent(event, data);
  });
  return () => socket.terminate();
}

/** Ends the process at the first error: what went wrong must not be measured, or waited for. */
export const failingLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error(fields, message) {
    console.error(`bench: ${message}`, fields);
    process.exit(1);
  },
};
