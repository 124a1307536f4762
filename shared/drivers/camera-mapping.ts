/**
 * `mapping` of a camera: how to read what it posts, described as data, for vendors that no driver knows. The drivers of the JSON family
 * are such tables too. Paths lead into JSON, or into XML as if its elements were keys: `data.results[0].plate`,
 * `PlateAnalytics[Key=State Name].Value`.
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
/** One path, or several of which the first with a value counts. */
const paths = z.union([path.transform((one) => [one]), z.array(path).min(1).max(ALTERNATIVES_MAX)]);
const words = z.array(z.union([z.string().max(64), z.number(), z.boolean()]).transform(String)).max(WORDS_MAX);
const partName = z.string().min(1).max(64);

/** True where one of these values stands. They are compared without regard to case. */
const condition = strictObject({ at: paths, is: words });

const picture = strictObject({
  /** JPEG as base64, also as a `data:` address. */
  base64: paths.nullable().default(null),
  /** Name of a part of a multipart body. */
  part: partName.nullable().default(null),
  /** Where the camera offers it; it is fetched from the camera's own host only. */
  url: paths.nullable().default(null),
});

export const TIME_FORMATS = ['iso', 'seconds', 'milliseconds'] as const;
/** Two to three letters for each part of a time, with what stands between them. */
const TIME_PATTERN = /^(?=.*YYYY)(?=.*MM)(?=.*DD)(?:YYYY|MM|DD|HH|mm|ss|SSS|[-/.,:T _])+$/;

export const cameraMappingSchema = strictObject({
  /** `form`: the fields of a form are the document. */
  format: z.enum(['json', 'xml', 'form']).default('json'),
  /** The part of a multipart body that holds the document; null: the first part that is one. */
  document: partName.nullable().default(null),
  /** The list of vehicles; null: the document is one vehicle, or a list of them. */
  list: paths.nullable().default(null),
  /** What holds of a document that tells of a vehicle; any other one is a sign of life. */
  only: z.array(condition).max(4).default([]),
  plate: paths,
  /** What the camera writes for a vehicle without a plate. */
  no_plate: words.default([]),
  /** The vendor's id of the event: what stands at all of these, joined; null: made of plate and time. */
  event_id: paths.nullable().default(null),
  /** `of` is what stands for certain: 1 or 100. */
  confidence: strictObject({ at: paths, of: z.number().positive().max(10_000).default(100) })
    .nullable()
    .default(null),
  /** Other readings of the same plate: the list of them, and where plate and confidence stand in each. */
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
  /** `and` is where the time of the day stands when it has a place of its own. */
  time: strictObject({
    at: paths,
    and: path.nullable().default(null),
    format: z
      .union([z.enum(TIME_FORMATS), z.string().max(40).regex(TIME_PATTERN)], {
        error: 'must be iso, seconds, milliseconds, or a pattern such as DD/MM/YYYY HH:mm:ss',
      })
      .default('iso'),
    /** For times without an offset: the camera's own zone, or UTC. */
    zone: z.enum(['camera', 'utc']).default('camera'),
    /** Where this holds, the camera's clock is not set. */
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
  /** The camera sends this late, because it could not send before. */
  retransmission: condition.nullable().default(null),
  /** It tells of the past: it is kept, and opens nothing. */
  history: condition.nullable().default(null),
  full: picture.nullable().default(null),
  plate_picture: picture.nullable().default(null),
  /** Where the plate is in the full picture: left, top, and either width and height or right and bottom. */
  plate_box: strictObject({
    at: z.union([
      path,
      z
        .array(path)
        .length(4, 'must be a path to four numbers, or four paths')
        .transform((four) => four),
    ]),
    form: z.enum(['size', 'corners']).default('size'),
    /** The scale of the numbers, or where width and height of the picture in their unit stand. */
    of: z.union([z.number().positive(), z.array(path).length(2)]).default(1),
  })
    .nullable()
    .default(null),
});
export type CameraMapping = z.output<typeof cameraMappingSchema>;
export type CameraMappingInput = z.input<typeof cameraMappingSchema>;
