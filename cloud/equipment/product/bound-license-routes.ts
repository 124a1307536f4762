import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import { deleteRow, insertRow } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  type Endpoint,
  listEndpoint,
  MANAGERS,
  protectedEndpoint,
  replyJson,
  type ResourceDeps,
  sendingEndpoint,
  visibleRow,
} from '../../rest/entry.js';
import { boundLicensesByIds, isBound } from './bound-license-queries.js';
import {
  BOUND_LICENSE_ANSWER,
  BOUND_LICENSE_LIST,
  boundLicenseColumns,
  newBoundLicenseBody,
} from './bound-license-resource.js';
import { PRODUCT_LIST } from './product-resource.js';

const TAG = 'Products';
const PATH = '/v2/products/{id}/bound-licenses';
const unboundSchema = z.strictObject({ success: z.literal(true), message: z.string() });

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
      item: BOUND_LICENSE_ANSWER.schema,
      items: (rows) => rows.map((row) => BOUND_LICENSE_ANSWER.of(row)),
      find: findProduct,
      within: (product) => [{ field: 'product_id', rule: 'eq', values: [product.id] }],
    }),
    protectedEndpoint({
      method: 'post',
      path: PATH,
      summary: 'Bind a license plate to a product',
      tag: TAG,
      roles: MANAGERS,
      body: newBoundLicenseBody,
      answer: BOUND_LICENSE_ANSWER.schema,
      auditAs: 'product.bound_license.create',
      auditValues: ['license_plate'],
      find: findProduct,
      async handle({ found: product, body, change }) {
        const now = clock.now();
        const row = await change(async (tx) => {
          const columns = { ...boundLicenseColumns(body), product_id: product.id };
          if (await isBound(tx, columns)) {
            throw new ApiError(VALIDATION, { field: 'license_plate', message: 'Is bound to this product already' });
          }
          const id = await insertRow(tx, 'bound_licenses', { ...columns, created_at: now, updated_at: now });
          noteAudit(tx, { made: id });
          tx.onCommit(() => deps.configChanged(product, ['plates']));
          return (await boundLicensesByIds(tx, [id]))[0];
        });
        if (row === undefined) throw new ApiError(NOT_FOUND);
        return BOUND_LICENSE_ANSWER.of(row);
      },
    }),
    sendingEndpoint({
      method: 'delete',
      path: `${PATH}/{licenseId}`,
      summary: 'Unbind a license plate',
      tag: TAG,
      roles: MANAGERS,
      answer: unboundSchema,
      sent: 'bare',
      async find({ caller, ids }) {
        const product = await findProduct({ caller, ids });
        const license = await visibleRow(store.reader, BOUND_LICENSE_LIST, { caller, id: ids.licenseId });
        return product === null || license?.product_id !== product.id ? null : { product, license };
      },
      named: ({ license }) => BOUND_LICENSE_ANSWER.of(license),
      async send(c, { found: { product, license }, change }) {
        await change(async (tx) => {
          noteAudit(tx, { lot_id: product.lot_id });
          if (!(await deleteRow(tx, 'bound_licenses', license.id))) throw new ApiError(NOT_FOUND);
          tx.onCommit(() => deps.configChanged(product, ['plates']));
        });
        return replyJson(c, JSON.stringify({ success: true, message: 'Bound license deleted' }));
      },
    }),
  ];
}
