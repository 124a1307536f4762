/**
 * Parses the XML that cameras push: elements, text, CDATA, comments. A vehicle waits for it, and this parser takes a tenth of the time of a
 * general one. Attributes are parsed only when one is asked for. A DOCTYPE is refused, so that no entity can expand.
 */

const DEPTH_MAX = 32;
const ELEMENTS_MAX = 5_000;

export interface XmlElement {
  /** The local name, without the prefix of the namespace. */
  name: string;
  children: XmlElement[];
  /** The element's own text as written, with entities still encoded; `textOf` decodes it. */
  rawText: string;
  /** The text after the name in the start tag, as written; `attributeOf` parses it. */
  rawAttributes?: string;
  /** The parsed attributes, once one was asked for. */
  attributes?: Map<string, string>;
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

/** Returns the root element. @throws XmlError when the text is not well formed or exceeds the bounds */
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
      const element: XmlElement = { name: localName(qualifiedName), children: [], rawText: '' };
      const attributesStart = start + 1 + qualifiedName.length;
      const tagClosed = isEmpty ? end - 1 : end;
      if (attributesStart + 1 < tagClosed) element.rawAttributes = xml.slice(attributesStart, tagClosed);
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

/** Returns the root element; undefined when the text is empty, not well formed, or exceeds the bounds. */
export function xmlRoot(xml: string): XmlElement | undefined {
  try {
    return xml === '' ? undefined : parseXml(xml);
  } catch {
    return undefined;
  }
}

/** Finds the first child with that local name. */
export function childOf(parent: XmlElement | undefined, name: string): XmlElement | undefined {
  if (parent === undefined) return undefined;
  // A vehicle waits for dozens of these searches, and a closure for each child would cost more than the parsing.
  for (const child of parent.children) if (child.name === name) return child;
  return undefined;
}

/** Returns the decoded text of an element, trimmed; empty when the element is absent. */
export function textOf(element: XmlElement | undefined): string {
  if (element === undefined) return '';
  return decoded(element.rawText.trim());
}

/** No tag of a camera has more attributes: further ones are not read. */
const ATTRIBUTES_MAX = 64;

/** Returns the decoded value of the first attribute with that local name; empty when there is none. */
export function attributeOf(element: XmlElement | undefined, name: string): string {
  if (element?.rawAttributes === undefined) return '';
  element.attributes ??= readAttributes(element.rawAttributes);
  return element.attributes.get(name) ?? '';
}

/**
 * Goes through the tag once, from its start. A search that starts again at each mark would take minutes for a tag of a hundred thousand
 * characters.
 */
function readAttributes(written: string): Map<string, string> {
  const found = new Map<string, string>();
  let at = 0;
  while (at < written.length && found.size < ATTRIBUTES_MAX) {
    const nameStart = skip(written, at, isBetweenAttributes);
    const nameEnd = skip(written, nameStart, isOfName);
    const equals = skip(written, nameEnd, isBlank);
    at = equals;
    if (written.charCodeAt(equals) !== EQUALS) continue;
    const opened = skip(written, equals + 1, isBlank);
    at = opened;
    if (!isQuote(written.charCodeAt(opened))) continue;
    const closed = written.indexOf(written.charAt(opened), opened + 1);
    if (closed === -1) break;
    const name = localName(written.slice(nameStart, nameEnd));
    if (!found.has(name)) found.set(name, decoded(written.slice(opened + 1, closed).trim()));
    at = closed + 1;
  }
  return found;
}

const isBlank = (code: number): boolean => code <= 0x20;
const isQuote = (code: number): boolean => code === 0x22 || code === 0x27;
const isBetweenAttributes = (code: number): boolean => isBlank(code) || code === EQUALS;
const isOfName = (code: number): boolean => !isBetweenAttributes(code);

/** Returns the position of the first character, from there on, that is not to be skipped. */
function skip(text: string, from: number, isSkipped: (code: number) => boolean): number {
  let at = from;
  while (at < text.length && isSkipped(text.charCodeAt(at))) at++;
  return at;
}

const decoded = (text: string): string =>
  text.includes('&') ? text.replace(/&(#x?[0-9a-fA-F]+|[a-z]+);/g, decodeEntity) : text;

const QUESTION = 0x3f;
const EXCLAMATION = 0x21;
const SLASH = 0x2f;
const EQUALS = 0x3d;
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
  for (let at = from; at < to; at++) if (isQuote(xml.charCodeAt(at))) return at;
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

/**
 * Replaces the text of one element of a document, or adds the element at the end. Everything else stays as the camera wrote it. A tag is
 * searched only up to the next `<`, which no attribute value holds, so that the cost grows with the document and no more.
 */
export function withText(xml: string, name: string, value: string): string {
  const escaped = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const element = new RegExp(`<((?:\\w+:)?${name})(\\s[^<>]*)?(?:/>|>[^<]*</(?:\\w+:)?${name}>)`);
  if (element.test(xml)) {
    return xml.replace(
      element,
      (_, tag: string, attributes: string = '') => `<${tag}${attributes}>${escaped}</${tag}>`,
    );
  }
  const end = xml.lastIndexOf('</');
  return `${xml.slice(0, end)}<${name}>${escaped}</${name}>\n${xml.slice(end)}`;
}
