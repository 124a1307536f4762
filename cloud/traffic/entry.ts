/** What the other wings use of traffic: readings, sessions, pictures, occupancy, decisions and the ingest of records. */
export { countReadings, findReplayLots, type Range, type ReplayLot } from './access/replay-queries.js';
export { type ReplayRules, replayRules } from './access/replay-rules.js';
export { type Difference, replay, type ReplayCounts } from './access/replay.js';
export type { ImageLinks } from './image/image-links.js';
export { readCursor, readCursors } from './ingest/ingest-queries.js';
export type { Ingest } from './ingest/ingest.js';
export { handledVehicles } from './reading/handled-queries.js';
export type { EventSpans } from './trace/event-spans.js';
