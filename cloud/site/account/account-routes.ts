/** GET and PATCH /v2/account: settings that hold for all users of an account. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { ALL_ROLES, MONEY_RIGHTS } from '../../kernel/auth/entry.js';
import type { CloudStore, Db } from '../../kernel/store/entry.js';
import { type Endpoint, flag, flagOf, givenFlag, id, protectedEndpoint } from '../../rest/entry.js';
import { findAccountSettings, settleAccount } from './account-queries.js';

const PATH = '/v2/account';
const TAG = 'Account users';

const accountSchema = z
  .strictObject({
    id,
    name: z.string(),
    /** 1: the console masks plates until a user asks to see them. */
    mask_plates: flag,
    /** What Attendants may do with money. */
    attendant_money: z.enum(MONEY_RIGHTS),
  })
  .openapi('AccountSettings');

const changedAccountSchema = z.strictObject({
  mask_plates: givenFlag.optional(),
  attendant_money: z.enum(MONEY_RIGHTS).optional(),
});

export function accountEndpoints({ store, clock }: { store: CloudStore; clock: Clock }): Endpoint[] {
  const show = async (db: Db, account_id: number) => {
    const found = await findAccountSettings(db, account_id);
    if (found === undefined) throw new ApiError(NOT_FOUND);
    return { ...found, mask_plates: flagOf(found.mask_plates) };
  };
  return [
    protectedEndpoint({
      method: 'get',
      path: PATH,
      isRecord: true,
      summary: 'Get the own account',
      tag: TAG,
      roles: ALL_ROLES,
      answer: accountSchema,
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
      auditValues: ['mask_plates', 'attendant_money'],
      answer: accountSchema,
      handle: ({ caller: { account_id }, body: { mask_plates, attendant_money }, change }) =>
        change(async (tx) => {
          const set = {
            ...(mask_plates === undefined ? {} : { mask_plates }),
            ...(attendant_money === undefined ? {} : { attendant_money }),
          };
          if (Object.keys(set).length > 0) await settleAccount(tx, { id: account_id, set, now: clock.now() });
          return show(tx, account_id);
        }),
    }),
  ];
}
