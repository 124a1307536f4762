/** Milesight: texts throughout, `-` for what is not known, times without a zone. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

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
