/** The table of error codes in `shared/contract/rest.md`. Pure. */
import { ERROR_TABLE } from '../../../shared/errors.js';
import type { Table } from './markdown-page.js';

export function errorTable(): Table {
  return {
    header: ['Code', 'HTTP', 'Message'],
    rows: Object.entries(ERROR_TABLE).map(([code, { status, message }]) => [code, String(status), message]),
  };
}
