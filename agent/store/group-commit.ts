/** Collects calls while a commit is under way, so that they share the next one. */
import type { Clock, Timer } from '../../shared/clock.js';
import { StoreError, type RecordStamp } from './agent-store.js';
import type { CallResult, StoreCall } from './sqlite-agent-protocol.js';

/** How long after a commit a call that is not urgent waits for others to share the next one. After a quiet time it does not wait. */
const COMPANY_WAIT_MS = 100;
/** A longer transaction would keep an urgent call waiting. */
const GROUP_CALLS_MAX = 2_000;
const GROUP_BYTES_MAX = 4 * 1024 * 1024;
/** The approximate memory of a waiting call besides its record. */
const CALL_OVERHEAD_BYTES = 200;

interface Pending {
  call: StoreCall;
  bytes: number;
  stamp: RecordStamp | null;
  resolve(value: unknown): void;
  reject(error: Error): void;
}

export interface GroupCommitOptions {
  clock: Clock;
  pendingBytesMax: number;
  /** Begins the commit of a group; `settle` is called with its results. */
  send(calls: StoreCall[], stamp: RecordStamp | null): void;
}

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** Nothing is sent before the first `resume`. */
export function createGroupCommit({ clock, pendingBytesMax, send }: GroupCommitOptions) {
  let urgent: Pending[] = [];
  let patient: Pending[] = [];
  let underway: Pending[] = [];
  let pendingBytes = 0;
  let paused = true;
  let patientIsDue = false;
  let timer: Timer | null = null;
  let sentAtMs = -Infinity;
  let flushIsPlanned = false;
  let idleWaiters: (() => void)[] = [];

  /** An `urgent` call is sent at once, together with the waiting ones. */
  function submit(
    call: StoreCall,
    how: { urgent: boolean; bytes: number; stamp: RecordStamp | null },
  ): Promise<unknown> {
    const bytes = how.bytes + CALL_OVERHEAD_BYTES;
    if (pendingBytes + bytes > pendingBytesMax) {
      const message = `the disk does not keep up: ${pendingBytes} bytes wait to be written, the limit is ${pendingBytesMax}`;
      return Promise.reject(new StoreError('full', message));
    }
    pendingBytes += bytes;
    return new Promise((resolve, reject) => {
      const pending = { call, bytes, stamp: how.stamp, resolve, reject };
      if (how.urgent) {
        urgent.push(pending);
        planFlush();
      } else {
        patient.push(pending);
        const waitMs = sentAtMs + COMPANY_WAIT_MS - clock.monotonic();
        if (waitMs <= 0 || patient.length >= GROUP_CALLS_MAX || pendingBytes >= GROUP_BYTES_MAX) hurry();
        else timer ??= clock.setTimer(waitMs, hurry);
      }
    });
  }

  function hurry(): void {
    patientIsDue = true;
    planFlush();
  }

  /**
   * Sends the group after the present turn and all that follows from it at once. So calls of one turn form one group, and the command
   * that a read gives is on its way before the disk wakes up, which takes longer than the decision.
   */
  function planFlush(): void {
    if (flushIsPlanned) return;
    flushIsPlanned = true;
    setImmediate(() => {
      flushIsPlanned = false;
      flush();
    });
  }

  function flush(): void {
    if (paused || underway.length > 0) return;
    if (urgent.length === 0 && !(patientIsDue && patient.length > 0)) {
      if (patient.length === 0) for (const wake of idleWaiters.splice(0)) wake();
      return;
    }
    underway = nextGroup();
    sentAtMs = clock.monotonic();
    if (patient.length === 0) {
      patientIsDue = false;
      timer?.cancel();
      timer = null;
    }
    const stamp = underway.findLast((pending) => pending.stamp !== null)?.stamp ?? null;
    send(
      underway.map((pending) => pending.call),
      stamp,
    );
  }

  function nextGroup(): Pending[] {
    const group: Pending[] = [];
    let bytes = 0;
    for (const queue of [urgent, patient]) {
      let count = 0;
      for (const pending of queue) {
        if (group.length >= GROUP_CALLS_MAX || (group.length > 0 && bytes + pending.bytes > GROUP_BYTES_MAX)) break;
        bytes += pending.bytes;
        group.push(pending);
        count += 1;
      }
      queue.splice(0, count);
    }
    return group;
  }

  /** Settles the calls of the group that was sent: each is committed or refused. */
  function settle(results: CallResult[]): void {
    const settled = underway;
    underway = [];
    settled.forEach((pending, index) => {
      pendingBytes -= pending.bytes;
      const result = results[index];
      if (result?.ok) pending.resolve(result.value);
      else pending.reject(errorOf(result?.failure ?? { code: 'io', message: 'the store gave no answer' }));
    });
    flush();
  }

  /** Refuses everything that waits. */
  function failAll(error: Error): void {
    const failed = [...underway, ...urgent, ...patient];
    underway = [];
    urgent = [];
    patient = [];
    pendingBytes = 0;
    for (const pending of failed) pending.reject(error);
    for (const wake of idleWaiters.splice(0)) wake();
  }

  return {
    submit,
    settle,
    failAll,
    pause(): void {
      paused = true;
    },
    resume(): void {
      paused = false;
      planFlush();
    },
    /** Sends what waits at once; settles when nothing waits any more. */
    drain(): Promise<void> {
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
        hurry();
      });
    },
  };
}

/** Builds the error that a caller gets for a failure. */
function errorOf(failure: { code: StoreError['code'] | null; message: string }): Error {
  return failure.code === null ? new Error(failure.message) : new StoreError(failure.code, failure.message);
}
