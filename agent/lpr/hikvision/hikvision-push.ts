/** Parses what Hikvision cameras post: multipart (or bare XML) with pictures in any order. */
import type { CameraPictures, CameraPush, ParsedPush, PictureBox, PushReader } from '../camera.js';
import { parseHikvisionEvent, XML_CHARACTERS_MAX } from './hikvision-parser.js';
import { type MultipartPart, splitMultipart } from '../formats/multipart-splitter.js';

const BYTE_ORDER_MARK_BYTES = 3;
const XML_BYTES_MAX = BYTE_ORDER_MARK_BYTES + 3 * XML_CHARACTERS_MAX + 3;

/** The answer is empty, because the firmware's HTTP client repeats a push when the answer has a body that it does not expect. */
export const hikvisionPush: PushReader = {
  parse: parsePush,
  accepted: { status: 200, contentType: null, body: '' },
};

function parsePush({ contentType, body, camera }: CameraPush): ParsedPush {
  if (body.length === 0) return { kind: 'other', event: 'empty body' };
  const parts = partsOf(body, contentType);
  if (parts.length === 0) return { kind: 'malformed', reason: 'multipart without a boundary' };
  const xml = parts.find(isXml);
  if (xml === undefined) {
    if (parts.some(isJson)) return { kind: 'other', event: 'JSON event' };
    return { kind: 'malformed', reason: 'no XML part' };
  }
  const parsed = parseHikvisionEvent(decode(xml.content), camera.timezone);
  if (parsed.kind !== 'read') return parsed;
  return { kind: 'read', read: { ...parsed.read, pictures: picturesOf(parts, parsed.plate_box) } };
}

function partsOf(body: Uint8Array, contentType: string): MultipartPart[] {
  const whole: MultipartPart = { name: '', filename: '', contentType: '', content: body };
  if (/^\s*multipart\//i.test(contentType)) return splitMultipart(body, contentType) ?? (isXml(whole) ? [whole] : []);
  if (isXml(whole) || isJson(whole)) return [whole];
  return splitMultipart(body, '') ?? [whole];
}

/** Judges a part by its first bytes, because names and content types of parts are not reliable. */
function isXml(part: MultipartPart): boolean {
  return firstCharacter(part.content) === '<';
}

function isJson(part: MultipartPart): boolean {
  const first = firstCharacter(part.content);
  return first === '{' || first === '[';
}

function firstCharacter(content: Uint8Array): string {
  const start = Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, 64)).toString('utf8');
  return start
    .replace(/^\ufeff/, '')
    .trimStart()
    .charAt(0);
}

/** What is too long is decoded just far enough to be refused: a character of the text comes of at most three bytes. */
function decode(content: Uint8Array): string {
  return Buffer.from(content.buffer, content.byteOffset, Math.min(content.byteLength, XML_BYTES_MAX))
    .toString('utf8')
    .replace(/^\ufeff/, '');
}

function isJpeg({ content }: MultipartPart): boolean {
  return content[0] === 0xff && content[1] === 0xd8;
}

/**
 * Finds the plate's picture by its name. As full picture it prefers the detection's, then the vehicle's, then any other; of several
 * it prefers the largest.
 */
function picturesOf(parts: MultipartPart[], plateBox: PictureBox | null): CameraPictures {
  const pictures = parts.filter(isJpeg).sort((a, b) => b.content.length - a.content.length);
  const plate = pictures.find((part) => nameHas(part, 'plate'));
  const others = pictures.filter((part) => part !== plate && !nameHas(part, 'plate'));
  const detection = others.find((part) => nameHas(part, 'detection'));
  const full = detection ?? others.find((part) => nameHas(part, 'vehicle')) ?? others[0];
  return {
    full: full?.content ?? null,
    plate: plate?.content ?? null,
    // The box lies in the detection picture; a vehicle picture is already cut out of it.
    plate_box: detection === undefined ? null : plateBox,
  };
}

function nameHas(part: MultipartPart, word: string): boolean {
  return part.filename.toLowerCase().includes(word) || part.name.toLowerCase().includes(word);
}
