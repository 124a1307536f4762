import { createListeners } from '../waiting/listeners.js';
import type { ConnectOptions, Radio, RadioLink, RadioState } from './radio.js';

/** How many products' signals are remembered for each adapter; those heard longest ago are forgotten first. */
const HEARD_MAX = 1_000;

interface Adapter {
  radio: Radio;
  /** dBm by address. */
  heard: Map<string, number>;
  /** How many links it is making, or has. */
  links: number;
}

/**
 * Several adapters as one radio: while one makes a link, the others go on listening, and can make links themselves. It is on while one of
 * them is. A link is made by the adapter with the fewest of them, and among those by the one that hears the product best.
 */
export function createJointRadio(radios: readonly Radio[]): Radio {
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
      heard.set(address, rssi);
      if (heard.size > HEARD_MAX) heard.delete(heard.keys().next().value ?? address);
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
    connect: (address, options) => connectBy(bestOf(adapters, address), address, options),
    async close() {
      await Promise.all(radios.map((radio) => radio.close()));
    },
  };
}

/** An adapter that has not heard the product comes last, because it would have to wait for it; one that is off comes after all. */
function bestOf(adapters: readonly Adapter[], address: string): Adapter {
  const rank = ({ radio, heard }: Adapter) => (radio.state !== 'on' ? 2 : heard.has(address) ? 0 : 1);
  const signal = ({ heard }: Adapter) => heard.get(address) ?? -Infinity;
  const [best] = adapters.toSorted((a, b) => rank(a) - rank(b) || a.links - b.links || signal(b) - signal(a) || 0);
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
