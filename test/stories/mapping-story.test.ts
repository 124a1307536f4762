import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { TEST_SITE } from '../world/site.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

/** What a camera of a vendor that nobody has heard of posts. */
const EVENT = { vorgang: { nr: 88, kfz: { zeichen: 'ZG 1234 AB', sicher: 97 }, richtung: 'hin' } };
const MAPPING = {
  plate: 'vorgang.kfz.zeichen',
  confidence: { at: 'vorgang.kfz.sicher' },
  event_id: 'vorgang.nr',
  direction: { at: 'vorgang.richtung', towards: ['hin'], away: ['weg'] },
};

describe('mapping story: a vendor nobody has heard of opens the barrier, without a line of code', () => {
  let world: World;
  let stream: RealtimeListener;

  beforeAll(async () => {
    world = await createWorld();
    stream = await world.listen();
  });
  afterAll(async () => {
    await stream?.close();
    await world?.close();
  });

  const post = () =>
    fetch(`${world.agentUrl}/lpr/mapping/${TEST_SITE.entryCamera}/entry-push-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(EVENT),
    });

  it('is put aside until it is described over REST, and is then read like any other', async () => {
    const { body } = await world.api<{ data: { id: number; device_id: string }[] }>('/v2/lpr-cameras');
    const camera = body.data.find(({ device_id }) => device_id === TEST_SITE.entryCamera);
    const describeIt = (change: object) => world.call('PATCH', `/v2/lpr-cameras/${camera?.id}`, { body: change });
    await describeIt({ driver: 'mapping' });
    await waitUntil('the gateway to know the driver', async () => (await post()).status === 200);
    expect(stream.of('plate_reading_create')).toEqual([]);
    await describeIt({ mapping: MAPPING });
    await waitUntil('a reading', async () => {
      await post();
      return stream.of('plate_reading_create').length > 0;
    });
    // However often the camera repeated it, it is one vehicle.
    await post();
    const [created, ...others] = stream.of('plate_reading_create');
    expect([created?.payload, others]).toMatchObject([
      { plate: expect.stringMatching(/^ZG ?1234 ?AB$/), direction: 'in' },
      [],
    ]);
    const [updated] = await stream.waitFor('plate_reading_update', 1);
    expect(updated?.payload).toMatchObject({ access_decision: 'triggered', access_decision_reason: 'whitelist' });
  });
});
