/** A link with an attacker, or bad luck, in the middle. */
import type { RadioLink } from '../../../agent/product/radio.js';
import { splitMessage } from '../../../shared/product-protocol/fragment-codec.js';

export interface Tampering {
  /** What reaches the product in place of the gateway's fragment, the first of which has index 0. */
  toProduct?(fragment: Uint8Array, index: number): Uint8Array[] | Promise<Uint8Array[]>;
  /** What came in its place, if anything did, has been written. */
  onWritten?(index: number): void;
  /** What reaches the gateway in place of the product's fragment. */
  toGateway?(fragment: Uint8Array, index: number): Uint8Array[];
}

export interface TamperedLink extends RadioLink {
  /** Tells the gateway a message that the product never sent. */
  inject(message: Uint8Array): void;
}

export function tamperedLink(link: RadioLink, how: Tampering = {}): TamperedLink {
  const listeners = new Set<(fragment: Uint8Array) => void>();
  let written = 0;
  let heard = 0;
  return {
    mtu: link.mtu,
    closed: link.closed,
    close: () => link.close(),
    async write(fragment) {
      const index = written++;
      const instead = await how.toProduct?.(fragment, index);
      for (const each of instead ?? [fragment]) await link.write(each);
      how.onWritten?.(index);
    },
    onNotification(listener) {
      listeners.add(listener);
      const stop = link.onNotification((fragment) => {
        for (const each of how.toGateway?.(fragment, heard++) ?? [fragment]) listener(each);
      });
      return () => {
        listeners.delete(listener);
        stop();
      };
    },
    inject(message) {
      for (const fragment of splitMessage(message, link.mtu)) for (const listener of listeners) listener(fragment);
    },
  };
}
