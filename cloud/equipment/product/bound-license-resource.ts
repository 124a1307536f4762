/** Plates bound to a product: its cameras admit them. `bound-license-routes.ts` manages them below the product's path. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { defineResource, listTable, optionalNameValue, representationOf } from '../../rest/entry.js';
import { z } from '@hono/zod-openapi';
import { BOUND_LICENSE_FIELDS } from './bound-license-fields.js';
import { boundLicensesByIds, licensesWithProducts } from './bound-license-queries.js';

export const BOUND_LICENSE_LIST = listTable({
  from: licensesWithProducts,
  id: 'bound_licenses.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: BOUND_LICENSE_FIELDS,
  rows: boundLicensesByIds,
});

export const BOUND_LICENSE_ANSWER = representationOf('BoundLicense', BOUND_LICENSE_FIELDS);

export const BOUND_LICENSE = defineResource({
  table: 'bound_licenses',
  one: 'bound license',
  many: 'bound licenses',
  fields: BOUND_LICENSE_FIELDS,
  initially: () => ({ name: '' }),
  parentColumn: 'product_id',
  auditParent: 'product',
  unique: [{ field: 'license_plate', within: 'parent', normalise: normalisePlate }],
  file: {
    at: ['lots', 'zones', 'products', 'bound_licenses'],
    textField: 'license_plate',
    label: (plate, product) => `bound license ${plate} of product ${product}`,
  },
});

/** The body of POST. */
export const newBoundLicenseBody = z.strictObject({
  license_plate: BOUND_LICENSE_FIELDS.license_plate.value,
  name: optionalNameValue.default(''),
});

export const boundLicenseColumns = (body: z.output<typeof newBoundLicenseBody>) => ({
  ...body,
  plate_normalised: normalisePlate(body.license_plate),
});
