import { StoreError, type StoreErrorCode } from '../cloud-store.js';
import { errorText } from '../../../../shared/error-text.js';

/** By SQLSTATE, or by its class of two characters. */
const CODES: Readonly<Record<string, StoreErrorCode>> = {
  '23505': 'unique',
  '23503': 'foreign_key',
  '23': 'constraint',
  // A value that its column does not hold, or an index: too large, or not of its type.
  '22': 'constraint',
  '54': 'constraint',
  '40001': 'conflict',
  '40P01': 'conflict',
  '55P03': 'locked',
  '53100': 'full',
  '53300': 'no_connection',
  '53': 'io',
  '57': 'io',
  '58': 'io',
  '08': 'io',
  '28': 'io',
  '3D': 'io',
  // Of `require_cloud_process`.
  PC001: 'closed',
  // A process that stood still holds its locks no longer.
  '25P03': 'io',
  '25P04': 'io',
  // Damaged data, and rights that were revoked while this program ran.
  XX001: 'io',
  XX002: 'io',
  '42501': 'io',
  // The server became a standby, or was set to read only, while this program ran.
  '25006': 'read_only',
};

/**
 * Whether what failed is the connection, and not the statement: the server's own errors have an SQLSTATE. One on which nothing can be
 * written counts as lost, because the address may lead to another server by now.
 */
export const isConnectionLost = (error: unknown): boolean => {
  const state = sqlStateOf(error);
  return state === null || /^(08|25006|25P0[34]|57P0[1-5])/.test(state);
};

/**
 * Whether a prepared statement cannot run any more, because a newer program altered its tables (0A000), or the server has none of its name or
 * another one. What the server says of it is in its own language.
 */
export const isPlanOutdated = (error: unknown): boolean =>
  ['0A000', '26000', '42P05'].includes(sqlStateOf(error) ?? '');

/** The error never has the parameters, which hold hashes and sealed secrets; PostgreSQL's own `detail` has them, so it is left out. */
export function toStoreError(error: unknown, what: string): StoreError {
  if (error instanceof StoreError) return error;
  const state = sqlStateOf(error);
  const message = errorText(error);
  if (state === null) return new StoreError('io', `The database cannot be reached: ${message || nodeCodeOf(error)}`);
  const code = isPlanOutdated(error) ? 'conflict' : (CODES[state] ?? CODES[state.slice(0, 2)]);
  return new StoreError(code ?? 'query', `${message} (${state}) at: ${what}`);
}

function sqlStateOf(error: unknown): string | null {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof code === 'string' && severity !== undefined ? code : null;
}

const nodeCodeOf = (error: unknown): string => String((error as { code?: unknown }).code ?? 'unknown reason');
