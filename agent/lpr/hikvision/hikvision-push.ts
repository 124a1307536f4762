/** Parses what Hikvision cameras post: multipart (or bare XML) with pictures in any order. */
import type { ImageRole } from '../../../shared/uplink.js';
import type { CameraPictures, CameraPush, CameraRead, ParsedPush, PushReader } from '../camera.js';
import {
  type HikvisionEvent,
  parseHikvisionEvent,
  parseHikvisionJson,
  parseHikvisionQuery,
  XML_CHARACTERS_MAX,
} from './hikvision-parser.js';
import { decodeText } from '../formats/charset-parser.js';
import { isMultipart, type MultipartPart, splitMultipart, wholeBody } from '../formats/multipart-splitter.js';
import { fullAndPlate, isJpeg } from '../formats/picture-parser.js';

const FORM_BYTES_MAX = 8 * 1024;
const BYTE_ORDER_MARK_BYTES = 3;
const XML_BYTES_MAX = BYTE_ORDER_MARK_BYTES + 3 * XML_CHARACTERS_MAX + 3;

/** The answer is empty, because the firmware's HTTP client repeats a push when it gets a body that it does not expect. */
export const hikvisionPush: PushReader = {
  parse: parsePush,
  parseFirst,
  accepted: { status: 200, contentType: null, body: '' },
};

const NO_PICTURES: CameraPictures = { full: null, plate: null, plate_box: null };

function parsePush({ contentType, body, camera, query = '' }: CameraPush): ParsedPush {
  const isForm = /^\s*application\/x-www-form-urlencoded/i.test(contentType);
  const form = isForm ? decode(body.subarray(0, FORM_BYTES_MAX)) : query;
  const written = isForm || body.length === 0 ? parseHikvisionQuery(form, camera.timezone) : null;
  if (written !== null)
    return written.kind === 'read' ? { kind: 'read', read: { ...written.read, pictures: NO_PICTURES } } : written;
  if (body.length === 0) return { kind: 'other', event: 'empty body' };
  const parts = partsOf(body, contentType);
  if (parts.length === 0) return { kind: 'malformed', reason: 'multipart without a boundary' };
  const document = parts.find(isXml) ?? parts.find(isJson);
  if (document === undefined) return { kind: 'malformed', reason: 'no part with XML or JSON' };
  const text = decode(document.content, document.contentType || contentType);
  const parseEvent = isXml(document) ? parseHikvisionEvent : parseHikvisionJson;
  const parsed = parseEvent(text, camera.timezone);
  if (parsed.kind !== 'read') return parsed;
  const pictures = picturesOf(parts, parsed);
  const follow = parsed.hasMoreData && !parts.some(hasJpeg);
  return {
    kind: 'read',
    read: { ...parsed.read, pictures: follow ? { ...pictures, follow: ['full', 'cropped'] } : pictures },
  };
}

/** Reads only an event that lists its pictures, because they are announced with the read. */
function parseFirst(part: MultipartPart, { camera }: Pick<CameraPush, 'camera'>): CameraRead | null {
  if (!isXml(part)) return null;
  const parsed = parseHikvisionEvent(decode(part.content, part.contentType), camera.timezone);
  if (parsed.kind !== 'read' || parsed.hasMoreData || parsed.offered !== null) return null;
  const { read, listed, plate_box } = parsed;
  const full = listed.filter((name) => !name.includes('plate'));
  const isCut = plate_box !== null && full.some((name) => name.includes('detection'));
  const follow: ImageRole[] = full.length > 0 ? ['full'] : [];
  if (full.length < listed.length || isCut) follow.push('cropped');
  return follow.length === 0 ? null : { ...read, pictures: { ...NO_PICTURES, follow } };
}

function partsOf(body: Uint8Array, contentType: string): MultipartPart[] {
  const whole = wholeBody(body);
  if (isMultipart(contentType)) return splitMultipart(body, contentType) ?? (isXml(whole) ? [whole] : []);
  if (isXml(whole) || isJson(whole)) return [whole];
  return splitMultipart(body, '') ?? [whole];
}

/** Looks at the first byte, because names and content types of parts are not reliable. */
function isXml(part: MultipartPart): boolean {
  return firstCharacter(part.content) === '<';
}

function isJson(part: MultipartPart): boolean {
  const first = firstCharacter(part.content);
  return first === '{' || first === '[';
}

function firstCharacter(content: Uint8Array): string {
  return decodeText(content.subarray(0, 64)).trimStart().charAt(0);
}

/** Decodes at most so many bytes that a text that is too long is still recognised as such: a character has at most three bytes. */
function decode(content: Uint8Array, contentType = ''): string {
  return decodeText(content.subarray(0, XML_BYTES_MAX), contentType);
}

const hasJpeg = ({ content }: MultipartPart): boolean => isJpeg(content);

/**
 * Finds the plate's picture by its name. The full picture is the detection's, or else the vehicle's, or else any other; the largest of
 * several counts. Where none was sent, it is the picture that the camera offers.
 */
function picturesOf(
  parts: MultipartPart[],
  { plate_box, offered }: Extract<HikvisionEvent, { kind: 'read' }>,
): CameraPictures {
  const pictures = parts.filter(hasJpeg).sort((a, b) => b.content.length - a.content.length);
  const plate = pictures.find((part) => nameHas(part, 'plate'));
  const others = pictures.filter((part) => part !== plate && !nameHas(part, 'plate'));
  const detection = others.find((part) => nameHas(part, 'detection'));
  const full = detection ?? others.find((part) => nameHas(part, 'vehicle')) ?? others[0];
  const isOffered = full === undefined && offered !== null;
  // The box lies in the detection picture; a vehicle picture is already cut out of it.
  const hasBox = isOffered ? offered.isDetection : detection !== undefined;
  return {
    full: full?.content ?? null,
    plate: plate?.content ?? null,
    plate_box: hasBox ? plate_box : null,
    ...(isOffered ? { full_address: offered.address } : {}),
  };
}

/**
 * Counts the pictures that an event of the alert stream announces, without parsing it; 0: it is no event of a plate.
 */
export function pictureCount(content: Uint8Array): number {
  const text = decode(content.subarray(0, XML_BYTES_MAX));
  return /<(?:\w+:)?ANPR>/.test(text) ? Number(/<(?:\w+:)?picNum>\s*(\d{1,2})\s*</.exec(text)?.[1] ?? 0) : 0;
}

/** Adds the pictures that followed the read in the stream. They have no names. */
export function withPictures(read: CameraRead, pictures: readonly Uint8Array[]): CameraRead {
  return pictures.length === 0 ? read : { ...read, pictures: { ...fullAndPlate(pictures), plate_box: null } };
}

function nameHas(part: MultipartPart, word: string): boolean {
  return part.filename.toLowerCase().includes(word) || part.name.toLowerCase().includes(word);
}
