/**
 * The `mapping` of a camera: how to interpret what it posts, described as data, for vendors without a driver. The drivers of the JSON family
 * are such mappings too. Paths lead into JSON, or into XML as if its elements were keys: `data.results[0].plate`, `PlateAnalytics[Key=State
 * Name].Value`.
 */
import { z } from 'zod';
import { VEHICLE_TYPES } from '../events/event-schemas.js';
import { strictObject } from './strict-object.js';

const PATH_LENGTH_MAX = 200;
const ALTERNATIVES_MAX = 6;
const WORDS_MAX = 60;
const SEGMENT = String.raw`[^.\[\]\s][^.\[\]]{0,63}|\[(?:\d{1,3}|[^.\[\]=]{1,64}=[^\[\]]{0,64})\]`;
const PATH = new RegExp(String.raw`^(?:${SEGMENT})(?:\.?\[[^\[\]]{1,130}\]|\.(?:${SEGMENT}))*$`);

const path = z
  .string()
  .max(PATH_LENGTH_MAX)
  .regex(PATH, 'must be a path such as data.plate, results[0].plate or list[Key=State].Value');
/** One path, or several, of which the first with a value is used. */
const paths = z.union([path.transform((one) => [one]), z.array(path).min(1).max(ALTERNATIVES_MAX)]);
const words = z.array(z.union([z.string().max(64), z.number(), z.boolean()]).transform(String)).max(WORDS_MAX);
const partName = z.string().min(1).max(64);

/** True if one of these values stands at one of the paths. Case is ignored. */
const condition = strictObject({ at: paths, is: words });

const picture = strictObject({
  /** The path of a JPEG as base64, which may be a `data:` URL. */
  base64: paths.nullable().default(null),
  /** The name of a part of a multipart body. */
  part: partName.nullable().default(null),
  /** The path of the URL of the image. It is fetched only from the camera's own host. */
  url: paths.nullable().default(null),
});

export const TIME_FORMATS = ['iso', 'seconds', 'milliseconds'] as const;
/** The parts of a time, with the separators between them. */
const TIME_PATTERN = /^(?=.*YYYY)(?=.*MM)(?=.*DD)(?:YYYY|MM|DD|HH|mm|ss|SSS|[-/.,:T _])+$/;

export const cameraMappingSchema = strictObject({
  /** `form`: the fields of a form are the document. */
  format: z.enum(['json', 'xml', 'form']).default('json'),
  /** The name of the multipart part that contains the document; null: the first part that is a document. */
  document: partName.nullable().default(null),
  /** The path of the list of vehicles; null: the document is one vehicle, or a list of them. */
  list: paths.nullable().default(null),
  /** The conditions that a document about a vehicle meets. Any other document only shows that the camera is alive. */
  only: z.array(condition).max(4).default([]),
  plate: paths,
  /** The text that the camera writes for a vehicle without a plate. */
  no_plate: words.default([]),
  /** The paths of the vendor's event id; several values are joined. null: the id is derived from plate and time. */
  event_id: paths.nullable().default(null),
  /** `of`: the value that means certainty, such as 1 or 100. */
  confidence: strictObject({ at: paths, of: z.number().positive().max(10_000).default(100) })
    .nullable()
    .default(null),
  /** The path of the list of alternative readings, and the paths of plate and confidence within each. */
  candidates: strictObject({ list: paths, plate: paths, confidence: paths.nullable().default(null) })
    .nullable()
    .default(null),
  direction: strictObject({
    at: paths,
    towards: words.default(['approach', 'approaching', 'forward', 'in', 'front', 'obverse']),
    away: words.default(['away', 'leaving', 'reverse', 'out', 'rear']),
    absent: words.default(['', '-']),
  })
    .nullable()
    .default(null),
  /** `and`: the path of the time of day when it is separate from the date. */
  time: strictObject({
    at: paths,
    and: path.nullable().default(null),
    format: z
      .union([z.enum(TIME_FORMATS), z.string().max(40).regex(TIME_PATTERN)], {
        error: 'must be iso, seconds, milliseconds, or a pattern such as DD/MM/YYYY HH:mm:ss',
      })
      .default('iso'),
    /** The zone of times without an offset: the camera's, or UTC. */
    zone: z.enum(['camera', 'utc']).default('camera'),
    /** If this condition holds, the camera's clock is not set. */
    unless: condition.nullable().default(null),
  })
    .nullable()
    .default(null),
  country: paths.nullable().default(null),
  type: strictObject({
    at: paths,
    words: z.partialRecord(z.enum(VEHICLE_TYPES), words).default({}),
  })
    .nullable()
    .default(null),
  make: paths.nullable().default(null),
  color: paths.nullable().default(null),
  model: paths.nullable().default(null),
  /** If this condition holds, the camera sends the event late because it could not send it before. */
  retransmission: condition.nullable().default(null),
  /** If this condition holds, the event is historical: it is stored, and opens nothing. */
  history: condition.nullable().default(null),
  full: picture.nullable().default(null),
  plate_picture: picture.nullable().default(null),
  /** The paths of the plate's position in the full picture: left, top, and either width and height or right and bottom. */
  plate_box: strictObject({
    at: z.union([
      path,
      z
        .array(path)
        .length(4, 'must be a path to four numbers, or four paths')
        .transform((four) => four),
    ]),
    form: z.enum(['size', 'corners']).default('size'),
    /** The scale of the numbers, or the paths of the picture's width and height in the same unit. */
    of: z.union([z.number().positive(), z.array(path).length(2)]).default(1),
  })
    .nullable()
    .default(null),
});
export type CameraMapping = z.output<typeof cameraMappingSchema>;
export type CameraMappingInput = z.input<typeof cameraMappingSchema>;
