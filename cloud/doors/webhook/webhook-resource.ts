/** Webhooks: receivers of an account's events. `webhook-routes.ts` creates one and shows its secret only then. */
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { defineResource, representationOf, type Values, writableIds } from '../../rest/entry.js';
import { WEBHOOK_FIELDS } from './webhook-fields.js';
import { WEBHOOK_LIST } from './webhook-lists.js';
import { activateWebhook, deactivateWebhook } from './webhook-queries.js';
import { insertDeliveries } from './webhook-turn-queries.js';
import { webhookUrlProblem } from './webhook-url.js';

export const WEBHOOK_ANSWER = representationOf('Webhook', WEBHOOK_FIELDS);

/**
 * An Admin knows the addresses of those webhooks whose lots are all his. A path may hold a secret, by which others could send what looks
 * like events to its receiver.
 */
async function idsWithShownUrl(db: Db, caller: Caller, rows: readonly { id: number }[]): Promise<Set<number>> {
  const ids = rows.map(({ id }) => id);
  if (caller.role === 'Super Admin') return new Set(ids);
  return new Set(caller.role === 'Attendant' ? [] : await writableIds(db, WEBHOOK_LIST, { caller, ids }));
}

/** @param options.allowPrivate WEBHOOK_ALLOW_PRIVATE */
export function webhookResource(options: { allowPrivate: boolean }) {
  const urlValue = WEBHOOK_FIELDS.url.value.superRefine((url, context) => {
    const problem = webhookUrlProblem(url, options);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });
  return defineResource({
    table: 'webhooks',
    one: 'webhook',
    many: 'webhooks',
    fields: { ...WEBHOOK_FIELDS, url: { ...WEBHOOK_FIELDS.url, value: urlValue } },
    unique: [],
    rest: {
      path: '/v2/webhooks',
      tag: 'Webhooks',
      isMadeElsewhere: true,
      list: WEBHOOK_LIST,
      item: WEBHOOK_ANSWER.schema,
      async items(rows, { db, caller }) {
        const shown = await idsWithShownUrl(db, caller, rows);
        return rows.map((row) => ({ ...WEBHOOK_ANSWER.of(row), ...(shown.has(row.id) ? {} : { url: null }) }));
      },
      gatewaysOf: () => [],
      async beforeUpdate(tx, { row, given, now }) {
        // Events that happened before this change are delivered by the former selection.
        if (given.events !== undefined && row.is_active === 1) {
          await insertDeliveries(tx, row, { now, limit: Number.MAX_SAFE_INTEGER });
        }
        return {};
      },
      async afterUpdate(tx, { row, given, now, services }) {
        const { is_active }: Values = given;
        if (is_active === 1 && row.is_active === 0) await activateWebhook(tx, row);
        if (is_active === 0 && row.is_active === 1) {
          await deactivateWebhook(tx, { id: row.id, now, reason: 'The webhook was switched off' });
        }
        tx.onCommit(() => services.webhooksChanged());
      },
      async beforeDelete(tx, { services }) {
        tx.onCommit(() => services.webhooksChanged());
      },
    },
  });
}
