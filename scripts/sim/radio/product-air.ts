/** Port: the air that products and beacons are on. bleno on the emulated radio fills it, and the direct radio. */
import type { BeaconData } from '../../../agent/sensor/beacons.js';
import type { Paths } from './paths.js';

/** The side of a product that centrals hear and connect to. */
export interface ProductSide {
  /** Its first advertisement; see Peripheral.setAdvertisement. */
  manufacturerData: Uint8Array;
  onConnect?: () => void;
  onDisconnect?: () => void;
  /** A fragment came on RX. A throw refuses it. */
  onWrite: (fragment: Uint8Array) => void;
  /** The value of INFO. */
  info: () => Uint8Array;
  /** A fragment came on PAIR; without it, or when it throws, the write is refused. */
  onPairWrite?: (fragment: Uint8Array) => void;
  /** A client listens on PAIR. */
  onPairSubscribe?: () => void;
}

/** A product's Bluetooth side. It accepts one client at a time and advertises while it has none. */
export interface Peripheral {
  readonly connected: boolean;
  /** ATT MTU of the present connection in bytes. */
  readonly mtu: number;
  /** Sends one fragment on TX. Rejects when nobody has subscribed, or when it is longer than MTU - 3. */
  notify(fragment: Uint8Array): Promise<void>;
  /** The same on PAIR. */
  notifyPair(fragment: Uint8Array): Promise<void>;
  /** @param manufacturerData with its two company bytes, at most 26 bytes */
  setAdvertisement(manufacturerData: Uint8Array): void;
  /** Ends the connection, if there is one. */
  disconnect(): void;
  /** Switches the product off: a client notices by the supervision timeout. Idempotent. */
  close(): void;
}

/** A device that only advertises. */
export interface AirBeacon {
  /** Changes its data; the kind of the data stays. */
  setData(bytes: Uint8Array): void;
  /** Takes it off the air. Idempotent. */
  close(): void;
}

export interface ProductAir extends Paths {
  /** Puts a beacon on the air; resolves when it advertises. `address`: 12 lower-case hex digits. */
  startBeacon(address: string, data: BeaconData): Promise<AirBeacon>;
  /** Puts a product on the air; resolves when it advertises. `address`: its device_id. */
  startPeripheral(address: string, side: ProductSide): Promise<Peripheral>;
}
