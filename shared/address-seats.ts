/**
 * Decides which connection loses its place when the places for connections are used up: the connection that has been idle longest at the
 * address that holds most places. An address that fills up the places therefore only shuts out itself.
 */

/** A bounded number of places for connections, shared between addresses. `Place` is what the caller closes when the place is lost. */
export interface AddressSeats<Place> {
  readonly size: number;
  /**
   * Gives a new connection a place. The connection counts as idle at first.
   * @param key `addressNetwork`; null: the address of many clients, such as a proxy's, which has no share to exceed
   * @returns the connection that loses its place, for the caller to close; null: none. It is the new connection itself when no other one may
   * lose its place
   */
  enter(place: Place, key: string | null): Place | null;
  /** A busy connection loses its place only when its address has no idle one. A connection that becomes idle counts as idle from now on. */
  setBusy(place: Place, isBusy: boolean): void;
  /** Frees the place. Idempotent, also for a connection that has lost its place already. */
  leave(place: Place): void;
}

interface Holder<Place> {
  key: string;
  /** The longest idle connection comes first. */
  idle: Set<Place>;
  busy: Set<Place>;
}

/** Orders addresses by how many places they hold, so that the one with most is found without looking through all of them. */
function createRanking<Item>() {
  const byHeld = new Map<number, Set<Item>>();
  let most = 0;
  return {
    move(item: Item, from: number, to: number): void {
      byHeld.get(from)?.delete(item);
      if (byHeld.get(from)?.size === 0) byHeld.delete(from);
      if (to > 0) byHeld.set(to, (byHeld.get(to) ?? new Set()).add(item));
      // The number changes by one, so this item is the one with most when no other item has as many.
      if (to > most || !byHeld.has(most)) most = to;
    },
    first: (): Item | undefined => byHeld.get(most)?.values().next().value,
  };
}

/** An address may hold as many of the places as no other address needs. */
export function createAddressSeats<Place>({ placesMax }: { placesMax: number }): AddressSeats<Place> {
  /** An address is forgotten with its last place, so there are never more addresses than places. */
  const holders = new Map<string, Holder<Place>>();
  /** null: the address has no share (see `enter`). */
  const holderOf = new Map<Place, Holder<Place> | null>();
  const ranking = createRanking<Holder<Place>>();

  const held = ({ idle, busy }: Holder<Place>) => idle.size + busy.size;
  const move = (holder: Holder<Place>, from: number) => {
    const to = held(holder);
    if (to === 0) holders.delete(holder.key);
    ranking.move(holder, from, to);
  };

  const add = (place: Place, key: string) => {
    const holder = holders.get(key) ?? { key, idle: new Set(), busy: new Set() };
    holders.set(key, holder);
    holderOf.set(place, holder);
    holder.idle.add(place);
    move(holder, held(holder) - 1);
  };
  const leave = (place: Place) => {
    const holder = holderOf.get(place);
    holderOf.delete(place);
    if (holder === undefined || holder === null) return;
    holder.idle.delete(place);
    holder.busy.delete(place);
    move(holder, held(holder) + 1);
  };
  const expel = (holder: Holder<Place>): Place | null => {
    const [place] = holder.idle.size > 0 ? holder.idle : holder.busy;
    if (place === undefined) return null;
    leave(place);
    return place;
  };

  return {
    get size() {
      return holderOf.size;
    },
    enter(place, key) {
      if (key === null) holderOf.set(place, null);
      else add(place, key);
      if (holderOf.size <= placesMax) return null;
      const holder = ranking.first();
      if (holder !== undefined) return expel(holder);
      leave(place);
      return place;
    },
    setBusy(place, isBusy) {
      const holder = holderOf.get(place);
      if (holder === undefined || holder === null) return;
      const [from, to] = isBusy ? [holder.idle, holder.busy] : [holder.busy, holder.idle];
      if (from.delete(place)) to.add(place);
    },
    leave,
  };
}

/**
 * Returns the key of the share that an address belongs to. An IPv4 address is its own key, also when it is written as IPv6. An IPv6 address
 * has its 64-bit network as its key, because one household or server holds all addresses of it. A text that is not an address is its own key.
 */
export function addressNetwork(address: string): string {
  if (!address.includes(':')) return address;
  const groups = ipv6Groups(address);
  if (groups === null) return address;
  const [, , , , , marker = 0, high = 0, low = 0] = groups;
  if (marker === 0xffff && groups.slice(0, 5).every((group) => group === 0)) {
    return [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Returns the eight groups of an IPv6 address, with `::` spelt out; null when the text is not one. */
function ipv6Groups(address: string): number[] | null {
  const dotted = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(address.replace(/%.*$/, ''));
  const [, start = '', a, b, c, d] = dotted ?? [];
  const pair = (high: string | undefined, low: string | undefined) => (Number(high) * 256 + Number(low)).toString(16);
  const text = dotted === null ? address.replace(/%.*$/, '') : `${start}${pair(a, b)}:${pair(c, d)}`;
  const halves = text.split('::').map((half) => (half === '' ? [] : half.split(':')));
  const [before = [], after] = halves;
  const left = 8 - before.length - (after?.length ?? 0);
  if (halves.length > 2 || (after === undefined ? left !== 0 : left < 1)) return null;
  const groups = [...before, ...Array.from({ length: left }, () => '0'), ...(after ?? [])];
  return groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group)) ? groups.map((group) => parseInt(group, 16)) : null;
}
