/** Plate Recognizer: Stream sends each vehicle with a time of its own, Snapshot a picture's vehicles, and none too. ParkPow nests the plate. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

export const PLATE_RECOGNIZER: CameraMappingInput[] = [
  {
    list: ['data.results', 'results'],
    plate: ['plate', 'plate.props.plate[0].value'],
    confidence: { at: ['score', 'plate.score'], of: 1 },
    // ParkPow's form has its own choice first in the same list.
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
