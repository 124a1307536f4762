/** What a caller may do with money. Of Attendants the account says it (REST contract, "Common rules"); the other roles may all of it. */
import type { Caller } from './caller.js';
import type { Role } from './role-schemas.js';

/** `all`; `payments`: no refunds and no free minutes; `none`: no payments either. */
export const MONEY_RIGHTS = ['all', 'payments', 'none'] as const;

export type MoneyRight = (typeof MONEY_RIGHTS)[number];

/** @param attendants the setting of the account */
export const moneyRightOf = (role: Role, attendants: MoneyRight): MoneyRight =>
  role === 'Attendant' ? attendants : 'all';

/** Whether the caller may report that something was paid. */
export const mayReportPayments = ({ money }: Pick<Caller, 'money'>): boolean => money !== 'none';

/** Whether the caller may give money away: refunds and free minutes. */
export const mayGiveMoney = ({ money }: Pick<Caller, 'money'>): boolean => money === 'all';
