/** The door to limits of requests, failures and connections. */
export { createExportTurns } from './export-turns.js';
export type { FailureLimiter } from './failure-limiter.js';
export type { FailurePace } from './failure-pace.js';
export { createGrowingDelay, type GrowingDelay } from './growing-delay.js';
export { createRequestTurns, type RequestTurns } from './request-turns.js';
export { createRequestLimiter, type RequestLimiter } from './request-limiter.js';
export { RetryLaterError } from './retry-later-error.js';
export type { ShareCounts, SharedCounts } from './shared-counts.js';
export { createThreadShare, type Piece, type ThreadShare } from './thread-share.js';
export { createSocketRoom, endsOf, type SocketRoom } from './socket-room.js';
