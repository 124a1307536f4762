/** Plates bound to a product: its cameras admit them. `bound-license-routes.ts` manages them below the product's path. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  defineResource,
  integerField,
  listTable,
  optionalNameValue,
  personField,
  plateField,
  plateValue,
  required,
  withDefault,
} from '../../rest/entry.js';
import { z } from '@hono/zod-openapi';
import { boundLicensesByIds, licensesWithProducts } from './bound-license-queries.js';

export const BOUND_LICENSE_LIST = listTable({
  from: licensesWithProducts,
  id: 'bound_licenses.id',
  scope: { account_id: 'products.account_id', lot_id: 'products.lot_id', lotless: true },
  filters: {
    product_id: integerField('bound_licenses.product_id'),
    license_plate: plateField('bound_licenses.plate_normalised'),
    name: personField('bound_licenses.name'),
  },
  sorts: { name: 'bound_licenses.name' },
  rows: boundLicensesByIds,
});

export const BOUND_LICENSE = defineResource({
  table: 'bound_licenses',
  one: 'bound license',
  many: 'bound licenses',
  fields: {
    license_plate: required(plateValue, {
      columns: {
        license_plate: { from: (plate: string) => plate },
        plate_normalised: { from: normalisePlate },
      },
    }),
  },
  restFields: { name: withDefault(optionalNameValue, '') },
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

const { license_plate } = BOUND_LICENSE.fields;

/** The body of POST. */
export const newBoundLicenseBody = z.strictObject({
  license_plate: license_plate.value,
  name: optionalNameValue.default(''),
});

export const boundLicenseColumns = (body: z.output<typeof newBoundLicenseBody>) => ({
  ...body,
  plate_normalised: normalisePlate(body.license_plate),
});
