import { decodeJson } from '../../../shared/json-text-codec.js';
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { type CloudStore, findAuditHead } from '../../kernel/entry.js';
import { AUDIT_ACTORS, AUDIT_LOG_LIST } from './audit-log-list.js';
import { datetime, iso } from '../http/answer-schemas.js';
import { type Endpoint, protectedEndpoint } from '../http/endpoint.js';
import { listEndpoint } from '../endpoints/list-endpoint.js';

const auditRecordSchema = z
  .strictObject({
    id: z.number().int(),
    account_id: z.number().int().nullable(),
    lot_id: z.number().int().nullable(),
    actor_type: z.enum(AUDIT_ACTORS),
    actor_id: z.number().int().nullable(),
    action: z.string(),
    target: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: z.iso.datetime({ precision: 3 }),
    /** Each row's hash covers the row before. */
    previous_hash: z.string(),
    hash: z.string(),
  })
  .openapi('AuditRecord');

const auditHeadSchema = z
  .strictObject({ entries: z.number().int(), hash: z.string(), at: datetime })
  .openapi('AuditHead');

/** GET /v2/audit-log, GET /v2/audit-head */
export function auditLogEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  return [
    listEndpoint({
      path: '/v2/audit-log',
      summary: 'List who did what, the newest first',
      tag: 'Audit log',
      roles: ['Super Admin', 'Admin'],
      store,
      clock,
      table: AUDIT_LOG_LIST,
      item: auditRecordSchema,
      items: (rows) =>
        rows.map(({ details, created_at, is_read: _isRead, ...row }) => ({
          ...row,
          details: decodeJson(details),
          created_at: new Date(created_at).toISOString(),
        })),
    }),
    protectedEndpoint({
      method: 'get',
      path: '/v2/audit-head',
      summary: 'Get how far the audit log goes: whoever keeps it elsewhere notices when the log is cut or written anew',
      tag: 'Audit log',
      roles: ['Super Admin'],
      answer: auditHeadSchema,
      handle: async () => ({ ...(await findAuditHead(store.reader)), at: iso(clock.now()) }),
    }),
  ];
}
