/**
 * Reads what Dahua cameras post by ITSAPI, at the push path or below it: `TollgateInfo`, `DeviceInfo`, and `KeepAlive`, which may also come
 * by GET.
 */
import type { CameraPush, ParsedPush, PushReader } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { valueAt } from '../formats/path-parser.js';
import { isMultipart, splitMultipart } from '../formats/multipart-splitter.js';
import { hasPlate } from '../formats/plate-key-parser.js';
import { fullAndPlate, isJpeg } from '../formats/picture-parser.js';
import { parseTollgate } from './dahua-parser.js';
import { parseDahuaPart } from './dahua-stream.js';

/** Reads `PictureHttpUpload`: the lines of an event as in the stream, and its pictures. */
function parseUpload({ contentType, body, camera }: CameraPush): ParsedPush {
  const parts = splitMultipart(body, contentType) ?? [];
  // An event at the very end of the body may be cut off.
  const isEnded = (content: Uint8Array) => content.byteOffset + content.byteLength < body.byteOffset + body.byteLength;
  const event = parts.find(({ content }) => !isJpeg(content) && content.length > 0 && isEnded(content));
  if (event === undefined) return { kind: 'malformed', reason: 'no part with an event' };
  const parsed = parseDahuaPart(decodeText(event.content.subarray(0, EVENT_BYTES_MAX)).trim(), camera.timezone);
  if (parsed.kind === 'other') return { kind: 'other', event: 'no vehicle' };
  if (parsed.kind === 'malformed') return parsed;
  const sent = fullAndPlate(parts.map(({ content }) => content).filter(isJpeg));
  return { kind: 'read', read: { ...parsed.read, pictures: { ...parsed.read.pictures, ...sent } } };
}

const EVENT_BYTES_MAX = 256 * 1024;
const OTHERS = ['DeviceInfo', 'HeartBeat', 'KeepAlive', 'Active', 'DeviceID'];

/** Without this answer a camera repeats its push. */
export const dahuaPush: PushReader = {
  accepted: { status: 200, contentType: 'application/json', body: '{"Result": true}' },
  acceptsGet: true,
  parse({ contentType, body, camera, path = '' }: CameraPush): ParsedPush {
    if (/keep-?alive$/i.test(path)) return { kind: 'heartbeat' };
    if (body.length === 0) return { kind: 'other', event: 'empty body' };
    if (isMultipart(contentType)) return parseUpload({ contentType, body, camera });
    const document = parseJson(decodeText(body, contentType));
    if (document === undefined) return { kind: 'malformed', reason: 'no JSON' };
    const read = parseTollgate(document, camera.timezone);
    if (read !== null) return { kind: 'read', read };
    if (hasPlate(document)) return { kind: 'malformed', reason: 'a plate without its Picture' };
    if (/device-?info$/i.test(path)) return { kind: 'other', event: 'DeviceInfo' };
    if (valueAt(document, 'Active') !== undefined) return { kind: 'heartbeat' };
    const other = OTHERS.find((name) => valueAt(document, name) !== undefined);
    return other === undefined ? { kind: 'malformed', reason: 'no Picture' } : { kind: 'other', event: other };
  },
};
