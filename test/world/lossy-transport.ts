/** A broker link for tests on a fake clock: it delays, drops, doubles and reorders messages as a test asks, and breaks on command. */
import type { Clock } from '../../shared/clock.js';
import type { LinkEnd } from '../../shared/reconnect-ladder.js';
import type { LinkListener, LinkOptions, UplinkTransport } from '../../agent/uplink/uplink-transport.js';

/** Chances between 0 and 1. */
export interface LinkQuality {
  loss: number;
  doubling: number;
  delayMs: number;
  /** Added at random, so that messages overtake each other. */
  jitterMs: number;
}

export const GOOD_LINK: LinkQuality = { loss: 0, doubling: 0, delayMs: 20, jitterMs: 0 };

export interface LossyTransport extends UplinkTransport {
  quality: LinkQuality;
  /** How the broker refuses the next connections; null: it accepts them. */
  refusal: LinkEnd | null;
  /** Every connection that was tried. */
  readonly attempts: (LinkOptions & { at_ms: number })[];
  readonly isUp: boolean;
  /** Ends the current link. */
  cut(end: LinkEnd): void;
  /** Sends a message from the broker to the gateway. */
  deliver(topic: string, payload: string): void;
}

export function createLossyTransport(options: {
  clock: Clock;
  random(): number;
  onPublish(topic: string, payload: string, how: { qos: 0 | 1; retain: boolean }): void;
}): LossyTransport {
  const { clock, random } = options;
  let current: { listener: LinkListener; isOpen: boolean } | null = null;
  const attempts: LossyTransport['attempts'] = [];

  function travel(arrive: () => void): void {
    const { loss, doubling, delayMs, jitterMs } = transport.quality;
    const copies = random() < doubling ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      if (random() >= loss) clock.setTimer(delayMs + Math.floor(random() * jitterMs), arrive);
    }
  }

  const transport: LossyTransport = {
    quality: GOOD_LINK,
    refusal: null,
    attempts,
    get isUp() {
      return current?.isOpen === true;
    },
    connect(linkOptions, listener) {
      attempts.push({ ...linkOptions, at_ms: clock.monotonic() });
      const link = { listener, isOpen: false };
      current = link;
      clock.setTimer(transport.quality.delayMs, () => {
        if (current !== link) return;
        if (transport.refusal !== null) {
          current = null;
          listener.onEnd(transport.refusal, 'as the test told');
          return;
        }
        link.isOpen = true;
        listener.onOpen();
      });
      return {
        publish(topic, payload, how) {
          if (current !== link) return Promise.reject(new Error('the link is gone'));
          // What was sent arrives even when the link breaks behind it; a PUBACK says nothing about it.
          travel(() => options.onPublish(topic, payload, how));
          return Promise.resolve();
        },
        close() {
          if (current === link) current = null;
          return Promise.resolve();
        },
      };
    },
    cut(end) {
      const link = current;
      current = null;
      link?.listener.onEnd(end, 'as the test told');
    },
    deliver(topic, payload) {
      const link = current;
      if (link?.isOpen) {
        travel(() => {
          if (current === link) link.listener.onMessage(topic, new TextEncoder().encode(payload));
        });
      }
    },
  };
  return transport;
}
