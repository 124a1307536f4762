/** The event of the fan-out benchmark: about 700 bytes on the wire, another one each time, as plate reads are. */
import type { EventPayload } from '../../shared/events/event-schemas.js';
import { plateReadingPayload } from '../contract/event-samples.js';

const IMAGE = 'http://127.0.0.1:8080/v2/images/0199a7c0-0000-7000-8000-000000000000?expires=1768479300&signature=';

export function fanOutPayload(id: number): EventPayload<'plate_reading_update'> {
  return plateReadingPayload({ id, make: 'a maker of cars', image_url: IMAGE, color: 'of a colour'.padEnd(16, '.') });
}
