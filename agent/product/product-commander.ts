/** Port: makes a product do something. One command at a time per product; the others wait their turn. */
import type { GatewayErrorType } from '../../shared/errors.js';
import type { EventId, ProductDeviceId } from '../../shared/ids.js';

/** Commands a gateway's own credentials allow (slots 1-15); product protocol, "Commands". */
export type ProductOperation = 'open' | 'close' | 'status';

export interface ProductCommand {
  device_id: ProductDeviceId;
  event_id: EventId;
  operation: ProductOperation;
  /** On the monotonic clock: no REQUEST leaves after it. */
  deadline_mono_ms: number;
}

export type CommandOutcome =
  | { outcome: 'succeeded' }
  /** `authenticated`: the product itself said so; otherwise the link failed or an unauthenticated hint ended the attempt. */
  | { outcome: 'failed'; type: GatewayErrorType; authenticated: boolean };

export interface ProductCommander {
  /** Never rejects: whatever goes wrong is an outcome. The connection starts before this returns, when the product is free. */
  execute(command: ProductCommand, signal?: AbortSignal): Promise<CommandOutcome>;
}
