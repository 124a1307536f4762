/** Driver: the agent's store in one SQLite file, owned by a worker thread. */
import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { uuidv7 } from 'uuidv7';
import type { Clock } from '../../shared/clock.js';
import type { Uid } from '../../shared/ids.js';
import { decodeJson } from '../../shared/json-text-codec.js';
import type { Logger } from '../../shared/logger.js';
import { BATCH_BYTES_MAX, BATCH_RECORDS_MAX } from '../../shared/uplink-bounds.js';
import { systemClock } from '../../shared/system-clock.js';
import { createWriteWatch, type WriteWatch } from '../../shared/node/write-watch.js';
import { type AgentStore, type BootState, STORE_LIMITS, StoreError, type StoreLimits } from './agent-store.js';
import { portOf, type Submit } from './sqlite-agent-calls.js';
import { createGroupCommit, type GroupCommit } from './group-commit.js';
import type {
  CallFailure,
  CallResult,
  FromWorker,
  OpenedFile,
  OpenedHealth,
  StoreCall,
  ToWorker,
  WorkerOptions,
} from './sqlite-agent-protocol.js';
import { STORE_THREAD_LIMITS } from '../process/memory-limits.js';
import { errorText } from '../../shared/error-text.js';

const MEMORY_WARNING = 'what is recorded now is in memory only, and a power cut would lose what the cloud has not got';
const READS: ReadonlySet<StoreCall['op']> = new Set(['batch', 'state', 'waiting']);
const BATCH = { recordsMax: BATCH_RECORDS_MAX, bytesMax: BATCH_BYTES_MAX };

export interface SqliteAgentStoreOptions {
  /** The file; it is created when there is none. */
  path: string;
  logger: Logger;
  limits?: Partial<StoreLimits>;
  clock?: Clock;
}

/**
 * Opens the file, checks it, and puts a damaged one aside (`health.quarantined`). Rejects when the file cannot be read or would not
 * be synced. Where the disk refuses to write, at the start or later, the store works on in memory (`health.failed` says so), and goes back to the file
 * as soon as that is possible. If the worker thread ends by itself, the store opens the file again. If the thread ends before it has done anything,
 * `health.failed` says that the store is broken. It also says when the disk refuses to write, for as long as it does.
 */
export async function openSqliteAgentStore(options: SqliteAgentStoreOptions): Promise<AgentStore> {
  const { path, logger, clock = systemClock } = options;
  const boot_id = uuidv7() as Uid;
  const limits = { ...STORE_LIMITS, ...options.limits };
  let closing: Promise<void> | null = null;

  const group = createGroupCommit({ clock, pendingBytesMax: limits.pendingBytesMax });
  const thread = await openThread({
    workerData: () => ({ path, limits, batch: BATCH, boot_id, opened_ms: clock.now() }),
    path,
    logger,
    group,
  });
  let floorMs = thread.file.clock_floor_ms;
  const submit: Submit = (call, how) => {
    if (closing !== null) return Promise.reject(new StoreError('closed', `the store ${path} is closed`));
    const { failed } = thread.health();
    if (failed !== null) return Promise.reject(new StoreError('io', failed));
    if (call.op === 'clock') floorMs = call.wall_ms;
    return group.submit(call, how);
  };
  const writes = createWriteWatch({
    path,
    clock,
    logger,
    probe: () => submit({ op: 'clock', wall_ms: floorMs }, { urgent: true, bytes: 0, stamp: null }),
  });
  thread.onResults((calls, results) => {
    const why = thread.health().in_memory;
    if (why === null) noteWrites(writes, calls, results);
    else writes.noteRefused(why);
  });
  const whyAtStart = thread.health().in_memory;
  if (whyAtStart !== null) writes.noteRefused(whyAtStart);
  writes.start();
  return {
    boot: bootStateOf(thread.file, boot_id),
    get health() {
      const { in_memory, ...health } = thread.health();
      const refused = in_memory === null ? writes.refusal() : `${writes.refusal()}; ${MEMORY_WARNING}`;
      const is_broken = health.failed !== null;
      return { ...health, failed: health.failed ?? refused, is_broken, file_bytes: sizeOf(path) };
    },
    ...portOf(submit, { boot_id, nowMs: () => clock.now() }),
    close() {
      writes.close();
      closing ??= thread.close();
      return closing;
    },
  };
}

/** Notes whether the disk accepts writes. A mistake of the caller is no refusal of the disk, nor is a damaged file, which is put aside. */
function noteWrites(writes: WriteWatch, calls: readonly StoreCall[], results: readonly CallResult[]): void {
  for (const [index, result] of results.entries()) {
    const op = calls[index]?.op;
    if (result.ok && op !== undefined && !READS.has(op)) writes.noteWritten();
    if (!result.ok && !result.failure.damaged && result.failure.code !== null)
      writes.noteRefused(result.failure.message);
  }
}

