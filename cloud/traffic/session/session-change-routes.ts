import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ALL_ROLES, type Caller, mayReportPayments } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  checkIds,
  type Endpoint,
  givenFlag,
  oneLine,
  plateValue,
  protectedEndpoint,
  timeParameter,
  timeText,
  visibleTo,
} from '../../rest/entry.js';
import { ZONE_LIST } from '../../site/entry.js';
import { createBillOf } from './session-bill.js';
import type { SessionChanges } from './session-changes.js';
import { findSessionDetails, type SessionDetails } from './session-detail-queries.js';
import { representSession, sessionSchema } from './session-rest-payload.js';
import { BEGINNING_RULE, endRule, type TimeRule } from './session-times.js';

/** A hundred years. */
const DISCOUNT_MINUTES_MAX = 100 * 366 * 24 * 60;
/** Of a payment or refund, in the major unit. */
const AMOUNT_MAX = 1_000_000;
const WORDS_CHARS_MAX = 255;

const discountTime = z.number().int().min(-1).max(DISCOUNT_MINUTES_MAX).nullable();
const shortText = oneLine(z.string().max(WORDS_CHARS_MAX));
const discountReason = shortText.nullable();

const newBody = z.strictObject({
  zone_id: z.number().int(),
  entry_license_plate: plateValue.optional(),
  discount_time: discountTime.optional(),
  discount_reason: discountReason.optional(),
  created_at: timeParameter.optional(),
});
const updateBody = z.strictObject({
  discount_time: discountTime.optional(),
  discount_reason: discountReason.optional(),
  entry_license_plate: plateValue.optional(),
});
const closeBody = z.strictObject({ ended_at: timeParameter.optional(), exit_license_plate: plateValue.optional() });
const paymentBody = z.strictObject({
  amount: z.number().min(-AMOUNT_MAX).max(AMOUNT_MAX),
  reference: shortText.optional(),
  reason: shortText.optional().describe('Why it was paid or given back.'),
  overpays: givenFlag
    .optional()
    .describe('Whether it may be more than the stay costs, or for a stay without a tariff.'),
});

/** POST /v2/sessions, PATCH /v2/sessions/{id}, POST .../close, POST .../payments */
export function sessionChangeEndpoints(deps: {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  changes: SessionChanges;
}): Endpoint[] {
  const { changes, store, clock } = deps;
  // The transaction checks the times again. They are checked here too, so that one answer names all wrong fields.
  const timeBy = ({ allows, message }: TimeRule) =>
    timeText.refine((at) => allows(at, clock.now()), message).optional();
  const newBodyNow = newBody.extend({ created_at: timeBy(BEGINNING_RULE) });
  const shown = (details: SessionDetails) => representSession(details, { now: clock.now(), billOf: createBillOf() });
  const findSession = async ({ caller, ids }: { caller: Caller; ids: { id: number } }) =>
    visibleTo(caller, await findSessionDetails(store.reader, ids.id));
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/sessions',
      summary: 'Start a session; a plate can have one open session in a lot',
      tag: 'Sessions',
      roles: ALL_ROLES,
      body: newBody,
      bodyFor: () => newBodyNow,
      checkIds: checkIds(store, { zone_id: ZONE_LIST }),
      auditValues: ['zone_id', 'entry_license_plate', 'discount_time', 'discount_reason', 'created_at'],
      answer: sessionSchema,
      handle: async ({ caller, body, change }) => shown(await changes.begin(change, caller, body)),
    }),
    protectedEndpoint({
      method: 'patch',
      path: '/v2/sessions/{id}',
      summary: 'Update an open session: its discount time or its entry plate',
      tag: 'Sessions',
      roles: ALL_ROLES,
      body: updateBody,
      auditValues: ['discount_time', 'discount_reason', 'entry_license_plate'],
      answer: sessionSchema,
      find: findSession,
      handle: async ({ caller, body, found, change }) => shown(await changes.update(change, caller, found.id, body)),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/sessions/{id}/close',
      summary: 'Close a session; one that has ended is answered as it is',
      tag: 'Sessions',
      roles: ALL_ROLES,
      body: closeBody,
      // A session that has ended does not change, so any time is accepted for it.
      bodyFor: ({ session }) =>
        session.ended_at !== null ? closeBody : closeBody.extend({ ended_at: timeBy(endRule(session)) }),
      auditValues: ['ended_at', 'exit_license_plate'],
      answer: sessionSchema,
      find: findSession,
      handle: async ({ caller, body, found, change }) => shown(await changes.close(change, caller, found.id, body)),
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/sessions/{id}/payments',
      summary: 'Add a payment to a session; a negative amount is a refund',
      tag: 'Sessions',
      roles: ALL_ROLES,
      isFor: mayReportPayments,
      body: paymentBody,
      auditValues: ['amount', 'reference', 'reason', 'overpays'],
      answer: sessionSchema,
      find: findSession,
      handle: async ({ caller, body, found, change }) => shown(await changes.pay(change, caller, found.id, body)),
    }),
  ];
}
