import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { proves } from '../../contract/sending-rules.js';
import { freePorts } from '../../world/free-ports.js';
import { type RunningProgram, startProgram } from '../../world/programs.js';
import { listenRealtime, type RealtimeListener } from '../../world/realtime-listener.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { API_TOKEN } from '../http/http-site.js';
import { seedSessionSite } from '../session/session-site.js';

describe('two processes of the cloud on one database', () => {
  let directory: string;
  let zone_id: number;
  let bases: string[];
  const programs: RunningProgram[] = [];
  const listeners: RealtimeListener[] = [];

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloud-processes-'));
    const url = `sqlite:${join(directory, 'cloud.db')}`;
    const store = await openMigratedStore({ url, clock: systemClock, logger: silentLogger });
    zone_id = (await seedSessionSite({ store })).zone;
    await store.close();
    const ports = await freePorts(2);
    bases = ports.map((port) => `http://127.0.0.1:${port}`);
    for (const [index, port] of ports.entries()) {
      const env = { DATA_DIR: directory, PORT: String(port), MQTT_PORT: '0' };
      const program = startProgram('cloud/main.js', ['serve'], env);
      programs.push(program);
      // One after the other: the first makes the keys of the directory.
      await waitUntil('a cloud to answer', async () => (await fetch(`${bases[index]}/readyz`)).ok);
    }
  });
  afterEach(async () => {
    for (const listener of listeners.splice(0)) await listener.close();
    for (const program of programs.splice(0)) await program.end();
    rmSync(directory, { recursive: true });
  });

  it('deliver the same stream, whichever made a change', proves('every event: processes'), async () => {
    for (const base of bases) listeners.push(await listenRealtime(base, API_TOKEN));
    const made: string[] = [];
    for (let change = 0; change < 12; change++) {
      const response = await fetchChecked(`${bases[change % 3 === 0 ? 0 : 1]}/v2/sessions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${API_TOKEN}`, 'content-type': 'application/json' },
        body: JSON.stringify({ zone_id }),
      });
      const { data } = (await response.json()) as { data: { public_id: string } };
      made.push(data.public_id);
    }
    for (const listener of listeners) {
      const heard = await listener.waitFor('session_create', made.length);
      expect(heard.map(({ payload }) => payload.public_id)).toEqual(made);
      expect(heard.map(({ id }) => id)).toEqual(made.map((_, index) => String(index + 1)));
    }
  });
});
