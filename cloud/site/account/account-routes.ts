/** GET and PATCH /v2/account: how an account shows itself, and settings that hold for all its users. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ACCENT } from '../../../shared/accent.js';
import { ALL_ROLES, MONEY_RIGHTS } from '../../kernel/auth/entry.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import {
  type Endpoint,
  givenFlag,
  oneLine,
  optionalEmailValue,
  optionalNameValue,
  protectedEndpoint,
} from '../../rest/entry.js';
import { settleAccount } from './account-queries.js';
import { ACCOUNT_SETTINGS, accountShower } from './account-settings.js';

const PATH = '/v2/account';
const TAG = 'Account users';
const PHONE_LENGTH_MAX = 50;

/** One colour for everything: what is readable on which ground follows from it. */
const colourValue = z.string().toLowerCase().regex(ACCENT, 'must be a colour such as #0b6b5d');
const phoneValue = oneLine(z.string().max(PHONE_LENGTH_MAX));

const changedAccountSchema = z.strictObject({
  display_name: optionalNameValue.optional().describe('The name that guests read; empty: that of the account.'),
  contact_name: optionalNameValue.optional(),
  contact_email: optionalEmailValue.optional(),
  contact_phone: phoneValue.optional(),
  colour: colourValue.nullable().optional().describe('The colour of the account, such as `#0b6b5d`; null: none.'),
  mask_plates: givenFlag.optional(),
  attendant_money: z.enum(MONEY_RIGHTS).optional(),
});

export function accountEndpoints(deps: { store: CloudStore; clock: Clock; baseUrl: () => string }): Endpoint[] {
  const { store, clock } = deps;
  const show = accountShower(deps);
  return [
    protectedEndpoint({
      method: 'get',
      path: PATH,
      isRecord: true,
      summary: 'Get the own account',
      tag: TAG,
      roles: ALL_ROLES,
      answer: ACCOUNT_SETTINGS,
      handle: ({ caller }) => show(store.reader, caller.account_id),
    }),
    protectedEndpoint({
      method: 'patch',
      path: PATH,
      summary: 'Change the own account',
      tag: TAG,
      roles: ['Super Admin'],
      userTokenOnly: true,
      body: changedAccountSchema,
      auditValues: ['mask_plates', 'attendant_money', 'display_name', 'colour'],
      answer: ACCOUNT_SETTINGS,
      handle: ({ caller: { account_id }, body, change }) =>
        change(async (tx) => {
          const given = Object.entries(body).filter(([, value]) => value !== undefined);
          const set = Object.fromEntries(given) as Parameters<typeof settleAccount>[1]['set'];
          if (given.length > 0) await settleAccount(tx, { id: account_id, set, now: clock.now() });
          return show(tx, account_id);
        }),
    }),
  ];
}
