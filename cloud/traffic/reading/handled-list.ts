/** Filters by who dealt with a vehicle that waited. */
import { choiceField, timeField } from '../../rest/entry.js';
import { HANDLED_WAYS } from './handled-payload.js';

export const handledFilters = (table: 'plate_readings' | 'sightings') => ({
  handled_at: timeField(`${table}.handled_at`),
  handled_how: choiceField(`${table}.handled_how`, HANDLED_WAYS),
});
