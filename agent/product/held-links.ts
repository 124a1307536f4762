/**
 * Holds the links to products while they are in use, and for a moment longer, so that a following command needs no new connection. When the
 * adapter has no connection left, links that are only kept are given up first, and then links whose product is moving: a movement goes on
 * without a link.
 */
import type { Timer } from '../../shared/clock.js';
import type { ProductDeviceId } from '../../shared/ids.js';
import { hangUp, type LinkDeps } from './product-link.js';
import type { RadioLink } from './radio.js';

/**
 * How long a link is kept in all, however many commands follow. A product serves one client at a time and does not advertise meanwhile, so
 * other gateways must not wait longer than this. It is longer than the second after which a busy product is asked again.
 */
export const LINK_KEPT_MS = 1_200;

/** An adapter has a handful of connections. With more links than this at once, none is kept. */
const KEPT_BESIDE = 3;

export interface HeldLinks {
  /** Ends the links that are only kept, when there are several. Call it before another link is made. */
  makeRoom(): void;
  /** Notes that a link is being made, so that jobs that share a movement share it. */
  making(deviceId: ProductDeviceId, connecting: Promise<RadioLink>): void;
  /** Settles when the link that is being made is there, or has failed; undefined: none is being made. */
  made(deviceId: ProductDeviceId): Promise<void> | undefined;
  /** Holds a link that was just made to this address, and that the caller uses. */
  add(deviceId: ProductDeviceId, link: RadioLink, address: string): void;
  /** Offers the caller's link to other products that need the adapter's connection. Returns how to withdraw the offer. */
  offer(deviceId: ProductDeviceId, link: RadioLink, offer: LinkOffer): () => void;
  /** Begins a use of the standing link; null: there is none. */
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
  /** Called once, when the offer is accepted. It releases the link. */
  leave(): void;
}

interface HeldLink {
  link: RadioLink;
  address: string;
  /** The link can be given up when every user of it has offered it. */
  offers: Set<LinkOffer>;
  uses: number;
  /** When its first use ended; null: the first use lasts. */
  keptSinceMs: number | null;
  /** Set while the link is kept without a use. */
  keeping: Timer | null;
  closing: Promise<void> | null;
}

export function createHeldLinks(deps: LinkDeps): HeldLinks {
  /** The oldest first. */
  const held = new Map<ProductDeviceId, HeldLink>();
  const beingMade = new Map<ProductDeviceId, Promise<void>>();

  const forget = (deviceId: ProductDeviceId, entry: HeldLink) => {
    entry.keeping?.cancel();
    if (held.get(deviceId) === entry) held.delete(deviceId);
    demand.ended(entry.address);
  };
  const close = (deviceId: ProductDeviceId, entry: HeldLink): Promise<void> => {
    entry.keeping?.cancel();
    entry.closing ??= hangUp(deps, entry.link).then(() => forget(deviceId, entry));
    return entry.closing;
  };
  const demand = createSlotDemand(deps, { held, close });

  return {
    makeRoom() {
      if (held.size < KEPT_BESIDE) return;
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
      demand.serve();
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
      // The link is gone, and another one may have been made.
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

/** Gives up held links for connects that wait because their adapter has no connection left. */
function createSlotDemand(
  { radio, clock }: LinkDeps,
  {
    held,
    close,
  }: {
    held: ReadonlyMap<ProductDeviceId, HeldLink>;
    close(deviceId: ProductDeviceId, entry: HeldLink): Promise<void>;
  },
) {
  /** The addresses whose links take the connections of the adapter that somebody waits for. */
  let wanted: readonly string[] = [];

  const isOffered = ({ offers, uses }: HeldLink) =>
    uses > 0 && offers.size === uses && [...offers].every(({ untilMs }) => clock.monotonic() < untilMs);

  /** Gives up one link at a time, because each that ends serves one connect that waits. */
  const serve = () => {
    const inUse = [...held].filter(([, { address }]) => wanted.includes(address));
    if (inUse.some(([, { closing }]) => closing !== null)) return;
    const [deviceId, entry] =
      inUse.find(([, { keeping }]) => keeping !== null) ?? inUse.find(([, each]) => isOffered(each)) ?? [];
    if (deviceId === undefined || entry === undefined) return;
    wanted = [];
    if (entry.keeping !== null) void close(deviceId, entry);
    else for (const { leave } of entry.offers) leave();
  };
  radio.onSlotWanted((usedBy) => {
    wanted = usedBy;
    serve();
  });
  return {
    serve,
    /** Notes that a link ended. A connect that finds no connection even then reports it anew. */
    ended(address: string): void {
      if (wanted.includes(address)) wanted = [];
    },
  };
}
