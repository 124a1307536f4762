/** What is known of a plate that is bound to a product. */
import {
  id,
  identity,
  inRest,
  optionalNameValue,
  plateColumns,
  plateValue,
  required,
  shown,
  TIMES,
  withDefault,
} from '../../rest/entry.js';

export const BOUND_LICENSE_FIELDS = {
  id: identity,
  product_id: shown(id, { filter: true }),
  license_plate: required(plateValue, {
    columns: plateColumns('license_plate'),
    filter: { plate: 'plate_normalised' },
  }),
  name: inRest(withDefault(optionalNameValue, '', { filter: 'person', sort: true })),
  ...TIMES,
};
