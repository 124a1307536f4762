/** The door of deliveries to other wings. */
export type { RetryPace } from './decide-retry.js';
export { createDeliveries, type Deliveries, type DeliveryDeps } from './deliveries.js';
export { createAttemptMeasurement, type MeasureAttempt } from './delivery-metrics.js';
export {
  endedBecause,
  endLeases,
  leaseDeliveries,
  nextDueMoment,
  recordAttempt,
  waitingDeliveries,
} from './delivery-queries.js';
export type { DeliveryAnswer, DeliveryOutcome, DeliveryRule } from './delivery-rule.js';
export { createTurnLoop } from './turn-loop.js';
