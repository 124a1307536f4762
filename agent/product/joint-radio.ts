import type { Clock } from '../../shared/clock.js';
import { createListeners } from '../waiting/listeners.js';
import type { ConnectOptions, Radio, RadioLink, RadioState } from './radio.js';
import { keepNewest } from '../../shared/keep-newest.js';

/** How many products' signals are remembered for each adapter; those heard longest ago are forgotten first. */
const HEARD_MAX = 1_000;

/** An adapter that heard a product this much earlier than another adapter may have lost it. */
const OUTDATED_MS = 10_000;
/** Signals that differ by no more than this count as equal, because a signal varies that much by itself. */
const AS_WELL_DB = 10;

interface Hearing {
  /** dBm */
  rssi: number;
  /** On the monotonic clock. */
  atMs: number;
}

interface Adapter {
  radio: Radio;
  /** By address. */
  heard: Map<string, Hearing>;
  /** How many links it is making, or has. */
  links: number;
}

/**
 * Several adapters as one radio: while one makes a link, the others go on listening, and can make links themselves. It is on while one of
 * them is. A link is made by the adapter that hears the product best, and among those that hear it about as well by the one with the fewest
 * links.
 */
export function createJointRadio(radios: readonly Radio[], { clock }: { clock: Pick<Clock, 'monotonic'> }): Radio {
  const adapters: Adapter[] = radios.map((radio) => ({ radio, heard: new Map(), links: 0 }));
  const states = createListeners<RadioState>();
  const present = (): RadioState => (radios.some(({ state }) => state === 'on') ? 'on' : 'unavailable');
  let state = present();
  for (const { radio, heard } of adapters) {
    radio.onStateChange((own) => {
      if (own !== 'on') heard.clear();
      const next = present();
      if (next === state) return;
      state = next;
      states.notify(state);
    });
    radio.onAdvertisement(({ address, rssi }) => {
      heard.delete(address);
      heard.set(address, { rssi, atMs: clock.monotonic() });
      keepNewest(heard, HEARD_MAX);
    });
  }

  return {
    get state() {
      return state;
    },
    onStateChange: states.add,
    onAdvertisement(listener) {
      const stops = radios.map((radio) => radio.onAdvertisement(listener));
      return () => stops.forEach((stop) => stop());
    },
    onSlotWanted(listener) {
      const stops = radios.map((radio) => radio.onSlotWanted(listener));
      return () => stops.forEach((stop) => stop());
    },
    onBeacon(listener) {
      const stops = radios.map((radio) => radio.onBeacon(listener));
      return () => stops.forEach((stop) => stop());
    },
    wantBeacons: (wanted) => radios.forEach((radio) => radio.wantBeacons(wanted)),
    connect: (address, options) => connectBy(bestOf(adapters, address), address, options),
    async close() {
      await Promise.all(radios.map((radio) => radio.close()));
    },
  };
}

/** Chooses an adapter that does not hear the product, or is off, only when no adapter hears it: a connect would have to wait there. */
function bestOf(adapters: readonly Adapter[], address: string): Adapter {
  const on = adapters.filter(({ radio }) => radio.state === 'on');
  const heardMs = ({ heard }: Adapter) => heard.get(address)?.atMs ?? -Infinity;
  const signal = ({ heard }: Adapter) => heard.get(address)?.rssi ?? -Infinity;
  const latestMs = Math.max(...on.map(heardMs));
  const hearing = on.filter((adapter) => heardMs(adapter) >= latestMs - OUTDATED_MS && heardMs(adapter) > -Infinity);
  const strongest = Math.max(...hearing.map(signal));
  const asWell = hearing.filter((adapter) => signal(adapter) >= strongest - AS_WELL_DB);
  const choice = [asWell, on, adapters].find(({ length }) => length > 0) ?? [];
  const [best] = choice.toSorted((a, b) => a.links - b.links || signal(b) - signal(a) || 0);
  if (best === undefined) throw new Error('a joint radio has at least one adapter');
  return best;
}

async function connectBy(adapter: Adapter, address: string, options: ConnectOptions): Promise<RadioLink> {
  adapter.links += 1;
  const release = () => {
    adapter.links -= 1;
  };
  try {
    const link = await adapter.radio.connect(address, options);
    void link.closed.then(release);
    return link;
  } catch (error) {
    release();
    throw error;
  }
}
