/**
 * UniFi Protect: alarms, whose triggers of plates hold one vehicle each. The group of an unknown plate is named by that plate, that of a
 * known one by its owner, which is no plate.
 */
import type { CameraMappingInput } from '../../../../shared/drivers/camera-mapping.js';

const alarm = {
  list: 'alarm.triggers',
  event_id: 'eventId',
  time: { at: 'timestamp', format: 'milliseconds' },
  full: { base64: 'alarm.thumbnail' },
} satisfies Partial<CameraMappingInput>;

export const UNIFI: CameraMappingInput[] = [
  {
    ...alarm,
    only: [{ at: 'key', is: ['license_plate_known', 'license_plate_of_interest'] }],
    plate: ['value'],
  },
  {
    ...alarm,
    only: [{ at: 'key', is: ['license_plate_unknown'] }],
    plate: ['value', 'group.name'],
  },
  // What older versions post: the small pictures of the event, of which that of a vehicle is named by its plate, or grouped under it.
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
