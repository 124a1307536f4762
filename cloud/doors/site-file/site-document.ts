/** The YAML of a site file: its content, the problems of its form, and the lines of its items. The time it takes grows linearly with the file. */
import {
  type Alias,
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from 'yaml';
import type { SitePath } from './site-items.js';
import { errorText } from '../../../shared/error-text.js';

/** How deeply values may be nested, as in a body of REST. */
const DEPTH_MAX = 32;
/** How many syntax problems are shown: most of those after the first one follow from it. */
const SYNTAX_PROBLEMS_SHOWN = 3;

/** A problem at its line. */
export interface LineProblem {
  line: number;
  text: string;
}

export interface SiteDocument {
  /** The problems of the form; those of the content are not among them. */
  problems: LineProblem[];
  /** Undefined if the form is too broken to read the content. */
  readable: { content: unknown } | undefined;
  /** The line where the thing begins: a value at its key, an item of a list at itself, and a missing value at the thing that lacks it. */
  lineOf(path: SitePath): number;
}

export function parseSiteDocument(text: string): SiteDocument {
  const lines = new LineCounter();
  // The library compares each key of a mapping with all others.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
  const lineOf = (offset: number | undefined) => (offset === undefined ? 1 : lines.linePos(offset).line);
  const offsetOf = offsetFinder(document);
  const located = { lineOf: (path: SitePath) => lineOf(offsetOf(path)) };
  const syntax = [...document.errors, ...document.warnings]
    .map(({ code, message, pos: [offset] }) => ({
      line: lineOf(offset),
      // The library composes mappings and lists by recursion.
      text: code === 'RESOURCE_EXHAUSTION' ? TOO_DEEP : message,
    }))
    .sort((a, b) => a.line - b.line);
  if (document.errors.length > 0)
    return { ...located, problems: syntax.slice(0, SYNTAX_PROBLEMS_SHOWN), readable: undefined };

  const { repeated, tooDeep, unknownAlias } = inspect(document);
  const repeatedKeys = repeated.map(({ key, offset }) => ({
    line: lineOf(offset),
    text: `the key ${key} is given twice`,
  }));
  const problems = [...syntax, ...repeatedKeys];
  if (tooDeep !== undefined)
    return { ...located, problems: [...problems, { line: lineOf(tooDeep), text: TOO_DEEP }], readable: undefined };
  try {
    // When a key is given twice, the rest can still be checked.
    return { ...located, problems, readable: { content: document.toJS() } };
  } catch (error) {
    // There is an alias of nothing, or there are aliases of aliases, with which a small file would fill the memory.
    const reason = errorText(error);
    return { ...located, problems: [...problems, { line: lineOf(unknownAlias), text: reason }], readable: undefined };
  }
}

const TOO_DEEP = `is nested more than ${DEPTH_MAX} deep`;

interface Inspected {
  /** Keys that their mapping has already, with their offsets. */
  repeated: { key: string; offset: number | undefined }[];
  /** Where the first thing stands that is nested too deep. */
  tooDeep: number | undefined;
  /** Where the first alias stands whose anchor was not set before it. */
  unknownAlias: number | undefined;
}

/** Goes through the document in its order, without recursion. */
function inspect(document: Document): Inspected {
  const found: Inspected = { repeated: [], tooDeep: undefined, unknownAlias: undefined };
  const anchors = new Set<string>();
  const pending: { node: unknown; depth: number }[] = [{ node: document.contents, depth: 1 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { node, depth } = next;
    if (isAlias(node)) {
      if (!anchors.has(node.source)) found.unknownAlias ??= startOf(node);
      continue;
    }
    const { anchor } = (node ?? {}) as { anchor?: string };
    if (anchor !== undefined) anchors.add(anchor);
    if (!isMap(node) && !isSeq(node)) continue;
    if (depth > DEPTH_MAX) {
      found.tooDeep ??= startOf(node);
      continue;
    }
    const inside: unknown[] = isMap(node) ? node.items.flatMap(({ key, value }) => [key, value]) : [...node.items];
    if (isMap(node)) noteRepeated(node, found);
    for (const each of inside.reverse()) pending.push({ node: each, depth: depth + 1 });
  }
  return found;
}

function noteRepeated(map: YAMLMap, { repeated }: Inspected): void {
  const keys = new Set<unknown>();
  for (const { key } of map.items) {
    const value = isScalar(key) ? key.value : key;
    if (keys.has(value)) repeated.push({ key: String(value), offset: startOf(key) });
    keys.add(value);
  }
}

/** Finds the offset of a path, also of very many paths into one mapping. */
function offsetFinder(document: Document): (path: SitePath) => number | undefined {
  const indices = new WeakMap<YAMLMap, Map<unknown, YAMLMap['items'][number]>>();
  const targets = new WeakMap<Alias, unknown>();
  function indexOf(map: YAMLMap) {
    const index = indices.get(map) ?? new Map<unknown, YAMLMap['items'][number]>();
    if (indices.has(map)) return index;
    indices.set(map, index);
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : pair.key;
      if (!index.has(key)) index.set(key, pair);
    }
    return index;
  }
  function resolved(node: unknown): unknown {
    if (!isAlias(node)) return node;
    if (!targets.has(node)) targets.set(node, node.resolve(document));
    return targets.get(node);
  }
  return (path) => {
    let node: unknown = document.contents;
    let offset = startOf(node);
    for (const part of path) {
      node = resolved(node);
      if (isMap(node)) {
        const pair = indexOf(node).get(part);
        if (pair === undefined) return offset;
        offset = startOf(pair.key) ?? offset;
        node = pair.value;
      } else if (isSeq(node) && typeof part === 'number') {
        node = node.items[part];
        offset = startOf(node) ?? offset;
      } else {
        return offset;
      }
    }
    return offset;
  };
}

function startOf(node: unknown): number | undefined {
  return (node as Node | null | undefined)?.range?.[0];
}
