/** OpenALPR and Rekor: only groups are read, which collect the frames of one vehicle; results of single frames would be other plates. */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

export const OPENALPR: CameraMappingInput[] = [
  {
    only: [{ at: 'data_type', is: ['alpr_group'] }],
    plate: 'best_plate_number',
    event_id: 'best_uuid',
    confidence: { at: ['best_confidence', 'best_plate.confidence'] },
    // Those of the group were seen in several frames, those of its best plate in one.
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
