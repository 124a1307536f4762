/** Proposes a mapping from the last push of a camera that could not be parsed, and shows what the mapping would read in it. */
import { readFile } from 'node:fs/promises';
import { type CameraMappingInput, cameraMappingSchema } from '../../../shared/drivers/camera-mapping.js';
import type { CameraRead } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { closeCutJson, parseJson, parseXmlTree } from '../formats/document-parser.js';
import { partsOf } from '../formats/multipart-splitter.js';
import { isJpeg } from '../formats/picture-parser.js';
import { listQuarantine } from '../push/quarantine.js';
import { parseMapped } from './mapping-parser.js';
import { proposeMapping } from './propose-mapping-parser.js';

export interface MappedPush {
  at: string;
  reason: string;
  mapping: CameraMappingInput;
  reads: CameraRead[];
}

/**
 * @param of.timezone the zone of times that have none; left out: the zone of the camera
 * @throws Error that says what to do when no mapping can be proposed
 */
export async function mapLastQuarantined(
  directory: string,
  of: { deviceId: string; timezone?: string | undefined },
): Promise<MappedPush> {
  const pushes = (await listQuarantine(directory)).filter(({ camera_device_id }) => camera_device_id === of.deviceId);
  const last = pushes.at(-1);
  if (last === undefined) {
    throw new Error(
      `no push of ${of.deviceId} was put aside: point the camera at POST /lpr/mapping/${of.deviceId}/KEY and let it see a plate`,
    );
  }
  const { format, document } = documentOf(await readFile(last.body_file), last.content_type);
  const mapping = document === undefined ? null : proposeMapping(document, format);
  if (mapping === null) {
    throw new Error(`nothing in the last push of ${of.deviceId} looks like a plate (${last.body_file})`);
  }
  const zone = of.timezone ?? last.timezone;
  const parsed = parseMapped({ document, picture: () => null, zone }, cameraMappingSchema.parse(mapping));
  const reads = parsed.kind === 'reads' ? parsed.reads : [];
  return { at: new Date(last.at_ms).toISOString(), reason: last.reason, mapping, reads };
}

/** Parses the document of a kept push. Only its beginning is kept, so that JSON may be cut off and is closed where it ends. */
function documentOf(body: Uint8Array, contentType: string): { format: 'json' | 'xml'; document: unknown } {
  const content =
    partsOf(body, contentType).find((part) => !isJpeg(part.content) && part.content.length > 0)?.content ?? body;
  const text = decodeText(content, contentType).trim();
  if (!text.startsWith('<')) return { format: 'json', document: parseJson(text) ?? parseJson(closeCutJson(text)) };
  try {
    return { format: 'xml', document: parseXmlTree(text).tree };
  } catch {
    return { format: 'xml', document: undefined };
  }
}

/** Renders for a person the mapping for the site file, and what it reads. */
export function renderMapped({ at, reason, mapping, reads }: MappedPush): string {
  const shown = reads.map(({ pictures, ...read }) => ({
    plate: read.raw_plate,
    confidence: read.confidence,
    direction: read.movement,
    time: read.camera_time === null ? null : new Date(read.camera_time.epoch_ms).toISOString(),
    country: read.country_code,
    vehicle: [read.type, read.make, read.color].filter((each) => each !== null).join(' ') || null,
    event_id: read.vendor_event_id,
    pictures: `${pictures.full === null ? 0 : pictures.full.length} bytes full, ${pictures.plate === null ? 0 : pictures.plate.length} bytes of the plate`,
  }));
  return [
    `The push of ${at} was not understood: ${reason}.`,
    '',
    'A mapping for the camera in the site file (driver: mapping), or `mapping` over REST:',
    '',
    `mapping: ${JSON.stringify(mapping, null, 2)}`,
    '',
    'It would read:',
    '',
    JSON.stringify(shown, null, 2),
  ].join('\n');
}
