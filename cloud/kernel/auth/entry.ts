/** The door to who calls, and roles. */
export {
  type Authenticate,
  bearerToken,
  type Caller,
  hearsWholeAccount,
  isExpired,
  seesLot,
  tokenKey,
  type TokenReference,
} from './caller.js';
export { mayGiveMoney, mayReportPayments, MONEY_RIGHTS, type MoneyRight, moneyRightOf } from './money-rights.js';
export { ALL_ROLES, type Role, ROLE_IDS, roleName } from './role-schemas.js';
export type { TokenRevocations } from './token-revocations.js';
