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
}

/** Begins the commit of a group; `settle` is called with its results. */
export type SendGroup = (calls: StoreCall[], stamp: RecordStamp | null) => void;

export type GroupCommit = ReturnType<typeof createGroupCommit>;

/** Nothing is sent before the first `resume`. */
export function createGroupCommit({ clock, pendingBytesMax }: GroupCommitOptions) {
  const calls = createPendingCalls(pendingBytesMax);
  const planFlush = onceAfterTurn(flush);
  const company = createCompanyWait(clock, planFlush);
  /** null: nothing is sent. */
  let send: SendGroup | null = null;
  let idleWaiters: (() => void)[] = [];

  function flush(): void {
    if (send === null || calls.hasUnderway()) return;
    if (!calls.hasUrgent() && !(company.isOver() && calls.hasPatient())) {
      if (!calls.hasPatient()) notifyIdle();
      return;
    }
    const group = calls.beginGroup();
    company.sent(!calls.hasPatient());
    const stamp = group.findLast((pending) => pending.stamp !== null)?.stamp ?? null;
    send(
      group.map((pending) => pending.call),
      stamp,
    );
  }

  function notifyIdle(): void {
    for (const wake of idleWaiters.splice(0)) wake();
  }

  return {
    /** Resolves with the call's result. An `urgent` call is sent at once, together with the waiting ones. */
    submit(call: StoreCall, how: CallOptions): Promise<unknown> {
      const refusal = calls.refusal(how);
      if (refusal !== null) return Promise.reject(refusal);
      const result = calls.add(call, how);
      if (how.urgent) planFlush();
      else if (calls.isGroupFull()) company.end();
      else company.begin();
      return result;
    },
    /** Settles the calls of the group that was sent: each is committed or refused. */
    settle(results: CallResult[]): void {
      calls.settleGroup(results);
      flush();
    },
    /** Refuses everything that waits. */
    failAll(error: Error): void {
      calls.failAll(error);
      notifyIdle();
    },
    pause(): void {
      send = null;
    },
    resume(by: SendGroup): void {
      send = by;
      planFlush();
    },
    /** Sends what waits at once; settles when nothing waits any more. */
    drain(): Promise<void> {
      return new Promise((resolve) => {
        idleWaiters.push(resolve);
        company.end();
      });
    },
  };
}

/**
 * Returns a function that plans one `run` after the present turn and all that follows from it at once. So calls of one turn form one group,
 * and the command that a read gives is on its way before the disk wakes up, which takes longer than the decision.
 */
function onceAfterTurn(run: () => void): () => void {
  let isPlanned = false;
  return () => {
    if (isPlanned) return;
    isPlanned = true;
    setImmediate(() => {
      isPlanned = false;
      run();
    });
  };
}

interface CallOptions {
  urgent: boolean;
  bytes: number;
  stamp: RecordStamp | null;
}

/** The calls that wait and those of the group that is under way. */
function createPendingCalls(pendingBytesMax: number) {
  let urgent: Pending[] = [];
  let patient: Pending[] = [];
  let underway: Pending[] = [];
  let pendingBytes = 0;
  return {
    hasUrgent: () => urgent.length > 0,
    hasPatient: () => patient.length > 0,
    hasUnderway: () => underway.length > 0,
    /** Whether the waiting calls are enough for a group. */
    isGroupFull: () => patient.length >= GROUP_CALLS_MAX || pendingBytes >= GROUP_BYTES_MAX,
    /** Says why a call cannot wait; null: it can. */
    refusal({ bytes }: CallOptions): StoreError | null {
      if (pendingBytes + bytes + CALL_OVERHEAD_BYTES <= pendingBytesMax) return null;
      const message = `the disk does not keep up: ${pendingBytes} bytes wait to be written, the limit is ${pendingBytesMax}`;
      return new StoreError('full', message);
    },
    add(call: StoreCall, how: CallOptions): Promise<unknown> {
      const bytes = how.bytes + CALL_OVERHEAD_BYTES;
      pendingBytes += bytes;
      return new Promise((resolve, reject) => {
        const queue = how.urgent ? urgent : patient;
        queue.push({ call, bytes, stamp: how.stamp, resolve, reject });
      });
    },
    beginGroup(): Pending[] {
      underway = removeGroup([urgent, patient]);
      return underway;
    },
    settleGroup(results: CallResult[]): void {
      const settled = underway;
      underway = [];
      settled.forEach((pending, index) => {
        pendingBytes -= pending.bytes;
        const result = results[index];
        if (result?.ok) pending.resolve(result.value);
        else pending.reject(errorOf(result?.failure ?? { code: 'io', message: 'the store gave no answer' }));
      });
    },
    failAll(error: Error): void {
      const failed = [...underway, ...urgent, ...patient];
      underway = [];
      urgent = [];
      patient = [];
      pendingBytes = 0;
      for (const pending of failed) pending.reject(error);
    },
  };
}

/** Removes as many calls as one transaction may have, those of the first queue first. */
function removeGroup(queues: Pending[][]): Pending[] {
  const group: Pending[] = [];
  let bytes = 0;
  for (const queue of queues) {
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

/** The time for which patient calls wait for the company of others. @param onOver called each time it is over */
function createCompanyWait(clock: Clock, onOver: () => void) {
  let isOver = false;
  let timer: Timer | null = null;
  let sentAtMs = -Infinity;

  const end = () => {
    isOver = true;
    onOver();
  };
  return {
    isOver: () => isOver,
    end,
    begin(): void {
      const waitMs = sentAtMs + COMPANY_WAIT_MS - clock.monotonic();
      if (waitMs <= 0) end();
      else timer ??= clock.setTimer(waitMs, end);
    },
    /** A group was sent. @param isEmpty whether no patient call waits any more */
    sent(isEmpty: boolean): void {
      sentAtMs = clock.monotonic();
      if (!isEmpty) return;
      isOver = false;
      timer?.cancel();
      timer = null;
    },
  };
}

/** Builds the error that a caller gets for a failure. */
function errorOf(failure: { code: StoreError['code'] | null; message: string }): Error {
  return failure.code === null ? new Error(failure.message) : new StoreError(failure.code, failure.message);
}
