/** The exports of the package. */
export { type AwaitedCommand, CommandError, type CommandOptions, type Operation } from './await-command.js';
export { type ClientOptions, createClient, type ParkingClient } from './client.js';
export type { CallOptions } from './operation-types.js';
export { ParkingError } from './parking-error.js';
export { verifyWebhook, type WebhookCall, WebhookError, type WebhookRequest } from './verify-webhook.js';
export type { components, paths } from './paths.js';
export type {
  RealtimeClient,
  RealtimeEvent,
  RealtimeOptions,
  RealtimeState,
  RealtimeSubscription,
} from './realtime-client.js';
