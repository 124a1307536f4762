/** Reads the JSON or XML of cameras into one kind of tree, and tolerates the mistakes that cameras make in it. */
import { brokenJsonBound, type JsonBound, type JsonBounds } from '../../../shared/json-measure.js';
import { parseXml, textOf, type XmlElement } from './xml-parser.js';

/** Documents without pictures have a few KiB; the rest is room for a picture in base64. */
export const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;

/** No camera's document has more: these have some 60 values, and a picture is one of them. */
export const JSON_BOUNDS: JsonBounds = { depth: 32, keysInObject: 256, keys: 5_000, values: 20_000 };

/** Says for people which bound the JSON breaks. */
export const jsonProblem = (bound: JsonBound): string =>
  bound === 'depth'
    ? `JSON that is nested more than ${JSON_BOUNDS.depth} deep`
    : `JSON of more than ${JSON_BOUNDS[bound]} ${bound === 'keysInObject' ? 'keys in one object' : bound}`;

/** Some cameras write NUL or a byte order mark before the document. */
const DOCUMENT_BEGINS = /^[\s\p{Cc}\ufeff]*[[{]/u;

/**
 * Parses a document of JSON; undefined: the text is neither an object nor a list, or breaks the bounds. Control characters, which some
 * firmwares write, are taken out.
 */
export function parseJson(text: string): unknown {
  if (!DOCUMENT_BEGINS.test(text)) return undefined;
  if (brokenJsonBound(text, JSON_BOUNDS) !== null) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    // Some cameras write NUL around the document, and control characters within it.
    return parsedAs(withoutControls(text));
  }
}

function parsedAs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const SPACE = 0x20;
const DELETE = 0x7f;

/** Goes through the bytes, because a replacement of each of millions of control characters would take seconds. */
function withoutControls(text: string): string {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? SPACE;
    if (byte < SPACE || byte === DELETE) bytes[at] = SPACE;
  }
  return bytes.toString();
}

/**
 * Parses XML into a tree below its root element. Elements become keys, several of one name a list, and an element without children its
 * text.
 * @throws XmlError
 */
export function parseXmlTree(text: string): { name: string; tree: unknown } {
  const root = parseXml(text);
  return { name: root.name, tree: treeOf(root) };
}

function treeOf(element: XmlElement): unknown {
  if (element.children.length === 0) return textOf(element);
  // The tree has no prototype, because an element may be called `__proto__`.
  const tree: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const child of element.children) {
    const value = treeOf(child);
    const before = tree[child.name];
    if (before === undefined) tree[child.name] = value;
    else if (Array.isArray(before)) before.push(value);
    else tree[child.name] = [before, value];
  }
  return tree;
}

/** Closes JSON that was cut off, without what is incomplete at its end. Text that is no JSON, or breaks the bounds, remains as it is. */
export function closeCutJson(text: string): string {
  if (brokenJsonBound(text, JSON_BOUNDS) !== null) return text;
  /** Where the latest complete value ends, and how to close the lists and objects that are open there. */
  let safe = { end: 0, closers: '' };
  const open: string[] = [];
  let isText = false;
  for (let at = 0; at < text.length; at++) {
    const character = text[at];
    if (isText) {
      if (character === '\\') at++;
      else if (character === '"') isText = false;
      continue;
    }
    if (character === '"') isText = true;
    else if (character === '{' || character === '[') open.push(character === '{' ? '}' : ']');
    else if (character === '}' || character === ']') {
      open.pop();
      safe = { end: at + 1, closers: open.toReversed().join('') };
    } else if (character === ',') safe = { end: at, closers: open.toReversed().join('') };
  }
  return text.slice(0, safe.end) + safe.closers;
}

const DEPTH_MAX = 32;
const ELEMENTS_MAX = 5_000;

/**
 * Makes of JSON the tree of the same document in XML, for vendors that write one event in both forms. Members become children; the items of
 * a list become children of an element with the name of the list. null: the document is nested too deeply, or too large.
 */
export function elementOfJson(name: string, document: unknown): XmlElement | null {
  let elements = 0;
  function elementOf(key: string, value: unknown, depth: number): XmlElement | null {
    if (depth > DEPTH_MAX || ++elements > ELEMENTS_MAX) return null;
    const element: XmlElement = { name: key, children: [], rawText: '' };
    if (typeof value !== 'object' || value === null) {
      // In XML an ampersand is written as an entity.
      if (value !== null && value !== undefined) element.rawText = String(value).replaceAll('&', '&amp;');
      return element;
    }
    const members = Array.isArray(value) ? value.map((each) => [key, each] as const) : Object.entries(value);
    for (const [member, content] of members) {
      const child = elementOf(member, content, depth + 1);
      if (child === null) return null;
      element.children.push(child);
    }
    return element;
  }
  return elementOf(name, document, 0);
}
