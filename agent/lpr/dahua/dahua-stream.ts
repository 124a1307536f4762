/**
 * Listens to a Dahua camera that does not push: to the stream of pictures with their events (snapManager), or on a camera without that
 * stream to the stream of events (eventManager).
 */
import type { CameraRead, OpenCameraSource } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import type { StreamPart } from '../formats/stream-splitter.js';
import { type CameraStreamDeps, createStreamSource } from '../network/camera-stream.js';
import { parseEventLines, parseTrafficEvent, splitCodeLine, valueIn } from './dahua-parser.js';

const PICTURES =
  '/cgi-bin/snapManager.cgi?action=attachFileProc&channel=1&heartbeat=5&Flags[0]=Event&Events=[TrafficJunction]';
const EVENTS = '/cgi-bin/eventManager.cgi?action=attach&codes=[TrafficJunction]&heartbeat=5';
const TEXT_BYTES_MAX = 256 * 1024;
/** Other traffic events carry plates too, but of vehicles that park or cross a line. Only this event is of a vehicle at the camera. */
const CODE = 'TrafficJunction';

type Heard = { kind: 'read'; read: CameraRead } | { kind: 'other' } | { kind: 'malformed'; reason: string };

export function createDahuaStream(deps: CameraStreamDeps): OpenCameraSource {
  return createStreamSource(deps, (camera, listener) => ({
    paths: [PICTURES, EVENTS],
    picturesOf: (part) => (textOf(part).startsWith('Events[0].') ? 1 : 0),
    async onEvent({ document, pictures }) {
      const heard = parseDahuaPart(textOf(document), camera.timezone);
      const { contentType, content: body } = document;
      if (heard.kind === 'malformed') listener.onMalformed({ reason: heard.reason, contentType, body });
      if (heard.kind !== 'read') return;
      const { read } = heard;
      const [full = null] = pictures;
      await listener.onRead({ ...read, pictures: { ...read.pictures, full } });
    },
  }));
}

const textOf = ({ content }: StreamPart): string => decodeText(content.subarray(0, TEXT_BYTES_MAX)).trim();

/** @param zone the camera's IANA zone */
export function parseDahuaPart(text: string, zone: string): Heard {
  if (text === '' || /^heartbeat/i.test(text)) return { kind: 'other' };
  const lines = text.startsWith('Events[0].') ? parseEventLines(text) : null;
  if (lines !== null) {
    return lines.code === CODE ? { kind: 'read', read: parseTrafficEvent(lines.value, zone) } : { kind: 'other' };
  }
  const line = splitCodeLine(text);
  if (line === null) return { kind: 'malformed', reason: 'neither lines of an event nor a Code' };
  if (line.code !== CODE || line.action === 'Stop') return { kind: 'other' };
  const data = parseJson(line.data);
  if (data === undefined) return { kind: 'malformed', reason: 'the data of the event is no JSON' };
  return { kind: 'read', read: parseTrafficEvent(valueIn(data), zone) };
}
