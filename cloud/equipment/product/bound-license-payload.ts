/** Bound licenses as REST shows them. */
import { z } from '@hono/zod-openapi';
import { id, times, timesOf } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';

export const boundLicenseSchema = z
  .strictObject({ id, product_id: id, license_plate: z.string(), name: z.string(), ...times })
  .openapi('BoundLicense');

export type BoundLicense = z.infer<typeof boundLicenseSchema>;

export function representBoundLicense(row: Row<'bound_licenses'>): BoundLicense {
  const { product_id, license_plate, name } = row;
  return { id: row.id, product_id, license_plate, name, ...timesOf(row) };
}
