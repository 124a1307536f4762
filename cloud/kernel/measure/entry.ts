/** The door to measurements. */
export { LAG_S, OUTSIDE_S, WORK_S } from './buckets.js';
export { addDatabaseGauges, addKindGauge, addWaitingGauges, type DatabaseGaugeDeps } from './database-gauges.js';
export { addGauge } from './gauge.js';
export { measureWaiting } from './waiting.js';
