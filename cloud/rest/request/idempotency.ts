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
import { createMutex } from '../../../shared/flow/mutex.js';
import type { Change, CloudStore, Row, Tx } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import {
  beginIdempotencyKey,
  endIdempotencyKey,
  findIdempotencyKey,
  type IdempotencyScope,
} from './idempotency-queries.js';
import type { HttpEnv } from './http-env.js';
import { addHeader, replyJson } from './reply.js';
import { readBody } from './body.js';

/** How long an answer is kept for repeats. */
export const ANSWERS_KEPT_MS = 24 * 3_600_000;
const INTERRUPTED = 'The first request with this key was interrupted: look what came of it, then use another key';
const UNDER_WAY = 'Another request with this key is under way: ask again with it in a moment';
const KEY = /^[\x21-\x7e]{1,255}$/;

/** A step of the transaction of a request. @throws ApiError to refuse the request */
export type Step = (tx: Tx) => Promise<void>;

/** Of a request that has no key, or none that begins. */
export const noKey: Step = async () => {};

interface IdempotentCall {
  /** Who asks: `user 5`, `api 3`, `weblink AbCd`, `public 192.0.2.7`. */
  caller: string;
  /** Keys of the answer's `data` that are shown once. */
  shownOnce: readonly string[];
  /** false: the work is idempotent by itself, so a repeat does it again and nothing of the answer is kept. */
  isKept: boolean;
  /** Keeps the answer, in the turn of the caller. */
  change: Change;
  /** @param beginKey the first step of its change */
  work: (beginKey: Step) => Promise<Response>;
}

export interface Idempotency {
  /**
   * Does the work, or repeats the answer that it gave within the last 24 h. Only successes are kept: a refused request has done nothing. The
   * key begins in the transaction of the request, so that it is there exactly when the work is done; the answer follows in one of its own,
   * because it shows what readers see by then.
   * Throws code 23 on `idempotency_key` for a key that had another body, or whose first request was interrupted.
   */
  once(c: Context<HttpEnv>, call: IdempotentCall): Promise<Response>;
}

export interface IdempotencyDeps {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  secrets: Pick<Secrets, 'seal' | 'open'>;
}

interface KeyUsed extends IdempotencyScope {
  body_hash: string;
}

type Known = Pick<Row<'idempotency_keys'>, 'body_hash' | 'status' | 'response' | 'etag'>;

export function createIdempotency({ store, clock, secrets }: IdempotencyDeps): Idempotency {
  /** The requests under way: a repeat waits for the first one. */
  const turns = createMutex<string>();

  async function answerOnce(c: Context<HttpEnv>, key: KeyUsed, call: IdempotentCall): Promise<Response> {
    const now = clock.now();
    const since = now - ANSWERS_KEPT_MS;
    const known = await findIdempotencyKey(store.reader, { ...key, since });
    if (known !== undefined) return answerAgain(c, secrets, { known, key, call });
    let hasBegun = false;
    const begin: Step = async (tx) => {
      const isFirst = await beginIdempotencyKey(tx, { ...key, created_at: now }, since);
      // Another process may have begun it since it was looked up.
      if (!isFirst && call.isKept) throw refused(UNDER_WAY);
      tx.onCommit(() => {
        hasBegun = true;
      });
    };
    const response = await call.work(begin);
    const text = c.get('answerText') ?? (await response.clone().text());
    const kept = call.isKept ? secrets.seal('idempotent_answer', withoutSecrets(text, call.shownOnce)) : '';
    const etag = c.get('headers').ETag ?? null;
    await call.change(async (tx) => {
      // Of a request that changed nothing.
      if (!hasBegun) await begin(tx);
      await endIdempotencyKey(tx, { ...key, status: response.status, response: kept, etag });
    });
    return response;
  }

  return {
    async once(c, call) {
      const key = c.req.header('idempotency-key');
      if (key === undefined) return call.work(noKey);
      if (!KEY.test(key)) throw refused('Must be 1 to 255 visible ASCII characters');
      const body = await readBody(c).catch((refusal: unknown) => {
        if (refusal instanceof ApiError) return null;
        throw refusal;
      });
      // The work refuses it in its place among the checks, and begins no key.
      if (body === null) return call.work(noKey);
      const body_hash = createHash('sha256').update(body).digest('hex');
      const used = { caller: call.caller, route: `${c.req.method} ${c.req.path}`, key, body_hash };
      const name = JSON.stringify([used.caller, used.route, key]);
      return turns.run(name, () => answerOnce(c, used, call));
    },
  };
}

/** Answers a repeat. @throws ApiError on `idempotency_key` for another body, and when the first request was interrupted */
async function answerAgain(
  c: Context<HttpEnv>,
  secrets: Pick<Secrets, 'open'>,
  { known, key, call }: { known: Known; key: KeyUsed; call: IdempotentCall },
): Promise<Response> {
  if (known.body_hash !== key.body_hash) throw refused('This key came with another body');
  if (!call.isKept) return call.work(noKey);
  if (known.response === null || known.status === null) throw refused(INTERRUPTED);
  const answer = openAnswer(secrets, known.response);
  if (known.etag !== null) addHeader(c, 'ETag', known.etag);
  return replyJson(c, answer, known.status);
}

const refused = (message: string) => new ApiError(VALIDATION, { field: 'idempotency_key', message });

/** @throws ApiError on `idempotency_key` for an answer that was sealed with another server key: what it was is lost, and the work is done */
function openAnswer({ open }: Pick<Secrets, 'open'>, kept: string): string {
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
