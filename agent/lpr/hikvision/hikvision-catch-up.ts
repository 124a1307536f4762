/**
 * Asks a Hikvision camera for its reads since it was last heard: `POST /ISAPI/Traffic/channels/1/vehicledetect/plates`. These reads are of
 * the past: they are recorded, and open nothing.
 */
import type { Movement } from '../../../shared/access/resolve-direction.js';
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraRead } from '../camera.js';
import { cleanText, READ_TEXT_MAX, UNKNOWN_READ } from '../formats/camera-text-parser.js';
import { parseCameraTime, wallIsoAt } from '../formats/camera-time-parser.js';
import { decodeText } from '../formats/charset-parser.js';
import { childOf, textOf, xmlRoot } from '../formats/xml-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { XML_CHARACTERS_MAX } from './hikvision-parser.js';

const MOVEMENTS = new Map<string, Movement>(
  Object.entries({ forward: 'towards', reverse: 'away', '': 'absent' } as const),
);

/**
 * @returns null when the camera offers no such list
 * @throws Error when the camera cannot be asked
 */
export async function askMissedPlates(
  client: CameraClient,
  camera: CameraItem,
  { channel, since_ms, signal }: { channel: string; since_ms: number; signal: AbortSignal },
): Promise<string | null> {
  const { status, body } = await client.ask(camera, {
    method: 'POST',
    path: `/ISAPI/Traffic/channels/${channel}/vehicledetect/plates`,
    headers: { 'content-type': 'application/xml' },
    body: `<AfterTime version="2.0"><picTime>${wallIsoAt(since_ms, camera.timezone).replaceAll(/[-:]/g, '')}</picTime></AfterTime>`,
    signal,
  });
  return status === 200 ? decodeText(body) : null;
}

/** Parses the plates of an answer since that time, oldest first. Plates that cannot be parsed are left out. */
export function parseMissedPlates(xml: string, { zone, since_ms }: { zone: string; since_ms: number }): CameraRead[] {
  const root = xml.length > XML_CHARACTERS_MAX ? undefined : xmlRoot(xml);
  const plates = root?.children.filter(({ name }) => name === 'Plate') ?? [];
  return plates.flatMap((plate) => {
    const text = (name: string) => textOf(childOf(plate, name));
    const raw_plate = cleanText(text('plateNumber'), READ_TEXT_MAX.raw_plate);
    const camera_time = parseCameraTime(withSeparators(text('captureTime')), zone);
    if (camera_time === null || raw_plate === '' || camera_time.epoch_ms < since_ms) return [];
    const id = text('picName') || `${text('captureTime')} ${raw_plate}`;
    return [
      {
        ...UNKNOWN_READ,
        vendor_event_id: cleanText(id, READ_TEXT_MAX.vendor_event_id),
        raw_plate,
        movement: MOVEMENTS.get(text('direction').toLowerCase()) ?? 'unknown',
        camera_time,
        retransmission: true,
        history: true,
      } satisfies CameraRead,
    ];
  });
}

/** Writes a time of this list, such as 20260115T130000+0100, with its separators. */
function withSeparators(time: string): string {
  return time.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)/, '$1-$2-$3T$4:$5:$6');
}
