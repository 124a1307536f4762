/**
 * Who has to go when a room of connections is full: the oldest idle one of the address that holds most, so that an address that fills
 * the room shuts out itself and nobody else.
 */

/** Places that a bounded number of connections share. A place is whatever the caller closes. */
export interface AddressShares<Place> {
  readonly size: number;
  /**
   * Gives a connection a place, idle at first.
   * @param key `addressShareKey`; null: an address that stands for many, such as a proxy's, which is held to no share
   * @returns the one that lost its place for it, for the caller to close; null: none. It is the new one itself when no other may go
   */
  enter(place: Place, key: string | null): Place | null;
  /** A busy one goes only when its address has no idle one. Who becomes idle is the youngest of the idle ones. */
  setBusy(place: Place, isBusy: boolean): void;
  /** Frees the place. Idempotent, also for one that lost its place. */
  leave(place: Place): void;
}

interface Holder<Place> {
  key: string;
  /** Each with the longest idle first. */
  idle: Set<Place>;
  busy: Set<Place>;
}

/** By how many places they have, so that nobody has to look through all of them for the one with most. */
function createRanking<Item>() {
  const byHeld = new Map<number, Set<Item>>();
  let most = 0;
  return {
    move(item: Item, from: number, to: number): void {
      byHeld.get(from)?.delete(item);
      if (byHeld.get(from)?.size === 0) byHeld.delete(from);
      if (to > 0) byHeld.set(to, (byHeld.get(to) ?? new Set()).add(item));
      // The number changes by one, so the item itself is the one with most when no other is.
      if (to > most || !byHeld.has(most)) most = to;
    },
    first: (): Item | undefined => byHeld.get(most)?.values().next().value,
  };
}

/** @param options.shareOf how many places an address may have of those that there are; left out: as many as nobody else needs */
export function createAddressShares<Place>(options: {
  placesMax: number;
  shareOf?: (key: string) => number;
}): AddressShares<Place> {
  const { placesMax, shareOf = () => placesMax } = options;
  /** An address is forgotten with its last place, so that there are no more of them than places. */
  const holders = new Map<string, Holder<Place>>();
  /** null: of an address that is held to no share. */
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
    return holder;
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
      if (key === null) {
        holderOf.set(place, null);
      } else {
        const holder = add(place, key);
        if (held(holder) > Math.max(shareOf(key), 1)) return expel(holder);
      }
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
 * The key of an address's share: an IPv4 address itself, also when it is written as IPv6; of an IPv6 address its network of 64 bits,
 * because one household or server has all addresses in it. A text that is no address is its own key.
 */
export function addressShareKey(address: string): string {
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

/** The eight groups of an IPv6 address, `::` spelt out; null: it is none. */
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
