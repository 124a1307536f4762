/**
 * A log line has fields for programs and a message for people. A pino logger fits this type. pino writes each field as JSON, and an
 * Error only under the key `err`. The type of the fields refuses what pino would write as `{}` or leave out, so that the log shows the
 * reason of every failure.
 */
type LogLine = <Fields extends Record<string, unknown>>(fields: Fields & LogFields<Fields>, message: string) => void;

/**
 * `Fields` with `never` in place of what a log line cannot show: anything under the key `error`, and under any key but `err` an Error,
 * a value of unknown type, a Set, a Map, a bigint, bytes, a function, a promise or a regular expression.
 */
export type LogFields<Fields> = {
  [Key in keyof Fields]: Key extends 'err' ? unknown : Key extends 'error' ? never : Shown<Fields[Key]>;
};

/** What JSON shows of a value; `never` for a value of which it shows nothing. */
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

/** A program logs here what it did and what went wrong, by importance. */
export interface Logger {
  debug: LogLine;
  info: LogLine;
  warn: LogLine;
  error: LogLine;
}

/** Writes nothing: for tests and tools. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** Returns a logger whose lines have these fields too; those of a line go before them. */
export function withFields(logger: Logger, fields: { readonly [name: string]: JsonValue }): Logger {
  const level =
    (name: keyof Logger): LogLine =>
    (own, message) =>
      logger[name]({ ...fields, ...own } as typeof own, message);
  return { debug: level('debug'), info: level('info'), warn: level('warn'), error: level('error') };
}
