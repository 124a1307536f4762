import type { Reading } from './records.js';
import { client } from './session.js';
import { readings } from './store.js';
import { type Read, useRead } from './use-read.js';

/** The last reading of a camera, kept up by the events; `found` undefined: it has none. */
export function useLastReading(id: number): Read<Reading | undefined> {
  const newest = readings.value.find(({ lpr_camera_id }) => lpr_camera_id === id);
  return useRead(`${id} ${newest?.id ?? ''}`, async (signal) =>
    newest === undefined ? await lastOf(id, signal) : newest,
  );
}

async function lastOf(id: number, signal: AbortSignal): Promise<Reading | undefined> {
  const query = { filter: [`lpr_camera_id:eq:${id}`], size: 1, sort: 'id:desc' as const };
  return (await client().get('/v2/plate-readings', { query, signal }))[0];
}
