import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from '../../property.js';
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
import { runs, runsTimeoutMs } from '../../depth.js';

const TIMEOUT_MS = 180_000;

describe('a cloud that is killed, and those who listen to it', () => {
  let directory: string;
  let zone_id: number;
  let env: Record<string, string>;
  let base: string;
  let cloud: RunningProgram | undefined;
  let listener: RealtimeListener | undefined;

  const openSite = async () => {
    directory = mkdtempSync(join(tmpdir(), 'cloud-realtime-crash-'));
    const store = await openMigratedStore({
      url: `sqlite:${join(directory, 'cloud.db')}`,
      clock: systemClock,
      logger: silentLogger,
    });
    zone_id = (await seedSessionSite({ store })).zone;
    await store.close();
    const [port] = await freePorts(1);
    env = { DATA_DIR: directory, PORT: String(port), MQTT_PORT: '0', RATE_REQUESTS_PER_MIN: '0' };
    base = `http://127.0.0.1:${port}`;
  };
  const closeSite = async () => {
    await listener?.close();
    listener = undefined;
    await cloud?.end('SIGKILL');
    cloud = undefined;
    rmSync(directory, { recursive: true, force: true });
  };
  beforeEach(openSite);
  afterEach(closeSite);

  const authorization = `Bearer ${API_TOKEN}`;
  const get = async <T>(path: string) => {
    const { data } = (await (await fetchChecked(base + path, { headers: { authorization } })).json()) as { data: T };
    return data;
  };
  const isReady = async () => (await fetch(`${base}/readyz`)).ok;
  /** @param dieAfter the change after whose commit it dies; 0: none */
  const start = async (dieAfter: number) => {
    const started = startProgram('test/integration/realtime/realtime-crasher.js', [String(dieAfter)], env);
    cloud = started;
    let ended = false;
    void started.ended.then(() => (ended = true));
    await waitUntil('the cloud to answer', async () => {
      if (ended) throw new Error(`the cloud ended: ${started.output()}`);
      return isReady();
    });
    return started;
  };
  /** Starts a session; false when the cloud died of it. */
  const beginSession = async (): Promise<boolean> => {
    const body = JSON.stringify({ zone_id });
    const headers = { authorization, 'content-type': 'application/json' };
    const response = await fetchChecked(`${base}/v2/sessions`, { method: 'POST', headers, body }).catch(() => null);
    if (response === null) return false;
    if (response.status !== 200) throw new Error(`POST /v2/sessions: ${response.status} ${await response.text()}`);
    return true;
  };
  const heard = () => listener?.of('session_create') ?? [];
  const heardIds = () => heard().map(({ payload }) => payload.id);
  /** The listener has come back, and has nothing to catch up on: what it heard is what there is. */
  const expectNoGapNoRepeat = async () => {
    const sessions = (await get<{ id: number }[]>('/v2/sessions?size=300&sort=id:asc')).map(({ id }) => id);
    await waitUntil('every session to be heard', () => heard().length >= sessions.length);
    const journal = await get<{ id: string }[]>('/v2/events?limit=1000');
    expect(heardIds()).toEqual(sessions);
    expect(heard().map(({ id }) => id)).toEqual(journal.map(({ id }) => id));
    expect(listener?.of('resync_required')).toEqual([]);
    return sessions.length;
  };

  it('hear once, after its restart, of each change it was killed after and told nobody of', {
    ...proves('every event: transaction', 'every event: replay'),
    timeout: TIMEOUT_MS,
  }, async () => {
    let asked = 0;
    for (const dieAfter of [2, 1, 3]) {
      const dying = await start(dieAfter);
      // It begins at the very first event with the first one; then it comes back by itself.
      listener ??= await listenRealtime(base, API_TOKEN);
      await waitUntil('the listener to have caught up', () => heard().length === asked);
      for (let change = 1; change <= dieAfter; change++) {
        asked += 1;
        expect(await beginSession()).toBe(change < dieAfter);
      }
      expect((await dying.ended).signal).toBe('SIGKILL');
      await waitUntil('those before it to be heard', () => heard().length >= asked - 1);
      expect(heard()).toHaveLength(asked - 1);
    }
    await start(0);
    expect(await expectNoGapNoRepeat()).toBe(asked);
  });

  it('miss nothing and hear nothing twice, whenever it is killed under a stream of changes', {
    ...proves('every event: replay'),
    timeout: runsTimeoutMs(TIMEOUT_MS, 2),
  }, async () => {
    // The failure prints the seed.
    const answersBeforeEachKill = fc.array(fc.integer({ min: 1, max: 25 }), {
      minLength: runs(2, 2),
      maxLength: runs(2, 2),
    });
    await fc.assert(
      fc.asyncProperty(answersBeforeEachKill, async (kills) => {
        await start(0);
        listener = await listenRealtime(base, API_TOKEN);
        expect(await beginSession()).toBe(true);
        for (const kill of kills) {
          let answered = 0;
          const ask = async () => {
            while (await beginSession()) {
              answered += 1;
              if (answered === kill) await cloud?.end('SIGKILL');
            }
          };
          await Promise.all(Array.from({ length: 4 }, ask));
          await start(0);
        }
        await expectNoGapNoRepeat();
        // Each run has a cloud of its own: the next one begins with an empty journal and a free port.
        await closeSite();
        await openSite();
      }),
      { numRuns: runs(1, 2), endOnFailure: true },
    );
  });
});