interface StoreThread {
  /** The content of the file when it was opened for the first time. */
  readonly file: OpenedFile;
  health(): OpenedHealth;
  /** Calls the listener with each group that was sent, and what came of it. */
  onResults(listener: (calls: readonly StoreCall[], results: readonly CallResult[]) => void): void;
  /** Waits for what is pending, then ends the thread. */
  close(): Promise<void>;
}

/** Opens the file in a worker thread. If the thread ends by itself, the file is opened again in another one. */
async function openThread(options: {
  workerData(): WorkerOptions;
  path: string;
  logger: Logger;
  group: GroupCommit;
}): Promise<StoreThread> {
  const { path, logger, group } = options;
  let deliver: Parameters<StoreThread['onResults']>[0] = () => {};
  let worker: Worker | null = null;
  let health: OpenedHealth;
  /** Whether a thread that ends is replaced: only if it has done something, or threads would be replaced without end. */
  let mayReopen = true;
  let isDamaged = false;
  let isClosing = false;
  let opening: Promise<unknown> = Promise.resolve();

  async function start(): Promise<OpenedFile> {
    isDamaged = false;
    let underway: readonly StoreCall[] = [];
    const opened = await startWorker(options.workerData(), logger, {
      onDone(results, why) {
        mayReopen = true;
        health.in_memory = why;
        deliver(underway, results);
        isDamaged = results.some((result) => !result.ok && result.failure.damaged);
        // The thread ends by itself now; the waiting calls go to the next one.
        if (isDamaged) group.pause();
        group.settle(results);
      },
      onEnded,
    });
    worker = opened.worker;
    health = opened.health;
    group.resume((calls, stamp) => {
      underway = calls;
      opened.worker.postMessage({ kind: 'group', calls, stamp } satisfies ToWorker, picturesOf(calls));
    });
    return opened.file;
  }

  function onEnded(reason: string): void {
    worker = null;
    group.pause();
    if (!isDamaged || isClosing) group.failAll(new StoreError('io', `the store's worker thread ended (${reason})`));
    if (isClosing) return;
    if (!mayReopen) return breakDown(`its worker thread ended again before it did anything (${reason})`);
    mayReopen = false;
    logger.error({ path, reason }, "the store's worker thread ended: the file is opened again");
    opening = start().catch((error: Error) => breakDown(`it could not be opened again: ${errorText(error)}`));
  }

  function breakDown(reason: string): void {
    health.failed = `the store ${path} is broken: ${reason}; start the agent again`;
    logger.error({ path, reason }, 'the store is broken: nothing is kept until the agent starts again');
    group.failAll(new StoreError('io', health.failed));
  }

  const file = await start();
  return {
    file,
    health: () => health,
    onResults: (listener) => void (deliver = listener),
    async close() {
      isClosing = true;
      await opening;
      if (worker !== null) await group.drain();
      if (worker !== null) await stopWorker(worker);
    },
  };
}

function sizeOf(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

function bootStateOf({ config, ...file }: OpenedFile, boot_id: Uid): BootState {
  return {
    ...file,
    boot_id,
    config: config.map(({ section, revision, itemsJson }) => ({
      section,
      revision,
      items: decodeJson(itemsJson),
    })),
  };
}

function picturesOf(calls: StoreCall[]): ArrayBuffer[] {
  return calls.flatMap((call) => (call.op === 'append' && call.jpeg !== null ? [call.jpeg.buffer as ArrayBuffer] : []));
}

interface WorkerEvents {
  onDone(results: CallResult[], in_memory: string | null): void;
  /** Called when the thread ended after it had opened the file, whether it was asked to or not. */
  onEnded(reason: string): void;
}

/** Resolves when the file is open; rejects with the worker's reason when it is not. */
function startWorker(
  workerData: WorkerOptions,
  logger: Logger,
  events: WorkerEvents,
): Promise<{ worker: Worker; file: OpenedFile; health: OpenedHealth }> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./sqlite-agent-worker.js', import.meta.url), {
      workerData,
      resourceLimits: STORE_THREAD_LIMITS,
      // The options of the main program are not for this thread.
      execArgv: [],
    });
    let isOpen = false;
    let reason = 'no error was reported';
    worker.on('message', (message: FromWorker) => {
      switch (message.kind) {
        case 'opened':
          isOpen = true;
          return resolve({ worker, file: message.file, health: message.health });
        case 'refused':
          return reject(refusal(workerData.path, message.failure));
        case 'done':
          return events.onDone(message.results, message.in_memory);
        case 'log':
          return logger[message.level](message.fields, message.message);
      }
    });
    worker.on('error', (error) => {
      reason = errorText(error);
    });
    worker.on('exit', (code) => {
      if (isOpen) events.onEnded(`${reason}, exit code ${code}`);
      else reject(new StoreError('io', `the store's worker thread did not start (${reason}, exit code ${code})`));
    });
  });
}

function refusal(path: string, { code, message }: CallFailure): StoreError {
  return new StoreError(code ?? 'io', `the store ${path} cannot be opened: ${message}`);
}

function stopWorker(worker: Worker): Promise<void> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve());
    worker.postMessage({ kind: 'close' } satisfies ToWorker, []);
  });
}
