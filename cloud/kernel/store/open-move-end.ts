/** Opens a database to move from or to, whichever kind its address names. */
import type { Logger } from '../../../shared/logger.js';
import { isPostgresUrl } from './database-url.js';
import type { MoveEnd, MoveEndOptions } from './move-end.js';

/**
 * @throws MoveRefusedError when it is not there, or another program works with it
 * @throws StoreError when it cannot be opened
 */
export async function openMoveEnd(options: MoveEndOptions & { logger: Logger }): Promise<MoveEnd> {
  if (isPostgresUrl(options.url)) {
    const { openPostgresMoveEnd } = await import('./postgres/postgres-move-end.js');
    return openPostgresMoveEnd(options);
  }
  const { openSqliteMoveEnd } = await import('./sqlite/sqlite-move-end.js');
  return openSqliteMoveEnd(options);
}
