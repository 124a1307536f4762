/** LILIN: an installer writes the body that is posted; this one has the words of the camera's own list. The first plate is the newest. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

const words = {
  plate: 'LPR0',
  time: { at: 'LPR_TIME0', zone: 'utc' },
  country: 'LPR_COUNTRY0',
  confidence: { at: 'LPR_SCORE0' },
} as const;

export const LILIN: CameraMappingInput[] = [
  { ...words, full: { base64: 'LP_BMP0' } },
  { ...words, format: 'form', full: { part: 'LP_BMP0' } },
];
