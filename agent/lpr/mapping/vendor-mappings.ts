/** The tables by which cameras of these vendors are read: a list of mappings each, in the order in which they are tried. */
import type { CameraMappingInput } from '../../../shared/drivers/camera-mapping.js';

/** Milesight writes every value as text, `-` for what is not known, and times without a zone. */
export const MILESIGHT: CameraMappingInput[] = [
  {
    plate: 'plate',
    confidence: { at: 'confidence' },
    direction: { at: 'direction' },
    time: { at: ['time_msec', 'time'] },
    country: ['region', 'country'],
    type: { at: 'vehicle_type' },
    make: ['Vehicle Brand', 'vehicle_brand'],
    color: 'vehicle_color',
    full: { base64: ['full_image', 'vehicle_image'] },
    plate_picture: { base64: 'plate_image' },
    plate_box: {
      at: ['coordinate_x1', 'coordinate_y1', 'coordinate_x2', 'coordinate_y2'],
      form: 'corners',
      of: ['resolution_width', 'resolution_height'],
    },
  },
];

/** OpenALPR and Rekor: only groups are read, which collect the frames of one vehicle. The results of single frames would be other plates. */
export const OPENALPR: CameraMappingInput[] = [
  {
    only: [{ at: 'data_type', is: ['alpr_group'] }],
    plate: 'best_plate_number',
    event_id: 'best_uuid',
    confidence: { at: ['best_confidence', 'best_plate.confidence'] },
    // The candidates of the group were seen in several frames, those of its best plate in one.
    candidates: { list: ['candidates', 'best_plate.candidates'], plate: 'plate', confidence: 'confidence' },
    time: { at: ['epoch_end', 'epoch_start'], format: 'milliseconds' },
    country: 'country',
    type: { at: 'vehicle.body_type[0].name', words: { car: ['sedan-compact', 'sedan-standard', 'suv-crossover'] } },
    make: 'vehicle.make[0].name',
    color: 'vehicle.color[0].name',
    model: 'vehicle.make_model[0].name',
    full: { base64: 'vehicle_crop_jpeg' },
    plate_picture: { base64: 'best_plate.plate_crop_jpeg' },
  },
];

/** Plate Recognizer: Stream sends each vehicle with a time of its own, Snapshot all vehicles of a picture, or none. ParkPow nests the plate. */
export const PLATE_RECOGNIZER: CameraMappingInput[] = [
  {
    list: ['data.results', 'results'],
    plate: ['plate', 'plate.props.plate[0].value'],
    confidence: { at: ['score', 'plate.score'], of: 1 },
    // In ParkPow's form the camera's own choice stands first in the same list.
    candidates: {
      list: ['candidates', 'plate.props.plate'],
      plate: ['plate', 'value'],
      confidence: 'score',
    },
    time: { at: ['data.timestamp', 'timestamp'], zone: 'utc' },
    country: ['region.code', 'plate.props.region[0].value'],
    type: { at: ['vehicle.type', 'vehicle.props.type'] },
    make: ['model_make[0].make', 'vehicle.props.make_model[0].make'],
    color: ['color[0].color', 'vehicle.props.color[0].value'],
    model: ['model_make[0].model', 'vehicle.props.make_model[0].model'],
    full: { part: 'upload' },
  },
];

/** Verkada's signed webhooks. The picture is on the vendor's servers: their host is not the camera's, so the picture is not fetched. */
export const VERKADA: CameraMappingInput[] = [
  {
    only: [{ at: 'webhook_type', is: ['lpr'] }],
    plate: 'data.license_plate_number',
    event_id: 'webhook_id',
    confidence: { at: 'data.confidence', of: 1 },
    time: { at: 'data.detected', format: 'milliseconds' },
    full: { url: 'data.image_url' },
    plate_box: { at: 'data.crop', form: 'size', of: 1 },
  },
];

const lilinWords = {
  plate: 'LPR0',
  time: { at: 'LPR_TIME0', zone: 'utc' },
  country: 'LPR_COUNTRY0',
  confidence: { at: 'LPR_SCORE0' },
} as const;

/** LILIN: an installer writes the body that the camera posts; this table has the words of the camera's own list. The first plate is the newest. */
export const LILIN: CameraMappingInput[] = [
  { ...lilinWords, full: { base64: 'LP_BMP0' } },
  { ...lilinWords, format: 'form', full: { part: 'LP_BMP0' } },
];

