/** Verkada: signed webhooks; the picture is on the vendor's servers, which are no camera's host, so it is not fetched. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

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
