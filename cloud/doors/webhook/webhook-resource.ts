/** Webhooks: receivers of an account's events. `webhook-routes.ts` creates one and shows its secret only then. */
import { z } from 'zod';
import type { EventName } from '../../../shared/events/event-schemas.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { defineResource, flagValue, oneLine, required, type Values, writableIds } from '../../rest/entry.js';
import { WEBHOOK_LIST } from './webhook-lists.js';
import { EVENT_NAMES, representWebhook, webhookSchema } from './webhook-payload.js';
import { activateWebhook, deactivateWebhook } from './webhook-queries.js';
import { insertDeliveries } from './webhook-turn-queries.js';
import { WEBHOOK_URL_CHARS_MAX, webhookUrlProblem } from './webhook-url.js';

/** Writes each event once. */
export const eventsColumn = (events: readonly EventName[]): string => JSON.stringify([...new Set(events)]);

/** An Admin knows the addresses of those webhooks whose lots are all his. */
async function idsWithShownUrl(db: Db, caller: Caller, rows: readonly { id: number }[]): Promise<Set<number>> {
  const ids = rows.map(({ id }) => id);
  if (caller.role === 'Super Admin') return new Set(ids);
  return new Set(caller.role === 'Attendant' ? [] : await writableIds(db, WEBHOOK_LIST, { caller, ids }));
}

/** @param options.allowPrivate WEBHOOK_ALLOW_PRIVATE */
export function webhookResource(options: { allowPrivate: boolean }) {
  const urlValue = oneLine(z.string().max(WEBHOOK_URL_CHARS_MAX)).superRefine((url, context) => {
    const problem = webhookUrlProblem(url, options);
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });
  return defineResource({
    table: 'webhooks',
    one: 'webhook',
    many: 'webhooks',
    fields: {
      url: required(urlValue),
      events: required(z.array(z.enum(EVENT_NAMES)).min(1).max(1_000), { columns: { events: { from: eventsColumn } } }),
      /** Written by the hooks below and not by the endpoints, because deliveries depend on it. */
      is_active: required(flagValue, { columns: {} }),
    },
    unique: [],
    rest: {
      path: '/v2/webhooks',
      tag: 'Webhooks',
      isMadeElsewhere: true,
      list: WEBHOOK_LIST,
      item: webhookSchema,
      async items(rows, { db, caller }) {
        const shown = await idsWithShownUrl(db, caller, rows);
        return rows.map((row) => representWebhook(row, { isUrlShown: shown.has(row.id) }));
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
