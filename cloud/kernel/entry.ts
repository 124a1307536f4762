/** What the other wings of the cloud use of its kernel: the database, secrets, limits, peers, who calls, the audit log. */
export { type AuditBreak, type AuditBreakReason, verifyAudit } from './audit/audit-chain-queries.js';
export {
  appendAudit,
  type AuditEntry,
  type AuditHead,
  findAuditHead,
} from './audit/audit-log-queries.js';
export { noteAudit, ownChange, withAuditEntry } from './audit/audit-note.js';
export {
  type Authenticate,
  bearerToken,
  type Caller,
  hearsWholeAccount,
  isExpired,
  seesLot,
  tokenKey,
  type TokenReference,
} from './auth/caller.js';
export { ALL_ROLES, type Role, ROLE_IDS, roleName } from './auth/role-schemas.js';
export type { TokenRevocations } from './auth/token-revocations.js';
export type { RetryPace } from './delivery/decide-retry.js';
export { createDeliveries, type Deliveries, type DeliveryDeps } from './delivery/deliveries.js';
export { createAttemptMeasurement, type MeasureAttempt } from './delivery/delivery-metrics.js';
export {
  endedBecause,
  endLeases,
  leaseDeliveries,
  nextDueMoment,
  recordAttempt,
  waitingDeliveries,
} from './delivery/delivery-queries.js';
export type { DeliveryAnswer, DeliveryOutcome, DeliveryRule } from './delivery/delivery-rule.js';
export type { DeliveryColumns } from './delivery/delivery-tables.js';
export { createExportTurns } from './limit/export-turns.js';
export type { FailureLimiter } from './limit/failure-limiter.js';
export type { FailurePace } from './limit/failure-pace.js';
export { createGrowingDelay, type GrowingDelay } from './limit/growing-delay.js';
export { createRequestLimiter, type RequestLimiter } from './limit/request-limiter.js';
export { RetryLaterError } from './limit/retry-later-error.js';
export type { ShareCounts, SharedCounts } from './limit/shared-counts.js';
export { createSocketRoom, endsOf, type SocketRoom } from './limit/socket-room.js';
export { LAG_S, OUTSIDE_S, WORK_S } from './measure/buckets.js';
export { addDatabaseGauges, addWaitingGauges, type DatabaseGaugeDeps } from './measure/database-gauges.js';
export { addGauge } from './measure/gauge.js';
export { measureWaiting } from './measure/waiting.js';
export { partOfGateway } from './peers/gateway-parts.js';
export { measureMembership } from './peers/membership-metrics.js';
export { joinProcesses } from './peers/membership.js';
export { allProcesses } from './peers/peer-queries.js';
export type { PeerTalk } from './peers/peer-talk.js';
export { isCommonPassword } from './secrets/guessable-passwords.js';
export {
  generateCode,
  generateCredentialId,
  generateToken,
  generateWeblinkId,
} from './secrets/generated-secrets.js';
export type { Passwords } from './secrets/passwords.js';
export { CertificateError, issueCertificate, type MadeFiles, makeAuthority } from './secrets/private-ca.js';
export { requireServerKey } from './secrets/require-server-key.js';
export { createSecrets, hashToken, type SealPurpose, type Secrets } from './secrets/secrets.js';
export { copyServerKeys, loadServerKey } from './secrets/server-key.js';
export { readAuthority, type TlsFiles } from './secrets/tls-files.js';
export { isWeakKey } from './secrets/weak-keys.js';
export { askedRows } from './store/asked-rows.js';
export { byOwner, type NamedThing } from './store/by-owner.js';
export {
  type Change,
  type CloudStore,
  type Db,
  inShare,
  type JournalEvent,
  type Migrations,
  type RunReport,
  StoreError,
  type Tx,
} from './store/cloud-store.js';
export { createTrigger, type Schema, type Tables } from './store/create-tables.js';
export { databaseFault } from './store/database-faults.js';
export {
  absoluteDatabaseUrl,
  DATABASE_URL_ALLOWED,
  isDatabaseUrl,
  isPostgresUrl,
  shownDatabaseUrl,
} from './store/database-url.js';
export { deleteInPieces } from './store/delete-in-pieces.js';
export { deletedAt, deleteRow, type GoneRows, KEPT_OF_ALL } from './store/deletion-queries.js';
export { createGroupedChanges, createGroupedWork, type GroupedWork, type GroupPace } from './store/grouped-changes.js';
export {
  eventsAfter,
  eventsBetween,
  type EventScope,
  journalHeadOf,
  journalHeads,
  type JournalRow,
  pruneEvents,
} from './store/journal-queries.js';
export type { JsonColumn } from './store/json-column.js';
export { type Lock, LOCKS } from './store/locks.js';
export { moveDatabase, type MovedTable, type MoveProgress } from './store/move-database.js';
export { type MoveEnd, type MoveEndOptions, MoveRefusedError } from './store/move-end.js';
export {
  insertRow,
  isStoreError,
  pairedIds,
  type Pairs,
  replacePairs,
  rowsByIds,
  rowsOf,
  updateRow,
} from './store/row-queries.js';
export { insertNumbered, insertRows, ROWS_OF_STATEMENT_MAX } from './store/rows-of-statement.js';
export { saveEach } from './store/save-each-queries.js';
export type { Database, DeletedThing, NewRow, Row, Timestamps } from './store/schema.js';
export { includesOneOf } from './store/written-tables.js';
