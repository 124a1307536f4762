/**
 * JSON text. What this program wrote itself has the type of what is in it, which is carried from the writer to the reader; what comes from
 * outside has none.
 */
import type { JsonValue } from './logger.js';

declare const content: unique symbol;

/** JSON text of such a content. */
export type JsonText<Content> = string & { readonly [content]: Content };

export const encodeJson = <Content>(value: Content): JsonText<Content> => JSON.stringify(value) as JsonText<Content>;

/** Of text that only this program writes. What comes from outside is checked by its schema before it is written. */
export const decodeJson = <Content>(text: JsonText<Content>): Content => JSON.parse(text);

/** Parses text from outside, for a schema to check; undefined: it is no JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** An object as its JSON text shows it: without what JSON leaves out. */
export const jsonCopy = (value: object): Readonly<Record<string, JsonValue>> => JSON.parse(JSON.stringify(value));
