/** Reads JSON as the tree of the same document in XML, for vendors that write one event in both. */
import type { XmlElement } from './xml-parser.js';

const DEPTH_MAX = 32;
const ELEMENTS_MAX = 5_000;

/** Members as children, with those of a list below an element of its name, as XML has them. null: it is too deep or too much. */
export function elementOfJson(name: string, document: unknown): XmlElement | null {
  let elements = 0;
  function elementOf(key: string, value: unknown, depth: number): XmlElement | null {
    if (depth > DEPTH_MAX || ++elements > ELEMENTS_MAX) return null;
    const element: XmlElement = { name: key, children: [], rawText: '' };
    if (typeof value !== 'object' || value === null) {
      // What XML would write as an entity.
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
