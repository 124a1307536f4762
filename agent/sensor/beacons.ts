/** Port: the gateway's radio, as far as sensors need it that advertise their state. They are heard by the scan that it makes anyway. */

/** Of one structure of an advertisement: `manufacturer` begins with the company's two bytes, `service` with those of a 16-bit service. */
export interface BeaconData {
  kind: 'manufacturer' | 'service';
  /** The two bytes of its company or service, low byte first, and what follows. */
  bytes: Uint8Array;
}

export interface Beacon extends BeaconData {
  /** The radio address: 12 lower-case hex digits. */
  address: string;
}

/** Which advertisements are of interest: everything else that passes a car park is not even looked at twice. */
export interface WantedBeacons {
  kind: BeaconData['kind'];
  /** The company or the service; null: any. */
  id: number | null;
  /** null: any; the beacon is known by what is in its data. */
  addresses: readonly string[] | null;
}

export interface BeaconRadio {
  /** `off`: there is none by configuration. */
  readonly state: 'off' | 'unavailable' | 'on';
  onStateChange(listener: () => void): () => void;
  /** Calls the listener for what is wanted: at once when its data changes, and now and then while they stay as they are. */
  onBeacon(listener: (beacon: Beacon) => void): () => void;
  /** Replaces what is wanted; at first it is nothing. What was heard before is told again. */
  wantBeacons(wanted: readonly WantedBeacons[]): void;
}
