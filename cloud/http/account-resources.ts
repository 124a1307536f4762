/** An account's users and API tokens as REST answers show them. */
import { z } from '@hono/zod-openapi';
import { roleName } from '../auth/caller.js';
import type { AccountUserDetails } from '../store/queries/account-users.js';
import type { Row } from '../store/schema.js';

const id = z.number().int();
const datetime = z.iso.datetime({ precision: 3 });
const flag = z.union([z.literal(0), z.literal(1)]);
const times = { created_at: datetime, updated_at: datetime };
const iso = (ms: number): string => new Date(ms).toISOString();
const flagOf = (value: number): 0 | 1 => (value === 1 ? 1 : 0);

const apiTokenKeys = { id, name: z.string(), account_id: id, ...times };

export const apiTokenSchema = z.strictObject(apiTokenKeys).openapi('ApiToken');
export type ApiToken = z.infer<typeof apiTokenSchema>;

/** `token` is null when the answer is a replay of the first one. */
export const newApiTokenSchema = z
  .strictObject({ ...apiTokenKeys, token: z.string().nullable() })
  .openapi('NewApiToken');

export function apiTokenRecord(row: Row<'api_tokens'>): ApiToken {
  const { name, account_id } = row;
  return { id: row.id, name, account_id, created_at: iso(row.created_at), updated_at: iso(row.updated_at) };
}

const roleSchema = z.strictObject({ id, name: z.string(), ...times });

const accountSchema = z
  .strictObject({
    id,
    account_role_id: id,
    auto_extend: flag,
    name: z.string(),
    contact_name: z.string(),
    contact_email: z.string(),
    contact_phone: z.string(),
    billing_title: z.string(),
    vat: z.string(),
    address: z.string(),
    city: z.string(),
    zip_code: z.string(),
    ...times,
    infinite_shares: z.number().int(),
    account_role: roleSchema,
    authorities: z.array(z.string()),
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
    language_tag: z.string(),
    country_code: z.string(),
    email_confirmed: flag,
    ...times,
    account: accountSchema,
    account_user_role: roleSchema,
    lots: z.array(z.strictObject({ id, name: z.string(), address: z.string() })),
  })
  .openapi('AccountUser');
export type AccountUser = z.infer<typeof accountUserSchema>;

/** Roles are part of the service, not records of an account: they are as old as time. */
const ROLE_TIMES = { created_at: iso(0), updated_at: iso(0) };

export function accountUserRecord({ user, account, lots }: AccountUserDetails): AccountUser {
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
    account: accountRecord(account),
    account_user_role: { id: user.account_user_role_id, name: roleName(user.account_user_role_id), ...ROLE_TIMES },
    lots,
  };
}

function accountRecord(account: Row<'accounts'>): AccountUser['account'] {
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
