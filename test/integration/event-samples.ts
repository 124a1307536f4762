/** Payloads of events, for tests that look at their way rather than at what makes them. */
import type { EventPayload } from '../../shared/events/event-schemas.js';

const AT = '2026-01-15T12:00:00.000Z';

export function plateReadingPayload(
  given: Partial<EventPayload<'plate_reading_create'>> = {},
): EventPayload<'plate_reading_create'> {
  return {
    id: 1,
    plate: 'ZG1',
    confidence: null,
    image_url: null,
    cropped_image_url: null,
    direction: 'in',
    type: null,
    make: null,
    color: null,
    model: null,
    country_code: null,
    session_id: null,
    access_decision: null,
    access_decision_reason: null,
    lpr_camera_id: 1,
    zone_id: 1,
    plate_side: 'front',
    lpr_camera_direction: 'in',
    created_at: AT,
    updated_at: AT,
    ...given,
  };
}
