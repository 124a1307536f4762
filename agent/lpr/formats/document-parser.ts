/** Reads the JSON or XML that a camera posts into one kind of tree, with what cameras do wrong in it. */
import { parseXml, textOf, type XmlElement } from './xml-parser.js';

/** Real ones without pictures have a few KiB; a base64 picture makes up the rest. */
export const DOCUMENT_BYTES_MAX = 8 * 1024 * 1024;

/** undefined: it is no JSON. Control characters within texts, which some firmwares write, are taken out. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // NUL behind or before the document, and control characters in it.
    const cleaned = text.replace(/\p{Cc}+/gu, ' ').trim();
    try {
      return JSON.parse(cleaned);
    } catch {
      return undefined;
    }
  }
}

/**
 * The document below its root element, elements as keys; several of one name are a list, and what has no children is its text.
 * @throws XmlError
 */
export function parseXmlTree(text: string): { name: string; tree: unknown } {
  const root = parseXml(text);
  return { name: root.name, tree: treeOf(root) };
}

function treeOf(element: XmlElement): unknown {
  if (element.children.length === 0) return textOf(element);
  // Without a prototype: an element may be called `__proto__`.
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
