import type { Clock } from '../../../shared/clock.js';
import type { Beacon, BeaconData, WantedBeacons } from '../../sensor/beacons.js';
import { isWantedBeacon } from '../../sensor/decide-wanted-beacon.js';
import type { NoblePeripheral } from './noble-library.js';
import { keepNewest } from '../../../shared/keep-newest.js';

/** How many beacons are remembered; those reported longest ago are forgotten first. */
const BEACONS_MAX = 2_000;
/** The least time between two reports of one beacon whose data change. A report that is left out follows by itself. */
const GAP_MS = 200;
const SHORT_UUID_DIGITS = 4;

/** Picks the wanted beacons from the advertisements of devices that are no products. */
export interface BeaconEar {
  /** Replaces the wanted beacons. Those that were reported before are reported again. */
  want(wanted: readonly WantedBeacons[]): void;
  hear(peripheral: NoblePeripheral): void;
}

/** @param options.repeatMs unchanged data are reported again only after this long */
export function createBeaconEar(options: {
  clock: Clock;
  repeatMs: number;
  onBeacon: (beacon: Beacon) => void;
}): BeaconEar {
  const { clock, repeatMs, onBeacon } = options;
  const notified = new Map<string, { atMs: number; bytes: Uint8Array }>();
  let wanted: readonly WantedBeacons[] = [];

  function notify(beacon: Beacon): void {
    const { address, kind, bytes } = beacon;
    const key = `${address} ${kind} ${bytes[0]} ${bytes[1]}`;
    const before = notified.get(key);
    const nowMs = clock.monotonic();
    if (before !== undefined) {
      const isSame = Buffer.compare(before.bytes, bytes) === 0;
      if (nowMs - before.atMs < (isSame ? repeatMs : GAP_MS)) return;
    }
    notified.delete(key);
    notified.set(key, { atMs: nowMs, bytes });
    keepNewest(notified, BEACONS_MAX);
    onBeacon(beacon);
  }

  return {
    want(next) {
      wanted = next;
      notified.clear();
    },
    hear(peripheral) {
      if (wanted.length === 0) return;
      for (const data of dataOf(peripheral)) {
        const beacon = { address: peripheral.id, ...data };
        if (isWantedBeacon(wanted, beacon)) notify(beacon);
      }
    },
  };
}

/** Copies the bytes, because noble reuses the memory of its buffers and they are sent to another process. */
function dataOf({ advertisement }: NoblePeripheral): BeaconData[] {
  const { manufacturerData, serviceData = [] } = advertisement;
  const ofServices = serviceData.flatMap(({ uuid, data }): BeaconData[] =>
    uuid.length === SHORT_UUID_DIGITS
      ? [{ kind: 'service', bytes: Uint8Array.from([...Buffer.from(uuid, 'hex').reverse(), ...data]) }]
      : [],
  );
  return manufacturerData === undefined
    ? ofServices
    : [{ kind: 'manufacturer', bytes: Uint8Array.from(manufacturerData) }, ...ofServices];
}
