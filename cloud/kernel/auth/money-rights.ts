/** The rights of callers about money. Those of Attendants are a setting of the account (REST contract, "Roles"); the other roles have all. */
import type { Role } from './role-schemas.js';

/** `all`; `payments`: no refunds and no free minutes; `none`: no payments either. */
export const MONEY_RIGHTS = ['all', 'payments', 'none'] as const;

export type MoneyRight = (typeof MONEY_RIGHTS)[number];

/** @param attendants the setting of the account */
export const moneyRightOf = (role: Role, attendants: MoneyRight): MoneyRight =>
  role === 'Attendant' ? attendants : 'all';

/** Whether the caller may report that something was paid. */
export const mayReportPayments = ({ money }: { money: MoneyRight }): boolean => money !== 'none';

/** Whether the caller may give money away: refunds and free minutes. */
export const mayGiveMoney = ({ money }: { money: MoneyRight }): boolean => money === 'all';
