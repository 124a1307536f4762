import type { Clock } from '../../shared/clock.js';
import {
  NO_REASSEMBLY,
  type Reassembly,
  receiveFragment,
  splitMessage,
} from '../../shared/product-protocol/fragment-codec.js';
import { decodeRefuse } from '../../shared/product-protocol/message-codec.js';
import type { PairingOrder, PairingOutcome } from './product-commander.js';
import { RadioError, type RadioLink } from './radio.js';
import { waitFor } from './wait-for.js';

/** A product makes its offer when the gateway subscribes; nothing but the link is in between. */
const OFFER_WITHIN_MS = 5_000;
/** It derives keys and writes its memory before it confirms. */
const CONFIRMATION_WITHIN_MS = 10_000;

export interface PairingRelayOptions {
  /** Of the pairing channel. */
  link: RadioLink;
  clock: Clock;
  order: PairingOrder;
  signal: AbortSignal | undefined;
}

/**
 * Carries one pairing over an open link: offer, answer, confirmation. What they hold is not looked at, but for a product's refusal.
 * Rejects with RadioError (2 when the link ends, 3 when the product falls silent), or with the signal's reason.
 */
export async function relayPairing({ link, clock, order, signal }: PairingRelayOptions): Promise<PairingOutcome> {
  const gone = new AbortController();
  void link.closed.then(() => gone.abort(new RadioError(2, 'The product ended the link')));
  const signals = signal === undefined ? [gone.signal] : [gone.signal, signal];
  const messages = listenForMessages(link, clock);
  const next = (what: string, withinMs: number) =>
    waitFor<Uint8Array>({
      clock,
      timeoutMs: Math.max(0, Math.min(withinMs, order.deadline_mono_ms - clock.monotonic())),
      timedOut: () => new RadioError(3, `The product sent no ${what} in time`),
      signals,
      listen: messages.take,
    });
  try {
    const offer = await next('offer', OFFER_WITHIN_MS);
    const refusal = decodeRefuse(offer);
    if (refusal !== null) return { outcome: 'failed', type: refusal.type, authenticated: false };
    const answer = await order.relay(offer, AbortSignal.any(signals));
    if (answer === null) return { outcome: 'failed', type: 11, authenticated: false };
    for (const fragment of splitMessage(answer, link.mtu)) await link.write(fragment);
    const confirmation = await next('confirmation', CONFIRMATION_WITHIN_MS);
    const refused = decodeRefuse(confirmation);
    if (refused !== null) return { outcome: 'failed', type: refused.type, authenticated: false };
    return { outcome: 'succeeded', confirmation };
  } finally {
    messages.stop();
  }
}

/** Whole messages, in order, kept until they are taken. */
function listenForMessages(link: RadioLink, clock: Clock) {
  const waiting: Uint8Array[] = [];
  let taker: ((message: Uint8Array) => void) | undefined;
  let reassembly: Reassembly = NO_REASSEMBLY;
  const stop = link.onNotification((fragment) => {
    const received = receiveFragment(reassembly, fragment, clock.monotonic());
    reassembly = received.reassembly;
    if (received.message === null) return;
    if (taker === undefined) waiting.push(received.message);
    else taker(received.message);
  });
  return {
    stop,
    take(done: (message: Uint8Array) => void): () => void {
      const first = waiting.shift();
      if (first === undefined) taker = done;
      else done(first);
      return () => {
        taker = undefined;
      };
    },
  };
}
