/** A parking gateway whose sensors' states a service pushes to the agent over HTTP, in the words of Nwave. */
import { type Clock, every } from '../../../shared/clock.js';
import type { Logger } from '../../../shared/logger.js';
import type { CarParkParkingGateway } from '../car-park.js';
import type { SimPlace } from './sim-place.js';

/** A message that did not arrive, or was not known yet, is pushed again after this. */
const HEARTBEAT_MS = 5_000;
const PUSH_TIMEOUT_MS = 5_000;

export function startPushingGateway(
  gateway: CarParkParkingGateway,
  options: { places: ReadonlyMap<string, SimPlace>; agentUrl: () => string | null; clock: Clock; logger: Logger },
): { close(): Promise<void> } {
  const { places, agentUrl, clock, logger } = options;
  const closing = new AbortController();
  let count = 0;
  async function push(place: SimPlace): Promise<void> {
    const { sensor, occupied, silent } = place.view();
    const url = agentUrl();
    if (silent || url === null) return;
    count += 1;
    const body = {
      message_trace_id: `sim-${count}`,
      device_id: sensor,
      occupied: occupied ? 'occupied' : 'free',
      timestamp: new Date(clock.now()).toISOString(),
    };
    await fetch(`${url}/sensors/${encodeURIComponent(gateway.name)}/${encodeURIComponent(gateway.application ?? '')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.any([closing.signal, AbortSignal.timeout(PUSH_TIMEOUT_MS)]),
    }).catch((error: unknown) => logger.debug({ err: error, sensor }, 'a push did not arrive'));
  }
  const pushAll = async () => {
    for (const place of places.values()) await push(place);
  };
  for (const place of places.values()) place.onChange(() => void push(place));
  const beating = every({ clock, periodMs: HEARTBEAT_MS, work: pushAll, onError: () => {} });
  return {
    close() {
      beating.cancel();
      closing.abort();
      return Promise.resolve();
    },
  };
}
