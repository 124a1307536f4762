/** The simulated car park on the emulated radio, which agents join over a unix socket. */
import { systemClock } from '../../shared/system-clock.js';
import { createSim, type Sim, type SimOptions } from './create-sim.js';
import { createBlenoAir } from './radio/bleno-air.js';
import { type Hub, serveHub } from './radio/hub.js';
import { systemSources } from './seeded-sources.js';
import { createVirtualRadio, type VirtualRadio } from './radio/virtual-radio.js';

export interface EmulatedSimOptions extends Omit<SimOptions, 'air'> {
  /** The radio that the products are on; left out: a new one. */
  radio?: VirtualRadio;
  /** Unix socket where agents join the radio. */
  radioPath?: string;
  /** How long every packet on a link takes; 0 when left out. */
  latencyMs?: number;
}

export interface EmulatedSim extends Sim {
  radio: VirtualRadio;
}

/** Starts all parts; when one cannot start, it ends the others and rejects. */
export async function createEmulatedSim(options: EmulatedSimOptions): Promise<EmulatedSim> {
  const { radioPath, latencyMs = 0, clock = systemClock, sources = systemSources } = options;
  const random = sources.numbersOf('air');
  const radio = options.radio ?? createVirtualRadio({ random, clock, defaults: { latencyMs } });
  let hub: Hub | null = null;
  const closeAir = async () => {
    await hub?.close();
    if (options.radio === undefined) radio.close();
  };
  try {
    if (radioPath !== undefined) hub = await serveHub(radio, radioPath);
    const sim = await createSim({ ...options, air: createBlenoAir(radio) });
    return {
      ...sim,
      radio,
      async close() {
        await sim.close();
        await closeAir();
      },
    };
  } catch (error) {
    await closeAir();
    throw error;
  }
}
