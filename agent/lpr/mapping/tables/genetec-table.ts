/**
 * Genetec SharpV: a template of nested objects as JSON or XML, one of flat texts, and the XML of its uploads, which is also posted. What the
 * last two write of times is the installer's choice; only ISO dates of the flat one and those of the upload as it is delivered
 * (`2026:01:15`) are believed, because a day and a month that could be each other would make another time of it.
 */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

/** XML nests the list in an element of the same name. */
const analytics = (key: string, what: 'Value' | 'Score' = 'Value'): string[] =>
  ['PlateAnalytics', 'PlateAnalytics.PlateAnalytics', 'Plate.PlateAnalytics'].map(
    (list) => `${list}[Key=${key}].${what}`,
  );

const MOTION = {
  towards: ['closer', 'approaching', 'towards'],
  away: ['away', 'further', 'receding', 'moving away'],
};

const nested = {
  plate: ['PlateRead', 'Plate.PlateRead'],
  event_id: ['Id', 'Plate.Id'],
  confidence: { at: analytics('Confidence Score') },
  direction: {
    at: analytics('Relative Motion'),
    ...MOTION,
  },
  time: { at: ['Timestamp', 'Plate.Timestamp'] },
  type: { at: analytics('Vehicle Type') },
  make: analytics('Vehicle Make'),
  color: analytics('Vehicle Color'),
  full: { base64: ['ContextImage', 'Plate.ContextImage'] },
  plate_picture: { base64: ['PlateImage', 'Plate.PlateImage'] },
} satisfies CameraMappingInput;

export const GENETEC: CameraMappingInput[] = [
  nested,
  { ...nested, format: 'xml' },
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
    direction: { at: 'RelativeMotion', ...MOTION },
    time: { at: 'UTCDate', and: 'UTCTime', format: 'YYYY:MM:DD HH:mm:ss.SSS', zone: 'utc' },
    full: { base64: 'ContextImage' },
    plate_picture: { base64: 'PlateImage' },
  },
];
