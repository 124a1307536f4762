/** Counts the records of a fleet that have arrived, by realtime and by REST. */
import { WebSocket } from 'ws';
import { z } from 'zod';
import { createClient, type ParkingClient } from '../../shared/client/index.js';
import { wakefulClock } from '../../shared/system-clock.js';
import { readFleetPlate } from './fleet-plate.js';

/** The most that REST answers at once. */
const PAGE_SIZE = 300;

/** The used fields of a reading. */
const readingSchema = z.object({ id: z.number(), plate: z.string() });

/** The number of times that each record was seen: `gateway/number` -> times. */
export type Seen = ReadonlyMap<string, number>;

export const recordKey = (gateway: number, number: number): string => `${gateway}/${number}`;

export interface Arrivals {
  /** By realtime. */
  heard: Seen;
  /** From the write of each record until its event was heard, in the order of the events. */
  lagsMs: readonly number[];
  /** Asks REST for all readings since the beginning. */
  list(): Promise<Seen>;
  close(): void;
}

/** Connects, and notes what is there already. @throws ParkingError; Error when the realtime connection is refused */
export async function watchArrivals(options: { cloudUrl: string; token: string; run: string }): Promise<Arrivals> {
  const { cloudUrl, token, run } = options;
  const client = createClient({ baseUrl: cloudUrl, token, WebSocket, clock: wakefulClock });
  const before = await newestReading(client);
  const heard = new Map<string, number>();
  const lagsMs: number[] = [];
  const note = (seen: Map<string, number>, plate: string) => {
    const record = readFleetPlate(plate, run);
    if (record === null) return null;
    const key = recordKey(record.gateway, record.number);
    seen.set(key, (seen.get(key) ?? 0) + 1);
    return record;
  };

  const close = await new Promise<() => void>((resolve, reject) => {
    const realtime = client.realtime({
      subscription: { events: ['plate_reading_create'] },
      onEvent({ event, payload }) {
        if (event !== 'plate_reading_create') return;
        const record = note(heard, payload.plate);
        if (record !== null) lagsMs.push(wakefulClock.now() - record.written_ms);
      },
      onResync: () => undefined,
      onSubscribed: () => resolve(() => realtime.close()),
      onState(state) {
        if (state.state === 'ended')
          reject(new Error(`The realtime connection was refused: ${state.reason} (${state.code})`));
      },
    });
  });
  return {
    heard,
    lagsMs,
    async list() {
      const seen = new Map<string, number>();
      const query = { filter: [`id:gt:${before}`], sort: 'id:asc', size: PAGE_SIZE };
      for await (const reading of client.list('/v2/plate-readings', { query }))
        note(seen, readingSchema.parse(reading).plate);
      return seen;
    },
    close,
  };
}

async function newestReading(client: ParkingClient): Promise<number> {
  const answer = await client.get('/v2/plate-readings', { query: { sort: 'id:desc', size: 1 } });
  const [newest] = z.array(readingSchema).parse(answer);
  return newest?.id ?? 0;
}
