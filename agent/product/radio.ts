/** Port: the Bluetooth radio as the gateway needs it. Drivers: noble in a child process; a fake for tests. */
import type { GatewayErrorType } from '../../shared/errors.js';
import type { BeaconRadio } from '../sensor/beacons.js';

/** `off`: the gateway is configured without a radio. `unavailable`: there is no adapter, it is powered down, or its driver restarts. */
export type RadioState = 'off' | 'unavailable' | 'on';

/** One advertisement as heard, not yet authenticated. */
export interface Advertisement {
  /** The radio address for `connect`: 12 lower-case hex digits. */
  address: string;
  /** dBm */
  rssi: number;
  /** Manufacturer data with its two company bytes; product protocol, "Advertisement". */
  manufacturerData: Uint8Array;
}

/** A failure of the link with its `gateway_error` type: 2 disconnected, 3 Bluetooth error, 4 not found. */
export class RadioError extends Error {
  readonly type: Extract<GatewayErrorType, 2 | 3 | 4>;

  constructor(type: 2 | 3 | 4, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'RadioError';
    this.type = type;
  }
}

/** A connection to one product, whose service is found and whose TX is subscribed to. */
export interface RadioLink {
  /** ATT MTU in bytes, 23 or more. */
  readonly mtu: number;
  /** Settles once, when the link is gone for any reason; never rejects. */
  readonly closed: Promise<void>;
  /** Writes one fragment to RX, with response. Rejects with RadioError when the link is lost or the write takes too long. */
  write(fragment: Uint8Array): Promise<void>;
  /** Calls the listener for each notification of TX, in order. Returns how to stop. */
  onNotification(listener: (fragment: Uint8Array) => void): () => void;
  /** Ends the link; settles when it is gone. Idempotent. */
  close(): Promise<void>;
}

/** The characteristics that a link uses: RX and TX, or PAIR for both, which exists only in a pairing window. */
export type LinkChannel = 'commands' | 'pairing';

export interface ConnectOptions {
  timeoutMs: number;
  signal?: AbortSignal;
  /** Default: `commands`. */
  channel?: LinkChannel;
  /** How long it may wait in all while the adapter has no connection left. Left out: `timeoutMs`. */
  slotWithinMs?: number;
  /** Whether it comes before the waiting connects that are not urgent. One of those that has not found its product yet gives way. */
  isUrgent?: boolean;
}

/** The one scan hears products, and the beacons that sensor drivers want. */
export interface Radio extends BeaconRadio {
  readonly state: RadioState;
  onStateChange(listener: (state: RadioState) => void): () => void;
  onAdvertisement(listener: (advertisement: Advertisement) => void): () => void;
  /**
   * Calls the listener when a connect waits because its adapter has no connection left, with the connected addresses, the oldest first. A
   * listener that can do without one of these links may end it. Returns how to stop.
   */
  onSlotWanted(listener: (usedBy: readonly string[]) => void): () => void;
  /**
   * Connects, finds the product's service and subscribes to its answers. Several calls are served one after the other; while the adapter
   * has no connection left, they wait for one that ends.
   * Rejects with RadioError (4 when nothing answers within `timeoutMs`, 2 when the link breaks while being made, 3 otherwise),
   * or with the signal's reason.
   */
  connect(address: string, options: ConnectOptions): Promise<RadioLink>;
  close(): Promise<void>;
}
