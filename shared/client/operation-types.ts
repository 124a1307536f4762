/** The arguments and answers of a call, by the operation at its path and method. */
import type { paths } from './paths.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** The paths that can be asked by a method. */
export type PathOf<M extends Method> = {
  [Path in keyof paths]: paths[Path] extends Record<M, unknown> ? Path : never;
}[keyof paths] &
  string;

type OperationAt<M extends Method, Path extends PathOf<M>> =
  paths[Path] extends Record<M, infer Operation> ? Operation : never;

type Parameters<Operation> = Operation extends { parameters: infer Given } ? Given : unknown;

/** Ids in paths are text; a number will do as well. */
type Ids<Given> = { [Name in keyof Given]: string | number };

type WithPath<Given> = Given extends { path: infer Named }
  ? { path: Ids<Named> }
  : Given extends { path?: infer Named }
    ? { path?: Ids<Named> }
    : unknown;

type WithQuery<Given> = Given extends { query: infer Named }
  ? { query: Named }
  : Given extends { query?: infer Named }
    ? { query?: Named }
    : unknown;

type WithBody<Operation> = Operation extends { requestBody: { content: { 'application/json': infer Body } } }
  ? { body: Body }
  : Operation extends { requestBody?: { content: { 'application/json': infer Body } } }
    ? { body?: Body }
    : unknown;

/** The options of every call. */
export interface CallOptions {
  signal?: AbortSignal;
  /** How long one try may last; 30 s when left out. */
  timeoutMs?: number;
  /** For a POST: a request with the same key is carried out once within 24 h. Left out: a new key for each call. */
  idempotencyKey?: string;
  /** The ETag that a thing had when it was read: 412 when it was changed meanwhile. */
  ifMatch?: string;
}

/** The options of a call of this operation. */
export type OptionsOf<M extends Method, Path extends PathOf<M>> = CallOptions &
  WithPath<Parameters<OperationAt<M, Path>>> &
  WithQuery<Parameters<OperationAt<M, Path>>> &
  WithBody<OperationAt<M, Path>>;

/** The options of a call, which can be left out when none is needed. */
export type Rest<Options> = object extends Options ? [options?: Options] : [options: Options];

type AnswerOf<Operation> = Operation extends { responses: { 200: { content: infer Content } } }
  ? Content[keyof Content]
  : unknown;

/** The answer of an operation: `data` where it is in the envelope, else the whole answer. */
export type DataOf<M extends Method, Path extends PathOf<M>> =
  AnswerOf<OperationAt<M, Path>> extends { data: infer Data } ? Data : AnswerOf<OperationAt<M, Path>>;

/** The paths whose GET answers a list. */
export type ListPath = {
  [Path in PathOf<'get'>]: DataOf<'get', Path> extends readonly unknown[] | undefined
    ? Path
    : unknown extends DataOf<'get', Path>
      ? Path
      : never;
}[PathOf<'get'>];

/** One item of the list. */
export type ItemOf<Path extends ListPath> = DataOf<'get', Path> extends readonly (infer Item)[] ? Item : unknown;
