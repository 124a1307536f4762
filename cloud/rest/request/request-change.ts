/**
 * One request is one transaction. Whatever a request changes is in it together with what belongs to every request, so that no route can
 * forget it, and that what is refused leaves nothing, its Idempotency-Key included.
 */
import type { Context } from 'hono';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { type AuditEntry, withAuditEntry } from '../../kernel/audit/entry.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { type Change, isStoreError } from '../../kernel/store/entry.js';
import { auditRead, entryOfChange } from './audited-request.js';
import type { Call, EndpointDeps, ReadCall, Request } from './endpoint-definition.js';
import type { HttpEnv } from './http-env.js';
import type { Step } from './idempotency.js';
import { holdVersion, requireVersion } from './record-version.js';
import { actedOn, noChange } from './versioned-endpoint.js';

export interface HandledRequest<Who, Path extends string, Body, Query, Found> {
  c: Context<HttpEnv>;
  definition: Request<Who, Path, Body, Query, Found>;
  read: ReadCall<Who, Path, Body, Query, Found>;
  deps: EndpointDeps;
  beginKey: Step;
}

/** Runs the handler of a request, and gives it what it makes its change with. A GET makes none; its audit entry comes before. */
export async function handleRequest<Who extends Caller | null, Path extends string, Body, Query, Found, T>(
  { c, definition, read, deps, beginKey }: HandledRequest<Who, Path, Body, Query, Found>,
  handle: (call: Call<Who, Path, Body, Query, Found>) => Promise<T>,
): Promise<T> {
  const { audit, records } = deps;
  if (definition.method === 'get') {
    await auditRead(definition, read, audit);
    return handle({ ...read, change: noChange });
  }
  const record = actedOn({ definition, call: read, records });
  const ifMatch = c.req.header('if-match');
  // What the handler finds wrong, or does without a change, comes after this.
  if (record !== null) await requireVersion(record, ifMatch);
  const steps: RequestSteps = {
    change: changeOf(read.caller, deps),
    beginKey,
    async holdVersion(tx) {
      if (record !== null) await holdVersion(tx, record, ifMatch);
    },
    auditEntry: (made) => entryOfChange(definition, read, { now: audit.clock.now(), made }),
  };
  return inOneChange(steps, (change) => handle({ ...read, change }));
}

/** Changes of an account wait for each other, and not those of another for them. */
export const changeOf =
  (caller: Caller | null, { store }: Pick<EndpointDeps, 'store'>): Change =>
  (changing) =>
    store.change(changing, shareOf(caller));

/** All who have no bearer share one: else who has many addresses would have many turns. */
const shareOf = (caller: Caller | null): string => (caller === null ? 'public' : `account ${caller.account_id}`);

export interface RequestSteps {
  /** Runs a transaction in the turn of the caller. */
  change: Change;
  /** Begins the Idempotency-Key of the request, if it has one. */
  beginKey: Step;
  /** Is alone with the record that the request acts on, which has the version that the request names. */
  holdVersion: Step;
  /** @param made the id of what was created */
  auditEntry: (made: number | string | undefined) => AuditEntry;
}

/**
 * Does the work of a request, and gives it what it makes its change with.
 * @throws Error in the work when it makes a second change, or one when it is over
 */
export async function inOneChange<T>(steps: RequestSteps, work: (change: Change) => Promise<T>): Promise<T> {
  let state: 'open' | 'made' | 'over' = 'open';
  const change: Change = async (changing) => {
    if (state === 'made') throw new Error('A request makes one change');
    if (state === 'over') throw new Error('A change of a request whose work is over');
    state = 'made';
    return steps.change(async (tx) => {
      await steps.beginKey(tx);
      await steps.holdVersion(tx);
      return withAuditEntry(tx, steps.auditEntry, changing);
    });
  };
  try {
    return await work(change);
  } finally {
    state = 'over';
  }
}

/**
 * Answers a change that the database refused because another request was faster.
 * @param work changes something, after its checks
 * @param check the checks of the request: done again, they say what has gone since. Resolves when they find nothing
 * @throws ApiError NOT_FOUND or VALIDATION instead of an error of the database's constraints
 */
export async function explainingConflicts<T>(work: () => Promise<T>, check: () => Promise<unknown>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!isStoreError(error, 'foreign_key') && !isStoreError(error, 'unique')) throw error;
    await check();
    throw new ApiError(VALIDATION, { field: 'body', message: 'Another request changed what it names', cause: error });
  }
}
