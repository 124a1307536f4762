/** Payload of gateway_error: a command failed (specification, "Events"). */
import { GATEWAY_ERROR_MESSAGES, type GatewayErrorType } from '../../../shared/errors.js';
import type { EventPayload } from '../../../shared/events/event-schemas.js';

export function gatewayErrorEvent(failed: {
  event_id: string;
  product: { id: number; name: string };
  error: GatewayErrorType | 'Timeout';
}): EventPayload<'gateway_error'> {
  const { event_id, product, error } = failed;
  return {
    type: error,
    event_id,
    data: { id: product.id, name: product.name },
    ...(error === 'Timeout' ? {} : { message: GATEWAY_ERROR_MESSAGES[error] }),
  };
}
