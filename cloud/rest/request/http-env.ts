import type { HttpBindings } from '@hono/node-server';
import type { Piece } from '../../kernel/limit/entry.js';
import type { Warning } from '../resource/warning.js';

/** The share that the caller of a request has of the thread. */
export interface Share {
  /** Runs a piece of work when it is the caller's turn, and counts how long it took. */
  run<T>(piece: Piece<T>): Promise<T>;
}

/** The context of a request. */
export interface HttpEnv {
  Bindings: HttpBindings;
  Variables: {
    requestId: string;
    /** The client's network address. */
    address: string;
    /** Headers of the answer, whatever it will be (`reply.ts`). */
    headers: Record<string, string>;
    /** The answer as JSON text, before it was compressed; undefined for what is no such text. */
    answerText: string | undefined;
    /** The path of the endpoint that answers, as it was declared; undefined when there is none. */
    route: string | undefined;
    /** The time zone whose days the bare dates of the request are; undefined: it has none. */
    timezone: string | undefined;
    /** The warnings of the answer; undefined: none. */
    warnings: readonly Warning[] | undefined;
    /** The body, once somebody began to read it. */
    body: Promise<string> | undefined;
    /** What the body may have; that of a request with a bearer when left out. */
    bodyBytesMax: number | undefined;
    /** What the caller may use of the thread; undefined: nobody with a bearer asks. */
    share: Share | undefined;
  };
}
