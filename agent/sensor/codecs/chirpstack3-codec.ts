/** Events of ChirpStack 3, written as ChirpStack 4 writes them: both publish on the same topics, and post alike. */
import { parseBounded } from '../bounded-json-parser.js';

/** Eight bytes. */
const EUI_BASE64 = /^[A-Za-z0-9+/]{11}=$/;

/** Other JSON is returned unchanged. Version 3 has its `devEUI` in hexadecimal or base64, and the decoded object as a text, `objectJSON`. */
export function likeChirpstack4(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('devEUI' in message) || 'deviceInfo' in message) {
    return message;
  }
  const given = new Map<string, unknown>(Object.entries(message));
  const devEui = hexOf(given.get('devEUI'));
  const decoded = given.get('objectJSON') ?? given.get('object');
  const object = typeof decoded === 'string' ? parseBounded(decoded) : decoded;
  return {
    ...message,
    devEUI: devEui,
    objectJSON: object,
    object,
    time: timeOf(given.get('rxInfo')) ?? given.get('publishedAt'),
    deviceInfo: {
      devEui,
      deviceName: given.get('deviceName'),
      applicationId: String(given.get('applicationID') ?? ''),
      applicationName: given.get('applicationName'),
    },
  };
}

/** A text that is no EUI in base64 is returned unchanged. */
function hexOf(devEui: unknown): unknown {
  const isBase64 = typeof devEui === 'string' && EUI_BASE64.test(devEui);
  return isBase64 ? Buffer.from(devEui, 'base64').toString('hex') : devEui;
}

/** Returns when the first of its gateways that have a clock heard it. */
function timeOf(rxInfo: unknown): string | undefined {
  const times = (Array.isArray(rxInfo) ? rxInfo : []).map((each: unknown) =>
    typeof each === 'object' && each !== null && 'time' in each ? each.time : undefined,
  );
  return times.find((time) => typeof time === 'string');
}
