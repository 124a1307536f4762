/** Holds the links to products while they are in use, and for a moment longer, so that a command that follows needs no connection. */
import type { Timer } from '../../shared/clock.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import { hangUp, type LinkDeps } from './product-link.js';
import type { RadioLink } from './radio.js';

/**
 * How long a link is kept in all, however many commands follow: a product serves one client at a time and is not heard meanwhile, and other
 * gateways must not wait longer than this. It is more than the second after which a busy product is asked again.
 */
export const LINK_KEPT_MS = 1_200;

export interface HeldLinks {
  /** Holds a link that was made just now, in use by the caller. */
  add(deviceId: ProductDeviceId, link: RadioLink): void;
  /** Uses the link that stands; null: there is none. */
  use(deviceId: ProductDeviceId): RadioLink | null;
  /**
   * Ends one use. Settles when the next one may begin: at once when the link is kept or others use it, else when it is gone.
   * @param isWell whether the product answered over it, so that it is worth keeping
   */
  release(deviceId: ProductDeviceId, link: RadioLink, isWell: boolean): Promise<void>;
  /** Ends a link that nobody uses; settles when there is none. undefined: there is none. */
  drop(deviceId: ProductDeviceId): Promise<void> | undefined;
}

interface HeldLink {
  link: RadioLink;
  uses: number;
  /** When its first use ended; null: that lasts. */
  keptSinceMs: number | null;
  /** Set while it is only kept. */
  keeping: Timer | null;
  closing: Promise<void> | null;
}

export function createHeldLinks(deps: LinkDeps): HeldLinks {
  const held = new Map<ProductDeviceId, HeldLink>();

  const forget = (deviceId: ProductDeviceId, entry: HeldLink) => {
    entry.keeping?.cancel();
    if (held.get(deviceId) === entry) held.delete(deviceId);
  };
  const close = (deviceId: ProductDeviceId, entry: HeldLink): Promise<void> => {
    entry.keeping?.cancel();
    entry.closing ??= hangUp(deps, entry.link).then(() => forget(deviceId, entry));
    return entry.closing;
  };

  return {
    add(deviceId, link) {
      const entry: HeldLink = { link, uses: 1, keptSinceMs: null, keeping: null, closing: null };
      held.set(deviceId, entry);
      void link.closed.then(() => forget(deviceId, entry));
    },
    use(deviceId) {
      const entry = held.get(deviceId);
      if (entry === undefined || entry.closing !== null) return null;
      entry.keeping?.cancel();
      entry.keeping = null;
      entry.uses += 1;
      return entry.link;
    },
    async release(deviceId, link, isWell) {
      const entry = held.get(deviceId);
      // It is gone, and another one may have been made.
      if (entry?.link !== link) return hangUp(deps, link);
      entry.uses -= 1;
      if (entry.uses > 0) return undefined;
      entry.keptSinceMs ??= deps.clock.monotonic();
      const leftMs = entry.keptSinceMs + LINK_KEPT_MS - deps.clock.monotonic();
      if (!isWell || leftMs <= 0) return close(deviceId, entry);
      entry.keeping = deps.clock.setTimer(leftMs, () => void close(deviceId, entry));
      return undefined;
    },
    drop(deviceId) {
      const entry = held.get(deviceId);
      return entry === undefined || entry.uses > 0 ? undefined : close(deviceId, entry);
    },
  };
}
