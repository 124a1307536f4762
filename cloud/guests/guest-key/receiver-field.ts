/** The filter of the receivers of keys: a licence plate is compared as plates are, an address or number as it is written. */
import { sql } from 'kysely';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { type FilterField, NEVER, personField, plateField } from '../../rest/entry.js';

const TEXT = personField('key_logs.receiver_identifier');
const PLATE = plateField('key_logs.plate_normalised');
const OF_NO_PLATE = new Set(['neq', 'nlike', 'nin']);

export const receiverField: FilterField = {
  kind: TEXT.kind,
  where(rule, values) {
    const asText = TEXT.where(rule, values);
    // Every receiver has an identifier.
    if (values.length === 0) return asText;
    const plates = values.map((value) => normalisePlate(String(value))).filter((plate) => plate !== '');
    const none = OF_NO_PLATE.has(rule) ? sql`1 = 1` : NEVER;
    const asPlate = plates.length === 0 ? none : PLATE.where(rule, plates);
    return sql`(
      (key_logs.plate_normalised is null and ${asText}) or (key_logs.plate_normalised is not null and ${asPlate})
    )`;
  },
};
