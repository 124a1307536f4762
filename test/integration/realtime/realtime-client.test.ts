import * as fc from '../../property.js';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import {
  createRealtimeClient,
  type RealtimeClient,
  type RealtimeClientOptions,
  type RealtimeState,
} from '../../../shared/client/realtime-client.js';
import { systemClock } from '../../../shared/system-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { API_TOKEN, type Site, seedSite, journalEvents } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { runs } from '../../depth.js';

describe('realtime client and the service', () => {
  let cloud: CloudWorld;
  let site: Site;
  const clients: RealtimeClient[] = [];
  const sockets: WebSocket[] = [];

  class KnownWebSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }

  beforeEach(async () => {
    cloud = await startCloudWorld();
    site = await seedSite(cloud.store);
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) client.close();
    for (const socket of sockets.splice(0)) socket.terminate();
    await cloud.close();
  });

  const north = (uuid: string) => ({ account_id: site.harbour, lot_id: site.north, uuid });
  const start = (given: Partial<RealtimeClientOptions> = {}) => {
    const uuids: string[] = [];
    const states: RealtimeState[] = [];
    const client = createRealtimeClient({
      url: `${cloud.base.replace('http', 'ws')}/v2/realtime`,
      token: API_TOKEN,
      WebSocket: KnownWebSocket,
      clock: systemClock,
      // At once.
      random: () => 0,
      onEvent({ event, payload }) {
        if (event === 'gateway_status') uuids.push(payload.uuid);
      },
      onResync: () => uuids.push('resync'),
      onState: (state) => states.push(state),
      ...given,
    });
    clients.push(client);
    const isLive = () => states.at(-1)?.state === 'live';
    return { client, uuids, states, live: () => waitUntil('the client to be live', isLive) };
  };

  it('hears what it subscribed to, replayed and live', async () => {
    await journalEvents(cloud.store, north('1'), { ...north('2'), lot_id: site.south }, north('3'));
    const { client, uuids, live } = start({ lastEventId: '1', subscription: { lots: [site.north] } });
    await live();
    await journalEvents(cloud.store, { ...north('4'), lot_id: site.south }, north('5'));
    await waitUntil('the last event', () => uuids.includes('5'));
    expect(uuids).toEqual(['3', '5']);
    expect(client.lastEventId).toBe('5');
  });

  it('stops for good when its token is revoked', async () => {
    const { states, live } = start();
    await live();
    await cloud.store.change(async (tx) => void (await tx.deleteFrom('api_tokens').execute()));
    await cloud.hub.checkCallers();
    await waitUntil('the end', () => states.at(-1)?.state === 'ended');
    expect(states.at(-1)).toMatchObject({ code: 4401 });
  });

  it('misses nothing and repeats nothing, however often the connection breaks', async () => {
    await journalEvents(cloud.store, north('0'));
    const { uuids, live } = start({ lastEventId: '1' });
    await live();
    let last = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }), async (breaks) => {
        for (const isBroken of breaks) {
          last += 1;
          await journalEvents(cloud.store, north(String(last)));
          if (isBroken) sockets.at(-1)?.terminate();
        }
        await waitUntil('all to be heard', () => uuids.length >= last);
        expect(uuids).toEqual(Array.from({ length: last }, (_, index) => String(index + 1)));
      }),
      { numRuns: runs(20) },
    );
  });
});
