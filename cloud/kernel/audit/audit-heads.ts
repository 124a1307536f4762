/**
 * Writes the head of the audit log into the program's log every hour, where who writes the database does not reach it. `parking-cloud audit
 * verify` takes it. The process that wrote it looks in the next hour whether the audit log still holds it.
 */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CloudStore } from '../store/cloud-store.js';
import { type AuditHead, findAuditHead, holdsAuditHead } from './audit-log-queries.js';

const EVERY_MS = 3_600_000;

export function startAuditHeads(deps: {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  logger: Logger;
  /** Whether it is this process that does it. */
  isDue: () => boolean;
}): { note(): void; close(): Promise<void> } {
  const { store, clock, logger, isDue } = deps;
  let noted: AuditHead | null = null;
  let writing = Promise.resolve();

  async function write(): Promise<void> {
    if (!isDue()) return;
    if (noted !== null && !(await holdsAuditHead(store.reader, noted))) {
      logger.error({ ...noted }, 'the audit log no longer holds what it held: parking-cloud audit verify shows where');
    }
    noted = await findAuditHead(store.reader);
    logger.info({ ...noted }, 'head of the audit log');
  }

  const onError = (error: unknown) => logger.error({ err: error }, 'the head of the audit log could not be noted');
  const work = () => (writing = write());
  const note = () => void work().catch(onError);
  const hourly = every({ clock, periodMs: EVERY_MS, work, onError });
  note();
  return {
    note,
    async close() {
      hourly.cancel();
      await writing.catch(() => undefined);
    },
  };
}
