/**
 * A log line has fields for programs and a message for people. A pino logger fits this type. pino writes each field as JSON, and an Error
 * only under the key `err`. The type of the fields rejects values that pino would write as `{}` or leave out, so that the reason of every
 * failure reaches the log.
 */
type LogLine = <Fields extends Record<string, unknown>>(fields: Fields & LogFields<Fields>, message: string) => void;

/**
 * `Fields` with `never` in place of values that a log line cannot show. Under any key but `err` these are an Error, a value of unknown type,
 * a Set, a Map, a bigint, bytes, a function, a promise and a regular expression. The key `error` is never allowed.
 */
export type LogFields<Fields> = {
  [Key in keyof Fields]: Key extends 'err' ? unknown : Key extends 'error' ? never : Shown<Fields[Key]>;
};

/** The type of a value as JSON shows it; `never` when JSON shows nothing of it. */
type Shown<Value> = unknown extends Value
  ? never
  : Value extends JsonValue | { toJSON(): unknown }
    ? Value
    : Value extends Unshown
      ? never
      : { [Key in keyof Value]: Shown<Value[Key]> };

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue };

type Unshown =
  | bigint
  | symbol
  | ((...given: never[]) => unknown)
  | Error
  | ReadonlySet<unknown>
  | ReadonlyMap<unknown, unknown>
  | ArrayBufferView
  | ArrayBuffer
  | PromiseLike<unknown>
  | RegExp;

/** The log of a program, one method per level of importance. */
export interface Logger {
  debug: LogLine;
  info: LogLine;
  warn: LogLine;
  error: LogLine;
}

/** Writes nothing: for tests and tools. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a logger that adds these fields to every line. A field of the line itself wins over an added one with the same name. */
export function withFields(logger: Logger, fields: { readonly [name: string]: JsonValue }): Logger {
  const level =
    (name: keyof Logger): LogLine =>
    (own, message) =>
      logger[name]({ ...fields, ...own } as typeof own, message);
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
