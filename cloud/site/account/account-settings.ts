/** The settings of an account as REST shows them. */
import { z } from '@hono/zod-openapi';
import { ApiError, NOT_FOUND } from '../../../shared/errors.js';
import { MONEY_RIGHTS } from '../../kernel/auth/entry.js';
import type { Db } from '../../kernel/store/entry.js';
import { flag, flagOf, id } from '../../rest/entry.js';
import { findAccountSettings } from './account-queries.js';

export const ACCOUNT_SETTINGS = z
  .strictObject({
    id,
    name: z.string().describe('The name of the account, by which the service and its site file know it.'),
    display_name: z.string().describe('The name that guests read; empty: that of the account.'),
    contact_name: z.string().describe('The name of the person to ask; may be empty.'),
    contact_email: z.string().describe('The email address for questions; may be empty.'),
    contact_phone: z.string().describe('The telephone number for questions; may be empty.'),
    colour: z.string().nullable().describe('The colour of the account, such as `#0b6b5d`; null: it chose none.'),
    logo_url: z.string().nullable().describe('The logo, a PNG that anybody may see; null: there is none.'),
    /** 1: the console masks plates until a user asks to see them. */
    mask_plates: flag,
    /** What Attendants may do with money. */
    attendant_money: z.enum(MONEY_RIGHTS),
  })
  .openapi('AccountSettings');

export const logoUrl = (baseUrl: string, name: string): string => `${baseUrl}/logos/${name}`;

/** @returns what shows the settings of an account */
export function accountShower({ baseUrl }: { baseUrl: () => string }) {
  return async (db: Db, account_id: number): Promise<z.infer<typeof ACCOUNT_SETTINGS>> => {
    const found = await findAccountSettings(db, account_id);
    if (found === undefined) throw new ApiError(NOT_FOUND);
    const { logo, mask_plates, ...settings } = found;
    return {
      ...settings,
      logo_url: logo === null ? null : logoUrl(baseUrl(), logo),
      mask_plates: flagOf(mask_plates),
    };
  };
}
