/** API tokens as REST shows them. */
import { z } from '@hono/zod-openapi';
import { id, iso, times } from '../http/answer-schemas.js';
import type { Row } from '../store/schema.js';

const apiTokenKeys = { id, name: z.string(), account_id: id, ...times };

export const apiTokenSchema = z.strictObject(apiTokenKeys).openapi('ApiToken');

export type ApiToken = z.infer<typeof apiTokenSchema>;

/** The only answer that shows the token; null when the answer is repeated. */
export const newApiTokenSchema = z
  .strictObject({ ...apiTokenKeys, token: z.string().nullable() })
  .openapi('NewApiToken');

export function representApiToken(row: Row<'api_tokens'>): ApiToken {
  const { name, account_id } = row;
  return { id: row.id, name, account_id, created_at: iso(row.created_at), updated_at: iso(row.updated_at) };
}
