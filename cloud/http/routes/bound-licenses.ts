import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { Caller } from '../../auth/caller.js';
import { noteAudit } from '../../store/audit-scope.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { BOUND_LICENSE_LIST, PRODUCT_LIST } from '../../store/lists/product-lists.js';
import { deleteRow, insertRow } from '../../store/queries/rows.js';
import { boundLicensesByIds, isBound } from '../../store/queries/site-records.js';
import { type Endpoint, protectedEndpoint, sendingEndpoint } from '../endpoint.js';
import { plateField, textField } from '../fields.js';
import { listEndpoint } from '../list-endpoint.js';
import { MANAGERS, type ResourceDeps } from '../resource-endpoints.js';
import { boundLicenseRecord } from '../site-records.js';
import { boundLicenseSchema } from '../site-resources.js';

const TAG = 'Products';
const PATH = '/v2/products/{id}/bound-licenses';

/** Plates bound to a product: cameras that open it admit them. */
export function boundLicenseEndpoints(deps: ResourceDeps): Endpoint[] {
  const { store, clock } = deps;
  const findProduct = ({ caller, ids }: { caller: Caller; ids: { id: number } }) =>
    visibleRow(store.reader, PRODUCT_LIST, { caller, id: ids.id });
  return [
    listEndpoint({
      path: PATH,
      summary: "List a product's bound licenses",
      tag: TAG,
      store,
      clock,
      table: BOUND_LICENSE_LIST,
      item: boundLicenseSchema,
      items: (rows) => rows.map(boundLicenseRecord),
      find: findProduct,
      within: (product) => [{ field: 'product_id', rule: 'eq', values: [product.id] }],
    }),
    protectedEndpoint({
      method: 'post',
      path: PATH,
      summary: 'Bind a license plate to a product',
      tag: TAG,
      roles: MANAGERS,
      body: z.strictObject({ license_plate: plateField, name: textField.default('') }),
      answer: boundLicenseSchema,
      auditAs: 'product.bound_license.create',
      auditValues: ['license_plate'],
      find: findProduct,
      async handle({ found: product, body }) {
        const now = clock.now();
        const plate_normalised = normalisePlate(body.license_plate);
        const row = await store.change(async (tx) => {
          if (await isBound(tx, { product_id: product.id, plate_normalised })) {
            throw new ApiError(23, { field: 'license_plate', message: 'Is bound to this product already' });
          }
          const times = { created_at: now, updated_at: now };
          const id = await insertRow(tx, 'bound_licenses', {
            ...body,
            product_id: product.id,
            plate_normalised,
            ...times,
          });
          noteAudit({ made: id });
          return (await boundLicensesByIds(tx, [id]))[0];
        });
        if (row === undefined) throw new ApiError(6);
        deps.configChanged(product, ['plates']);
        return boundLicenseRecord(row);
      },
    }),
    sendingEndpoint({
      method: 'delete',
      path: `${PATH}/{licenseId}`,
      summary: 'Unbind a license plate',
      tag: TAG,
      roles: MANAGERS,
      answer: z.strictObject({ success: z.literal(true), message: z.string() }),
      sent: 'bare',
      async find({ caller, ids }) {
        const product = await findProduct({ caller, ids });
        const license = await visibleRow(store.reader, BOUND_LICENSE_LIST, { caller, id: ids.licenseId });
        return product === null || license?.product_id !== product.id ? null : { product, license };
      },
      async send(c, { found: { product, license } }) {
        const isDeleted = await store.change((tx) => deleteRow(tx, 'bound_licenses', license.id));
        if (!isDeleted) throw new ApiError(6);
        deps.configChanged(product, ['plates']);
        return c.json({ success: true, message: 'Bound license deleted' });
      },
    }),
  ];
}
