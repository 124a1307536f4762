/** The representation of an account's users in the REST interface. */
import { z } from '@hono/zod-openapi';
import { roleName } from '../../kernel/auth/role-schemas.js';
import { flag, flagOf, id, iso, times } from '../../rest/field/answer-schemas.js';
import type { Row } from '../../kernel/store/entry.js';
import type { AccountUserDetails } from './account-user-queries.js';

const roleSchema = z.strictObject({ id, name: z.string().describe('The name of the role.'), ...times });

const accountSchema = z
  .strictObject({
    id,
    account_role_id: id,
    auto_extend: flag.describe('Whether the subscription of the account goes on by itself: 1 or 0.'),
    name: z.string().describe('The name of the company or person that runs the car parks.'),
    contact_name: z.string().describe('The name of the person to ask.'),
    contact_email: z.string().describe('The email address of the person to ask.'),
    contact_phone: z.string().describe('The telephone number of the person to ask.'),
    billing_title: z.string().describe('The name on bills.'),
    vat: z.string().describe('The number for value added tax.'),
    address: z.string().describe('The street and number of the postal address.'),
    city: z.string().describe('The town of the postal address.'),
    zip_code: z.string().describe('The postal code.'),
    ...times,
    infinite_shares: z.number().int().describe('Whether keys may be given without a limit: 1 or 0.'),
    account_role: roleSchema.describe('The role of the account.'),
    authorities: z.array(z.string()).describe('What the account may use.'),
  })
  .openapi('Account');

export const accountUserSchema = z
  .strictObject({
    id,
    account_user_role_id: id,
    account_id: id,
    email: z.string(),
    name: z.string(),
    phone: z.string(),
    language_tag: z.string().describe('The language of the user, as BCP 47 has it.'),
    country_code: z.string().describe('The country of the user, as two letters of ISO 3166.'),
    email_confirmed: flag.describe('Whether the email address is confirmed: 1 or 0.'),
    ...times,
    account: accountSchema,
    account_user_role: roleSchema.describe('The role of the account user.'),
    lots: z
      .array(
        z.strictObject({ id, name: z.string(), address: z.string().describe('The street and number of the lot.') }),
      )
      .describe('The lots that are assigned to the user.'),
  })
  .openapi('AccountUser');

export type AccountUser = z.infer<typeof accountUserSchema>;

/** Roles are part of the service and not of an account, so their times are 0. */
const ROLE_TIMES = { created_at: iso(0), updated_at: iso(0) };

export function representAccountUser({ user, account, lots }: AccountUserDetails): AccountUser {
  return {
    id: user.id,
    account_user_role_id: user.account_user_role_id,
    account_id: user.account_id,
    email: user.email,
    name: user.name,
    phone: user.phone,
    language_tag: user.language_tag,
    country_code: user.country_code,
    email_confirmed: flagOf(user.email_confirmed),
    created_at: iso(user.created_at),
    updated_at: iso(user.updated_at),
    account: representAccount(account),
    account_user_role: { id: user.account_user_role_id, name: roleName(user.account_user_role_id), ...ROLE_TIMES },
    lots,
  };
}

function representAccount(account: Row<'accounts'>): AccountUser['account'] {
  return {
    id: account.id,
    account_role_id: account.account_role_id,
    auto_extend: flagOf(account.auto_extend),
    name: account.name,
    contact_name: account.contact_name,
    contact_email: account.contact_email,
    contact_phone: account.contact_phone,
    billing_title: account.billing_title,
    vat: account.vat,
    address: account.address,
    city: account.city,
    zip_code: account.zip_code,
    created_at: iso(account.created_at),
    updated_at: iso(account.updated_at),
    infinite_shares: account.infinite_shares,
    account_role: { id: account.account_role_id, name: 'Owner', ...ROLE_TIMES },
    authorities: [],
  };
}
