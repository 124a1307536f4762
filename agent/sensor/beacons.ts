/** Port: the gateway's radio, as far as sensors need it that advertise their state. They are heard by the scan that it makes anyway. */

/**
 * The bytes of one structure of an advertisement: `manufacturer` begins with the company's two bytes, `service` with
 * those of a 16-bit service.
 */
export interface BeaconData {
  kind: 'manufacturer' | 'service';
  /** The two bytes of its company or service, low byte first, and what follows. */
  bytes: Uint8Array;
}

export interface Beacon extends BeaconData {
  /** The radio address: 12 lower-case hex digits. */
  address: string;
}

/** The advertisements of interest. All others that are heard at a car park are dropped at once. */
export interface WantedBeacons {
  kind: BeaconData['kind'];
  /** The company or the service; null: any. */
  id: number | null;
  /** null: any, because the beacon is identified by its data. */
  addresses: readonly string[] | null;
}

export interface BeaconRadio {
  /** `off`: the gateway is configured without a radio. */
  readonly state: 'off' | 'unavailable' | 'on';
  onStateChange(listener: () => void): () => void;
  /** Calls the listener for wanted beacons: at once when their data change, and now and then while the data stay the same. */
  onBeacon(listener: (beacon: Beacon) => void): () => void;
  /** Replaces the wanted beacons; at first there are none. Beacons that were heard before are reported again. */
  wantBeacons(wanted: readonly WantedBeacons[]): void;
}
