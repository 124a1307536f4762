/**
 * Holds the links to products while they are in use, and for a moment longer, so that a command that follows needs no connection. While the
 * adapter has no connection left, it gives up those that are only kept, and those whose products move: nobody is needed for that.
 */
import type { Timer } from '../../shared/clock.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import { hangUp, type LinkDeps } from './product-link.js';
import type { RadioLink } from './radio.js';

/**
 * How long a link is kept in all, however many commands follow: a product serves one client at a time and is not heard meanwhile, and other
 * gateways must not wait longer than this. It is more than the second after which a busy product is asked again.
 */
export const LINK_KEPT_MS = 1_200;

/** An adapter has a handful of connections: with so many products at once, none is kept. */
const KEPT_BESIDE = 3;

export interface HeldLinks {
  /** Ends the links that are only kept, where another one is about to be made and there are several. */
  makeRoom(): void;
  /** Notes that a link is being made: jobs that share a movement make one together. */
  making(deviceId: ProductDeviceId, connecting: Promise<RadioLink>): void;
  /** Settles when the link that is being made is there, or has failed. undefined: none is. */
  made(deviceId: ProductDeviceId): Promise<void> | undefined;
  /** Holds a link to this address that was made just now, in use by the caller. */
  add(deviceId: ProductDeviceId, link: RadioLink, address: string): void;
  /** Lets the link go where another product needs the adapter's connection: the caller can do without it. Returns how to take that back. */
  offer(deviceId: ProductDeviceId, link: RadioLink, offer: LinkOffer): () => void;
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

export interface LinkOffer {
  /** On the monotonic clock. */
  untilMs: number;
  /** Called once, where it is taken: releases the link. */
  leave(): void;
}

interface HeldLink {
  link: RadioLink;
  address: string;
  /** It can go when every user can do without it. */
  offers: Set<LinkOffer>;
  uses: number;
  /** When its first use ended; null: that lasts. */
  keptSinceMs: number | null;
  /** Set while it is only kept. */
  keeping: Timer | null;
  closing: Promise<void> | null;
}

export function createHeldLinks(deps: LinkDeps): HeldLinks {
  /** The oldest first. */
  const held = new Map<ProductDeviceId, HeldLink>();
  const beingMade = new Map<ProductDeviceId, Promise<void>>();
  /** Somebody waits for the connection of one of these addresses. */
  let wanted: readonly string[] = [];

  const forget = (deviceId: ProductDeviceId, entry: HeldLink) => {
    entry.keeping?.cancel();
    if (held.get(deviceId) === entry) held.delete(deviceId);
    // Who still finds none says so again.
    if (wanted.includes(entry.address)) wanted = [];
  };
  const close = (deviceId: ProductDeviceId, entry: HeldLink): Promise<void> => {
    entry.keeping?.cancel();
    entry.closing ??= hangUp(deps, entry.link).then(() => forget(deviceId, entry));
    return entry.closing;
  };

  const isOffered = ({ offers, uses }: HeldLink) =>
    uses > 0 && offers.size === uses && [...offers].every(({ untilMs }) => deps.clock.monotonic() < untilMs);
  /** One at a time: each that ends serves one who waits. */
  const giveOneUp = () => {
    const taken = [...held].filter(([, { address }]) => wanted.includes(address));
    if (taken.some(([, { closing }]) => closing !== null)) return;
    const [deviceId, entry] =
      taken.find(([, { keeping }]) => keeping !== null) ?? taken.find(([, each]) => isOffered(each)) ?? [];
    if (deviceId === undefined || entry === undefined) return;
    wanted = [];
    if (entry.keeping !== null) void close(deviceId, entry);
    else for (const { leave } of entry.offers) leave();
  };
  deps.radio.onSlotWanted((takenBy) => {
    wanted = takenBy;
    giveOneUp();
  });

  const isCrowded = () => held.size >= KEPT_BESIDE;

  return {
    makeRoom() {
      if (!isCrowded()) return;
      for (const [deviceId, entry] of held) if (entry.keeping !== null) void close(deviceId, entry);
    },
    making(deviceId, connecting) {
      const over = () => void beingMade.delete(deviceId);
      beingMade.set(deviceId, connecting.then(over, over));
    },
    made: (deviceId) => beingMade.get(deviceId),
    add(deviceId, link, address) {
      const offers = new Set<LinkOffer>();
      const entry: HeldLink = { link, address, offers, uses: 1, keptSinceMs: null, keeping: null, closing: null };
      held.delete(deviceId);
      held.set(deviceId, entry);
      void link.closed.then(() => forget(deviceId, entry));
    },
    offer(deviceId, link, offer) {
      const entry = held.get(deviceId);
      if (entry?.link !== link) return () => {};
      entry.offers.add(offer);
      giveOneUp();
      return () => void entry.offers.delete(offer);
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
      if (!isWell || leftMs <= 0 || held.size > KEPT_BESIDE) return close(deviceId, entry);
      entry.keeping = deps.clock.setTimer(leftMs, () => void close(deviceId, entry));
      return undefined;
    },
    drop(deviceId) {
      const entry = held.get(deviceId);
      return entry === undefined || entry.uses > 0 ? undefined : close(deviceId, entry);
    },
  };
}
