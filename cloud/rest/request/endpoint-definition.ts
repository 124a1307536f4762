/** What a room says of an endpoint. */
import type { z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { EventId } from '../../../shared/ids.js';
import type { Authenticate, Caller } from '../../kernel/auth/entry.js';
import type { Change, CloudStore } from '../../kernel/store/entry.js';
import type { FailureLimiter, RequestLimiter, RequestTurns, ThreadShare } from '../../kernel/limit/entry.js';
import type { AuditLog, Audited } from './audited-request.js';
import type { BadRequests } from './bad-requests.js';
import type { RefuseForeignPage } from './foreign-pages.js';
import type { Warning } from '../resource/warning.js';
import type { HttpEnv } from './http-env.js';
import type { Idempotency } from './idempotency.js';
import type { RecordReader } from './record-version.js';
import type { Access } from './require-caller.js';
import type { RouteDescription } from './route-description.js';
import type { FieldError } from './validation.js';

/** The names in a path's braces. */
type IdName<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | IdName<Rest> : never;

/** The types of a path's parameters: numbers, except for events and weblinks. */
export type Ids<Path extends string> = {
  [Name in IdName<Path>]: Name extends 'event_id' ? EventId : Path extends `/v2/weblinks/${string}` ? string : number;
};

/** The parts of a request. `caller` is null at public endpoints, `found` what `find` returned. */
export interface ReadCall<Who, Path extends string, Body, Query, Found> {
  caller: Who;
  /** The path's parameters. */
  ids: Ids<Path>;
  body: Body;
  query: Query;
  found: Found;
  /** The request's query as it was written, without its question mark. */
  search: string;
  /** The client's network address. */
  address: string;
  requestId: string;
  /** Whether the request names the version of its record (`If-Match`). */
  namesVersion: boolean;
  /** Says whose days the bare dates of the request are; null: it has none. The answer then shows it. */
  daysAre: (timezone: string | null) => void;
  /** Says of what the answer warns; the description of the endpoint has `warns`. */
  warn: (warnings: readonly Warning[]) => void;
  /** Makes a signal that is aborted when the answer is over: it was sent, or the client went away. Few endpoints ask for one. */
  signal: () => AbortSignal;
}

/** The request as a handler gets it. */
export interface Call<Who, Path extends string, Body, Query, Found> extends ReadCall<Who, Path, Body, Query, Found> {
  /** Makes the one change of this request (`request-change.ts`). A change of the store itself has none of its steps. */
  change: Change;
}

export interface Request<Who, Path extends string, Body, Query, Found>
  extends RouteDescription,
    Audited<NoInfer<Body>> {
  path: Path;
  body?: z.ZodType<Body>;
  /** Returns the schema for the body of a request, if it depends on what was found or on the time; `body` is then only for the document. */
  bodyFor?: (found: Found) => z.ZodType<Body>;
  query?: z.ZodObject & z.ZodType<Query>;
  /** Finds what is wrong with the ids in a body of any shape. The answer shows it together with the problems of the schema. */
  checkIds?: (body: Readonly<Record<string, unknown>>, caller: Who) => Promise<FieldError[]>;
  /** Looks up what the path names, before the body is judged; null: 404. */
  find?: (call: Pick<ReadCall<Who, Path, never, never, never>, 'caller' | 'ids'>) => Promise<Found | null>;
  /** Looks up what path and body name together, after the body was judged; null: 404. It replaces `find` when the body holds the proof. */
  findByBody?: (call: Pick<ReadCall<Who, Path, Body, never, never>, 'ids' | 'body'>) => Promise<Found | null>;
  /** What the path names, where no GET by id shows it. Its version is what `If-Match` names. */
  named?: (found: Found) => object;
  /** The id of the record that it acts on, where its path does not hold it. */
  ownId?: (caller: Who) => number;
  /** Counts, by the client's address, requests that are refused before `handle` begins: 429 when that address has no refusal left. */
  refusals?: FailureLimiter;
}

export interface Definition<Who, Path extends string, Body, Query, Found, Answer>
  extends Request<Who, Path, Body, Query, Found> {
  answer: z.ZodType<Answer>;
  /** Keys of the answer that hold a secret: they are null when the answer is repeated. */
  shownOnce?: readonly (keyof NoInfer<Answer> & string)[];
  /** Keys of the answer of a GET by id that time alone moves: they are no part of its version. */
  moving?: readonly (keyof NoInfer<Answer> & string)[];
  handle: (call: Call<Who, Path, Body, Query, Found>) => Promise<NoInfer<Answer>>;
  /**
   * Names who asks without a bearer and proves by the body who they are; null: nobody has. A repeat of theirs is known as one from any
   * address, and kept apart from those of others as that of a caller with a bearer is.
   */
  provenCaller?: (call: Pick<ReadCall<Who, Path, Body, never, never>, 'ids' | 'body'>) => Promise<string | null>;
}

/** Sends something other than `data` in the envelope: a page with its meta, or a file. */
export interface SendingDefinition<Path extends string, Body, Query, Found>
  extends Request<Caller, Path, Body, Query, Found>,
    Access {
  send: (c: Context<HttpEnv>, call: Call<Caller, Path, Body, Query, Found>, deps: EndpointDeps) => Promise<Response>;
}

/** Answers a bare object, to callers and to strangers. */
export interface OpenDefinition<Path extends string, Body, Answer>
  extends Request<Caller | null, Path, Body, undefined, undefined>,
    Access {
  answer: z.ZodType<Answer>;
  /** Counts the requests without a bearer, by the client's address. */
  strangers: RequestLimiter;
  /** @param call.acceptLanguage the header */
  handle: (
    call: Call<Caller | null, Path, Body, undefined, undefined> & { acceptLanguage: string | undefined },
  ) => Promise<NoInfer<Answer>>;
}

/** The parts that all endpoints share. */
export interface EndpointDeps {
  store: Pick<CloudStore, 'change'>;
  authenticate: Authenticate;
  /** Per token. */
  requests: RequestLimiter;
  /** Per token. */
  requestTurns: RequestTurns;
  /** Per account. */
  threadShare: ThreadShare;
  /** Per address. */
  badRequests: BadRequests;
  refuseForeignPage: RefuseForeignPage;
  idempotency: Idempotency;
  /** Signs the links to pictures in an answer's JSON text. */
  imageLinks: { signJson(json: string): string };
  audit: AuditLog;
  /** Every GET by id, by its path. */
  records: ReadonlyMap<string, RecordReader>;
}

/**
 * Answers a request with what `work` returns or throws, and does what every request needs (`every-request.ts`). It is no middleware,
 * because a chain of them costs each request as much as its routing and its checks together.
 */
export type Respond = (c: Context<HttpEnv>, work: () => Response | Promise<Response>) => Promise<Response>;
