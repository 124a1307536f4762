/** What the cloud does from time to time: it removes what is no longer needed, ends keys, and looks for what went wrong unnoticed. */
import { type Clock, every } from '../shared/clock.js';
import type { Logger } from '../shared/logger.js';
import type { AssignedGateways } from './doors/uplink/assign-gateways.js';
import type { CommandDispatcher } from './equipment/command/command-dispatcher.js';
import { OPENINGS_KEPT_MS, pruneOpenings } from './equipment/opening/opening-queries.js';
import { startTokenExpiry } from './guests/guest-key/token-expiry.js';
import type { ProductReports } from './equipment/product/product-reports.js';
import { IMPORTS_KEPT_MS, pruneMemberImports } from './guests/member/member-import-queries.js';
import { pruneAlertMails } from './guests/alert/prune-alert-mails.js';
import { startAuditHeads } from './kernel/audit/audit-heads.js';
import { endBoundedAudit } from './kernel/audit/bounded-audit-queries.js';
import type { CloudStore } from './kernel/store/cloud-store.js';
import { ANSWERS_KEPT_MS } from './rest/request/idempotency.js';
import { pruneIdempotencyKeys } from './rest/request/idempotency-queries.js';
import type { ConfigChanged } from './rest/resource/config-changed.js';
import { startDriftWatch } from './site/zone/drift-watch.js';
import type { ImageStore } from './traffic/image/image-store.js';
import type { Ingest } from './traffic/ingest/ingest.js';
import { startPictureSweep } from './traffic/ingest/picture-sweep.js';
import { HISTORY_KEPT_MS } from './traffic/occupancy/occupancy-history.js';
import { pruneQuarters } from './traffic/occupancy/occupancy-history-queries.js';

const PRUNE_EVERY_MS = 3_600_000;
const AUDIT_COUNTS_END_EVERY_MS = 10 * 60_000;

export function startUpkeep(
  /** TOKEN_EXPIRY_CHECK_MS */
  { tokenExpiryCheckMs: periodMs }: { tokenExpiryCheckMs: number },
  deps: { store: CloudStore; images: ImageStore; clock: Clock; logger: Logger },
  made: {
    configChanged: ConfigChanged;
    ingest: Pick<Ingest, 'prune'>;
    dispatcher: Pick<CommandDispatcher, 'prune'>;
    reports: Pick<ProductReports, 'prune'>;
    sharing: Pick<AssignedGateways, 'isFirst' | 'onFirst'>;
  },
): { close(): Promise<void> } {
  const { store, clock, logger } = deps;
  const { configChanged, ingest, dispatcher, reports, sharing } = made;
  const { isFirst: isDue } = sharing;
  const pruning = every({
    clock,
    periodMs: PRUNE_EVERY_MS,
    async work() {
      if (!isDue()) return;
      await ingest.prune();
      await pruneQuarters(store, clock.now() - HISTORY_KEPT_MS);
      await store.change((tx) => pruneIdempotencyKeys(tx, clock.now() - ANSWERS_KEPT_MS));
      await pruneAlertMails(store, clock.now());
      await pruneMemberImports(store, clock.now() - IMPORTS_KEPT_MS);
      await dispatcher.prune();
      await pruneOpenings(store, clock.now() - OPENINGS_KEPT_MS);
      await reports.prune();
    },
    onError: (error) => logger.error({ err: error }, 'what is no longer needed could not be removed'),
  });
  const auditCounts = every({
    clock,
    periodMs: AUDIT_COUNTS_END_EVERY_MS,
    work: async () => (isDue() ? store.change((tx) => endBoundedAudit(tx, { now: clock.now() })) : undefined),
    onError: (error) =>
      logger.error({ err: error }, 'what was counted for the audit log could not be written; it is tried again'),
  });
  const auditHeads = startAuditHeads({ store, clock, logger, isDue });
  sharing.onFirst(auditHeads.note);
  const driftWatch = startDriftWatch(deps);
  const pictureSweep = startPictureSweep(deps);
  const tokenExpiry = startTokenExpiry({ store, clock, logger, periodMs, configChanged, isDue });
  sharing.onFirst(tokenExpiry.checkNow);
  return {
    async close() {
      pruning.cancel();
      auditCounts.cancel();
      await Promise.all([auditHeads.close(), tokenExpiry.close(), pictureSweep.close(), driftWatch.close()]);
    },
  };
}
