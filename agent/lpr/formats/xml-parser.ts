/**
 * Parses the XML that cameras push: elements, text, CDATA, comments. A vehicle waits while it runs, and it needs a tenth of the time
 * of a general parser. Attributes are skipped; a DOCTYPE is refused, so that no entity can expand.
 */

const DEPTH_MAX = 32;
const ELEMENTS_MAX = 5_000;

export interface XmlElement {
  /** The local name, without the prefix of the namespace. */
  name: string;
  children: XmlElement[];
  /** Its own text as written, with entities still encoded; `textOf` decodes it. */
  rawText: string;
}

export class XmlError extends Error {
  constructor(message: string, position: number) {
    super(`XML: ${message} at character ${position}`);
    this.name = 'XmlError';
  }
}

interface OpenElement {
  element: XmlElement;
  qualifiedName: string;
}

/** Returns the root element. Throws XmlError when the text is not well formed or exceeds the bounds. */
export function parseXml(xml: string): XmlElement {
  const document: XmlElement = { name: '', children: [], rawText: '' };
  const open: OpenElement[] = [{ element: document, qualifiedName: '' }];
  let elements = 0;
  let position = 0;
  for (let start = xml.indexOf('<'); start !== -1; start = xml.indexOf('<', position)) {
    const top = open[open.length - 1];
    if (top === undefined) throw new XmlError('more elements closed than opened', start);
    if (start > position) top.element.rawText += xml.slice(position, start);
    const kind = xml.charCodeAt(start + 1);
    if (kind === QUESTION) {
      position = after(xml, '?>', start);
    } else if (kind === EXCLAMATION) {
      position = readSpecial(xml, start, top.element);
    } else if (kind === SLASH) {
      position = after(xml, '>', start);
      const name = xml.slice(start + 2, position - 1).trimEnd();
      if (open.length === 1 || top.qualifiedName !== name)
        throw new XmlError(`</${name.slice(0, 64)}> closes nothing`, start);
      open.pop();
    } else {
      if (++elements > ELEMENTS_MAX) throw new XmlError('too many elements', start);
      const end = tagEnd(xml, start);
      const isEmpty = xml.charCodeAt(end - 1) === SLASH;
      const qualifiedName = nameFrom(xml, start + 1, isEmpty ? end - 1 : end);
      const element = { name: localName(qualifiedName), children: [], rawText: '' };
      top.element.children.push(element);
      if (!isEmpty && open.push({ element, qualifiedName }) > DEPTH_MAX) throw new XmlError('nested too deeply', start);
      position = end + 1;
    }
  }
  const [root, ...others] = document.children;
  if (open.length > 1) throw new XmlError(`<${open[open.length - 1]?.qualifiedName}> is not closed`, xml.length);
  if (root === undefined || others.length > 0) throw new XmlError('not one root element', 0);
  return root;
}

/** Finds the first child with that local name. */
export function childOf(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  return parent?.children.find((child) => child.name === name);
}

/** Returns the decoded text of an element without blanks around it; empty when the element is absent. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  const text = element.rawText.trim();
  return text.includes('&') ? text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, decodeEntity) : text;
}

const QUESTION = 0x3f;
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const ENTITIES = new Map(Object.entries({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }));

function decodeEntity(whole: string, entity: string): string {
  if (!entity.startsWith('#')) return ENTITIES.get(entity) ?? whole;
  const code = entity[1] === 'x' ? Number.parseInt(entity.slice(2), 16) : Number.parseInt(entity.slice(1), 10);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : '';
}

/** Skips a comment, and reads CDATA as text. Returns where it ends. */
function readSpecial(xml: string, start: number, into: XmlElement): number {
  if (xml.startsWith('<!--', start)) return after(xml, '-->', start + 4);
  if (!xml.startsWith('<![CDATA[', start)) throw new XmlError('a declaration that is not allowed', start);
  const end = after(xml, ']]>', start);
  into.rawText += xml.slice(start + 9, end - 3).replaceAll('&', '&amp;');
  return end;
}

function after(xml: string, mark: string, from: number): number {
  const at = xml.indexOf(mark, from);
  if (at === -1) throw new XmlError(`no ${mark}`, from);
  return at + mark.length;
}

/** Finds the `>` of a start tag: the first one outside the values of attributes. */
function tagEnd(xml: string, start: number): number {
  let end = after(xml, '>', start) - 1;
  let quote = nextQuote(xml, start, end);
  while (quote !== -1) {
    const closed = after(xml, xml.charAt(quote), quote + 1);
    if (closed > end) end = after(xml, '>', closed) - 1;
    quote = nextQuote(xml, closed, end);
  }
  return end;
}

function nextQuote(xml: string, from: number, to: number): number {
  for (let at = from; at < to; at++) {
    const character = xml.charCodeAt(at);
    if (character === 0x22 || character === 0x27) return at;
  }
  return -1;
}

function nameFrom(xml: string, start: number, end: number): string {
  let at = start;
  while (at < end && xml.charCodeAt(at) > 0x20) at++;
  if (at === start) throw new XmlError('an element without a name', start);
  return xml.slice(start, at);
}

function localName(qualifiedName: string): string {
  return qualifiedName.slice(qualifiedName.indexOf(':') + 1);
}