/** Returns the path of a value of `PlateAnalytics`: XML nests the list in an element of the same name. */
const genetecAnalytics = (key: string, what: 'Value' | 'Score' = 'Value'): string[] =>
  ['PlateAnalytics', 'PlateAnalytics.PlateAnalytics', 'Plate.PlateAnalytics'].map(
    (list) => `${list}[Key=${key}].${what}`,
  );

const GENETEC_MOTION = {
  towards: ['closer', 'approaching', 'towards'],
  away: ['away', 'further', 'receding', 'moving away'],
};

const genetecNested = {
  plate: ['PlateRead', 'Plate.PlateRead'],
  event_id: ['Id', 'Plate.Id'],
  confidence: { at: genetecAnalytics('Confidence Score') },
  direction: {
    at: genetecAnalytics('Relative Motion'),
    ...GENETEC_MOTION,
  },
  time: { at: ['Timestamp', 'Plate.Timestamp'] },
  type: { at: genetecAnalytics('Vehicle Type') },
  make: genetecAnalytics('Vehicle Make'),
  color: genetecAnalytics('Vehicle Color'),
  full: { base64: ['ContextImage', 'Plate.ContextImage'] },
  plate_picture: { base64: ['PlateImage', 'Plate.PlateImage'] },
} satisfies CameraMappingInput;

/**
 * Genetec SharpV posts one of four forms: nested objects as JSON or as XML, a flat form of texts, and the XML of its uploads. In the last two
 * the installer chooses how times are written. Only ISO dates of the flat form and the dates of the upload as delivered (`2026:01:15`) are
 * read, because a day and a month that could be each other would make another time.
 */
export const GENETEC: CameraMappingInput[] = [
  genetecNested,
  { ...genetecNested, format: 'xml' },
  {
    plate: 'Plate',
    event_id: ['VehicleID'],
    confidence: { at: 'ConfidenceScore' },
    time: { at: 'DateUtc', and: 'TimeUtc', zone: 'utc' },
    make: 'Attributes.Vehicle Make',
    color: 'Attributes.Vehicle Color',
    type: { at: 'Attributes.Vehicle Type' },
    full: { base64: 'ContextImage' },
    plate_picture: { base64: 'PlateImage' },
  },
  {
    format: 'xml',
    plate: 'Plate',
    event_id: ['Guid'],
    confidence: { at: 'ConfidenceScore' },
    direction: { at: 'RelativeMotion', ...GENETEC_MOTION },
    time: { at: 'UTCDate', and: 'UTCTime', format: 'YYYY:MM:DD HH:mm:ss.SSS', zone: 'utc' },
    full: { base64: 'ContextImage' },
    plate_picture: { base64: 'PlateImage' },
  },
];

const unifiAlarm = {
  list: 'alarm.triggers',
  event_id: 'eventId',
  time: { at: 'timestamp', format: 'milliseconds' },
  full: { base64: 'alarm.thumbnail' },
} satisfies Partial<CameraMappingInput>;

/**
 * UniFi Protect posts alarms, whose triggers of plates hold one vehicle each. The group of an unknown plate has that plate as its name; the
 * group of a known plate has its owner's, which is no plate.
 */
export const UNIFI: CameraMappingInput[] = [
  {
    ...unifiAlarm,
    only: [{ at: 'key', is: ['license_plate_known', 'license_plate_of_interest'] }],
    plate: ['value'],
  },
  {
    ...unifiAlarm,
    only: [{ at: 'key', is: ['license_plate_unknown'] }],
    plate: ['value', 'group.name'],
  },
  // Older versions post the small pictures of the event: that of a vehicle has the plate as its name, or as the name of its group.
  {
    list: 'metadata.detected_thumbnails',
    only: [{ at: 'type', is: ['vehicle'] }],
    plate: ['name', 'group.matched_name'],
    event_id: 'cropped_id',
    confidence: { at: 'group.confidence' },
    time: { at: 'clock_best_wall' },
    color: 'attributes.color.val',
  },
];

/** Survision writes every value as text. A camera that is not synchronised says so, and its time is not used. */
export const SURVISION: CameraMappingInput[] = [
  {
    plate: 'anpr.decision.@plate',
    event_id: ['anpr.@session', 'anpr.@id'],
    confidence: { at: 'anpr.decision.@reliability' },
    direction: { at: 'anpr.decision.@direction', towards: ['front'], away: ['rear'] },
    time: { at: 'anpr.@date', format: 'milliseconds', unless: { at: 'anpr.@synchronized', is: ['0', 'false'] } },
    country: 'anpr.decision.@context_isoAlpha2',
    full: { base64: ['anpr.decision.jpeg', 'anpr.jpeg'] },
  },
];
