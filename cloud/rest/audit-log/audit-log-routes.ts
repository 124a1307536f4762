import { decodeJson } from '../../../shared/json-text-codec.js';
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { type CloudStore, rowsByIds } from '../../kernel/store/entry.js';
import { findAuditHead } from '../../kernel/audit/entry.js';
import { choiceField, integerField, textField } from '../list/list-fields.js';
import { listTable } from '../list/listed-fields.js';
import { datetime, iso } from '../field/answer-schemas.js';
import { type Endpoint, protectedEndpoint } from '../request/endpoint.js';
import { listEndpoint } from '../endpoints/list-endpoint.js';

const AUDIT_ACTORS = ['user', 'api_token', 'operator', 'public', 'system', 'gateway'] as const;

export const AUDIT_LOG_LIST = listTable({
  from: 'audit_log',
  id: 'audit_log.id',
  // A row is not changed.
  changedAt: 'audit_log.created_at',
  scope: {
    account_id: 'audit_log.account_id',
    lot_id: 'audit_log.lot_id',
    lotless: true,
    // Who asks without naming a lot may have asked about any: who has one of the lots must not read what the others search for.
    confidential: 'audit_log.is_read',
  },
  filters: {
    action: textField('audit_log.action'),
    target: textField('audit_log.target'),
    actor_type: choiceField('audit_log.actor_type', AUDIT_ACTORS),
    actor_id: integerField('audit_log.actor_id'),
    lot_id: integerField('audit_log.lot_id'),
  },
  sorts: {},
  rows: (db, ids) => rowsByIds(db, 'audit_log', ids),
});

const auditRecordSchema = z
  .strictObject({
    id: z.number().int(),
    account_id: z.number().int().nullable().describe('The account that it is about; null for none.'),
    lot_id: z
      .number()
      .int()
      .nullable()
      .describe('The lot that it is about, or that was asked; null for the account itself, and for none or several.'),
    actor_type: z
      .enum(AUDIT_ACTORS)
      .describe(
        'Who did it: a user, a program with an API token, an operator at a shell, somebody without a bearer, the service, or somebody at a gateway itself.',
      ),
    actor_id: z
      .number()
      .int()
      .nullable()
      .describe(
        'The id of the user or API token that did it, or of the gateway at which it was done; null for anybody else.',
      ),
    action: z.string().describe('What was done, as `resource.verb`.'),
    target: z.string().describe('What the action was about, as `resource id`.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('What is known of the action: keys of the request, values that are no secret, ids of new things.'),
    created_at: z.iso.datetime({ precision: 3 }).describe('When it was done.'),
    previous_hash: z.string().describe('The hash of the entry before this one.'),
    hash: z
      .string()
      .describe(
        'The hash over this entry and the one before it, keyed by the server, which makes the entries a chain.',
      ),
  })
  .openapi('AuditRecord');

const auditHeadSchema = z
  .strictObject({
    entries: z.number().int().describe('How many entries the audit log of the service has.'),
    hash: z.string().describe('That of the newest entry.'),
    at: datetime.describe('When this was so.'),
  })
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
