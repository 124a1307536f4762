/** What is known of a plate that is bound to a product. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  id,
  identity,
  inRest,
  optionalNameValue,
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
    columns: { license_plate: { from: (plate: string) => plate }, plate_normalised: { from: normalisePlate } },
    filter: { plate: 'plate_normalised' },
  }),
  name: inRest(withDefault(optionalNameValue, '', { filter: 'person', sort: true })),
  ...TIMES,
};
