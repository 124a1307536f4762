/** Which addresses are the cameras': those that the site names, and those from which a push was authorised within a day. */
import { addressNetwork } from '../../shared/address-seats.js';
import type { Clock } from '../../shared/clock.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { isLoopback } from '../../shared/remote-address.js';

const KNOWN_MS = 24 * 3_600_000;
/** Only a camera's key adds an address, but a key may be stolen. The address that pushed longest ago is forgotten first. */
const PUSHED_FROM_MAX = 256;

export interface KnownAddresses {
  /** Whether the address is a camera's, or this device's own. */
  isKnown(address: string): boolean;
  /** An authorised push came from the address. */
  note(address: string): void;
  /** Replaces what the site names. A name that only DNS could resolve becomes known by its first push. */
  setCameras(cameras: Iterable<Pick<CameraItem, 'address'>>): void;
}

export function createKnownAddresses({ clock }: { clock: Clock }): KnownAddresses {
  let named = new Set<string>();
  /** Network -> when the last authorised push came from it. */
  const pushedFrom = new Map<string, number>();

  function pushedLately(network: string): boolean {
    const monoMs = pushedFrom.get(network);
    return monoMs !== undefined && clock.monotonic() - monoMs < KNOWN_MS;
  }

  return {
    isKnown(address) {
      const network = addressNetwork(address);
      return isLoopback(address) || named.has(network) || pushedLately(network);
    },
    note(address) {
      const network = addressNetwork(address);
      pushedFrom.delete(network);
      pushedFrom.set(network, clock.monotonic());
      if (pushedFrom.size <= PUSHED_FROM_MAX) return;
      const [oldest] = pushedFrom.keys();
      if (oldest !== undefined) pushedFrom.delete(oldest);
    },
    setCameras(cameras) {
      const urls = [...cameras].filter(({ address }) => URL.canParse(address)).map(({ address }) => new URL(address));
      named = new Set(urls.map(({ hostname }) => addressNetwork(hostname.replace(/^\[|\]$/g, ''))));
    },
  };
}
