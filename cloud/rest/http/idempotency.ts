/**
 * `Idempotency-Key`: a POST that is sent twice is done once, and both get the same answer (REST contract, "Common rules").
 * Answers may hold what operates a product (the credentials of a guest's key), so that they are kept sealed: no less protected than the
 * products' master keys, from which such credentials are made, and forgotten within an hour after the last repeat that they could answer.
 */
import { createHash } from 'node:crypto';
import { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { type CloudStore, type Secrets, StoreError, type Tx, withChangeHook } from '../../kernel/entry.js';
import { createUndoneKeys } from './undone-keys.js';
import { beginIdempotencyKey, endIdempotencyKey, findIdempotencyKey } from './idempotency-queries.js';
import type { HttpEnv } from './http-env.js';
import { addHeader, replyJson } from './reply.js';
import { readBody } from './validation.js';

/** How long an answer is kept for repeats. */
export const ANSWERS_KEPT_MS = 24 * 3_600_000;
const INTERRUPTED = 'The first request with this key was interrupted: look what came of it, then use another key';
const UNDER_WAY = 'Another request with this key is under way: ask again with it in a moment';
const KEY = /^[\x21-\x7e]{1,255}$/;

interface IdempotentCall {
  /** Who asks: `user 5`, `api 3`, `weblink AbCd`, `public 192.0.2.7`. */
  caller: string;
  /** Keys of the answer's `data` that are shown once. */
  shownOnce: readonly string[];
  /** false: the work is idempotent by itself, so a repeat does it again and nothing of the answer is kept. */
  isKept: boolean;
  /** The caller is not known: nothing is written before the request is known to be right, and an interruption is not reported. */
  isPublic: boolean;
  work: () => Promise<Response>;
}

export interface Idempotency {
  /**
   * Does the work, or repeats the answer that it gave within the last 24 h. Only successes are kept: a refused request has done nothing.
   * Throws code 23 on `idempotency_key` for a key that had another body, or whose first request was interrupted.
   */
  once(c: Context<HttpEnv>, call: IdempotentCall): Promise<Response>;
}

export interface IdempotencyDeps {
  store: CloudStore;
  clock: Clock;
  secrets: Pick<Secrets, 'seal' | 'open'>;
}

export function createIdempotency({ store, clock, secrets }: IdempotencyDeps): Idempotency {
  /** The requests under way: a repeat waits for the first one. */
  const underWay = new Map<string, Promise<unknown>>();
  /** Keys of requests that did nothing, while the database fails so that it keeps them. */
  const undone = createUndoneKeys(store);

  async function answerOnce(
    c: Context<HttpEnv>,
    scope: { caller: string; route: string; key: string; body_hash: string },
    call: IdempotentCall,
  ): Promise<Response> {
    const now = clock.now();
    const since = now - ANSWERS_KEPT_MS;
    await undone.release(scope);
    const known = await findIdempotencyKey(store.reader, { ...scope, since });
    if (known !== undefined) {
      if (known.body_hash !== scope.body_hash) throw refused('This key came with another body');
      if (known.response === null || known.status === null) {
        throw refused(INTERRUPTED);
      }
      if (!call.isKept) return call.work();
      const answer = openAnswer(secrets, known.response);
      if (known.etag !== null) addHeader(c, 'ETag', known.etag);
      return replyJson(c, answer, known.status);
    }
    const begin = (tx: Tx) => beginIdempotencyKey(tx, { ...scope, created_at: now, since });
    // Another process may have begun it since it was looked up.
    if (!call.isPublic && !(await store.change(begin))) throw refused(UNDER_WAY);
    /** Whether a change of the work has come to its commit. What became of that is not known when the database fails. */
    let mayBeDone = false;
    const noteChange = async () => void (mayBeDone = true);
    try {
      const response = await withChangeHook(noteChange, call.work);
      const text = c.get('answerText') ?? (await response.clone().text());
      const kept = call.isKept ? secrets.seal('idempotent_answer', withoutSecrets(text, call.shownOnce)) : '';
      const etag = c.get('headers').ETag ?? null;
      await store.change(async (tx) => {
        if (call.isPublic) await begin(tx);
        await endIdempotencyKey(tx, { ...scope, status: response.status, response: kept, etag });
      });
      return response;
    } catch (error) {
      // The key of a refused request is free again. After another error it is not, if the work may have been done.
      const isUndone = error instanceof ApiError || (error instanceof StoreError && !mayBeDone);
      if (isUndone && !call.isPublic) await undone.free(scope);
      throw error;
    }
  }

  return {
    async once(c, call) {
      const key = c.req.header('idempotency-key');
      if (key === undefined) return call.work();
      if (!KEY.test(key)) throw refused('Must be 1 to 255 visible ASCII characters');
      const body_hash = createHash('sha256')
        .update(await readBody(c))
        .digest('hex');
      const scope = { caller: call.caller, route: `${c.req.method} ${c.req.path}`, key, body_hash };
      const name = JSON.stringify([scope.caller, scope.route, key]);
      const previous = underWay.get(name) ?? Promise.resolve();
      const answered = previous.then(() => answerOnce(c, scope, call));
      const settled = answered.catch(() => undefined);
      underWay.set(name, settled);
      try {
        return await answered;
      } finally {
        if (underWay.get(name) === settled) underWay.delete(name);
      }
    },
  };
}

const refused = (message: string) => new ApiError(VALIDATION, { field: 'idempotency_key', message });

/** @throws ApiError on `idempotency_key` for an answer that was sealed with another server key: what it was is lost, and the work is done */
function openAnswer({ open }: Pick<Secrets, 'open'>, kept: string): string {
  // An earlier version kept answers as they were, which are JSON.
  if (kept.startsWith('{')) return kept;
  try {
    return open('idempotent_answer', kept).toString('utf8');
  } catch {
    throw refused(INTERRUPTED);
  }
}

/** The envelope of an answer that shows something once; its keys keep their order. */
const answerSchema = z.looseObject({ success: z.boolean(), data: z.record(z.string(), z.unknown()) });

function withoutSecrets(text: string, shownOnce: readonly string[]): string {
  if (shownOnce.length === 0) return text;
  const answer = answerSchema.parse(JSON.parse(text));
  for (const key of shownOnce) answer.data[key] = null;
  return JSON.stringify(answer);
}
