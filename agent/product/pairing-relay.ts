import type { Clock } from '../../shared/clock.js';
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import {
  NO_REASSEMBLY,
  type Reassembly,
  receiveFragment,
  splitMessage,
} from '../../shared/product-protocol/fragment-codec.js';
import { decodeRefuse } from '../../shared/product-protocol/message-codec.js';
import type { PairingOrder, PairingOutcome } from './product-commander.js';
import { RadioError, type RadioLink } from './radio.js';
import { waitFor } from '../waiting/wait-for.js';

/** A product sends its offer as soon as the gateway subscribes; only the link delays it. */
const OFFER_WITHIN_MS = 5_000;
/** A product derives keys and writes its memory before it confirms. */
const CONFIRMATION_WITHIN_MS = 10_000;

export interface PairingRelayOptions {
  /** A link over the pairing channel. */
  link: RadioLink;
  clock: Clock;
  order: PairingOrder;
  signal: AbortSignal | undefined;
}

/**
 * Carries one pairing over an open link: offer, answer, confirmation. It does not examine the content, except for a product's refusal.
 * Rejects with RadioError (2 when the link ends, 3 when the product falls silent), or with the signal's reason.
 */
export async function relayPairing({ link, clock, order, signal }: PairingRelayOptions): Promise<PairingOutcome> {
  const gone = new AbortController();
  void link.closed.then(() => gone.abort(new RadioError(GATEWAY_ERROR.DISCONNECTED, 'The product ended the link')));
  const signals = signal === undefined ? [gone.signal] : [gone.signal, signal];
  const messages = listenForMessages(link, clock);
  const next = (what: string, withinMs: number) =>
    waitFor<Uint8Array>({
      clock,
      timeoutMs: Math.max(0, Math.min(withinMs, order.deadline_mono_ms - clock.monotonic())),
      timedOut: () => new RadioError(GATEWAY_ERROR.BLUETOOTH, `The product sent no ${what} in time`),
      signals,
      listen: messages.next,
    });
  try {
    const offer = await next('offer', OFFER_WITHIN_MS);
    const refusal = decodeRefuse(offer);
    if (refusal !== null) return { outcome: 'failed', type: refusal.type, authenticated: false };
    const answer = await order.relay(offer, AbortSignal.any(signals));
    if (answer === null) return { outcome: 'failed', type: GATEWAY_ERROR.UNKNOWN, authenticated: false };
    for (const fragment of splitMessage(answer, link.mtu)) await link.write(fragment);
    const confirmation = await next('confirmation', CONFIRMATION_WITHIN_MS);
    const refused = decodeRefuse(confirmation);
    if (refused !== null) return { outcome: 'failed', type: refused.type, authenticated: false };
    return { outcome: 'succeeded', confirmation };
  } finally {
    messages.stop();
  }
}

/** Collects whole messages in their order until the next one is asked for. */
function listenForMessages(link: RadioLink, clock: Clock) {
  const waiting: Uint8Array[] = [];
  let receiver: ((message: Uint8Array) => void) | undefined;
  let reassembly: Reassembly = NO_REASSEMBLY;
  const stop = link.onNotification((fragment) => {
    const received = receiveFragment(reassembly, fragment, clock.monotonic());
    reassembly = received.reassembly;
    if (received.message === null) return;
    if (receiver === undefined) waiting.push(received.message);
    else receiver(received.message);
  });
  return {
    stop,
    next(done: (message: Uint8Array) => void): () => void {
      const first = waiting.shift();
      if (first === undefined) receiver = done;
      else done(first);
      return () => {
        receiver = undefined;
      };
    },
  };
}
