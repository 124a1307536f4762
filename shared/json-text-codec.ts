/**
 * JSON text. Text that this program wrote itself carries the type of its content from the writer to the reader; text from outside is
 * `unknown` until a schema has checked it.
 */
import type { JsonValue } from './logger.js';

declare const content: unique symbol;

/** JSON text of a value of type `Content`. */
export type JsonText<Content> = string & { readonly [content]: Content };

export const encodeJson = <Content>(value: Content): JsonText<Content> => JSON.stringify(value) as JsonText<Content>;

/** Parses text that only this program writes. Text from outside must be checked by a schema before it is stored. */
export const decodeJson = <Content>(text: JsonText<Content>): Content => JSON.parse(text);

/** Parses text from outside, for a schema to check; undefined when it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Returns a copy of an object as JSON represents it, without the values that JSON leaves out. */
export const jsonCopy = (value: object): Readonly<Record<string, JsonValue>> => JSON.parse(JSON.stringify(value));
