import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createProductReceptions } from '../../../cloud/equipment/product/product-receptions.js';
import { noteHeard } from '../product/note-heard.js';
import { createPresenceTracker, type PresenceDeps } from '../../../cloud/equipment/gateway/presence.js';
import { StoreError, type StoreErrorCode } from '../../../cloud/kernel/store/cloud-store.js';
import { CONFIG_SECTION_NAMES } from '../../../shared/gateway-config.js';
import type { Presence } from '../../../shared/uplink.js';
import { connectGateway, type TestGateway } from './link-gateway.js';
import { newOutboxEpoch, newUid } from '../ingest/gateway-records.js';
import { NORTH_GATEWAY, SECOND_GATEWAY, SPARE_GATEWAY } from './link-site.js';
import { createLinkWorld, createStoreWorld, type LinkWorld, type StoreWorld } from './link-world.js';
import { proves } from '../../contract/sending-rules.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let closing: { close(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const each of closing.reverse()) await each.close();
  closing = [];
});

async function storeWorld(): Promise<StoreWorld> {
  const world = await createStoreWorld();
  closing.push(world);
  return world;
}

const statuses = (world: StoreWorld) =>
  world.pushed.filter(({ event }) => event === 'gateway_status').map(({ payload }) => payload);
const online = { uuid: NORTH_GATEWAY, status: 'online' };
const offline = { uuid: NORTH_GATEWAY, status: 'offline' };

const presenceOf = (status: Presence['status'], boot_id: string, connection: number) => ({
  status,
  boot_id,
  connection,
});

describe('presence', () => {
  const [firstBoot, secondBoot] = [newUid(), newUid()];
  const gone: string[] = [];
  const onOffline = ({ uuid }: { uuid: string }) => void gone.push(uuid);
  const track = (world: StoreWorld, over: Partial<PresenceDeps> = {}) =>
    createPresenceTracker({ ...world, seenWithinMs: 120_000, onOffline, startGraceMs: 60_000, ...over });
  const statusOf = async ({ store }: StoreWorld, uuid: string) => {
    const row = await store.reader.selectFrom('gateways').select('status').where('uuid', '=', uuid).executeTakeFirst();
    return row?.status;
  };
  beforeEach(() => void gone.splice(0));

  it.each<[string, ReturnType<typeof presenceOf>[], object[]]>([
    [
      'a connection and its end',
      [presenceOf('online', firstBoot, 1), presenceOf('offline', firstBoot, 1)],
      [online, offline],
    ],
    ['the same again', [presenceOf('online', firstBoot, 1), presenceOf('online', firstBoot, 1)], [online]],
    [
      'the will of an older connection, after the present one came',
      [presenceOf('online', firstBoot, 1), presenceOf('online', firstBoot, 2), presenceOf('offline', firstBoot, 1)],
      [online],
    ],
    [
      'the will of an older boot, after the present one came',
      [presenceOf('online', firstBoot, 7), presenceOf('online', secondBoot, 1), presenceOf('offline', firstBoot, 7)],
      [online],
    ],
    [
      'the end of the present one after that',
      [
        presenceOf('online', firstBoot, 1),
        presenceOf('online', firstBoot, 2),
        presenceOf('offline', firstBoot, 1),
        presenceOf('offline', firstBoot, 2),
      ],
      [online, offline],
    ],
    ['a will that comes before anything else', [presenceOf('offline', firstBoot, 1)], []],
  ])('%s', proves('gateway_status: change'), async (_what, messages, events) => {
    const world = await storeWorld();
    const presence = track(world);
    for (const message of messages) await presence.handlePresence(NORTH_GATEWAY, message);
    await presence.close();
    expect(statuses(world)).toEqual(events);
    const row = await world.store.reader
      .selectFrom('gateways')
      .select('status')
      .where('uuid', '=', NORTH_GATEWAY)
      .executeTakeFirstOrThrow();
    expect(row.status).toBe((events.at(-1) as { status?: string } | undefined)?.status ?? 'offline');
  });

  it('has no event for a gateway in no lot', proves('gateway_status: no_lot'), async () => {
    const world = await storeWorld();
    const presence = track(world);
    await presence.handlePresence(SPARE_GATEWAY, presenceOf('online', firstBoot, 1));
    await presence.close();
    expect(await statusOf(world, SPARE_GATEWAY)).toBe('online');
    expect(world.pushed).toEqual([]);
  });

  it('ends once for a gateway that does not answer, and comes back with its next hello', async () => {
    const world = await storeWorld();
    const presence = track(world);
    await presence.handleSilence(NORTH_GATEWAY);
    await presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 1));
    await presence.handleSilence(NORTH_GATEWAY);
    await presence.handleSilence(NORTH_GATEWAY);
    expect(gone).toEqual([NORTH_GATEWAY]);
    await presence.handleHello(NORTH_GATEWAY, { boot_id: firstBoot, connection: 1, agent_version: '1.0.0' });
    await presence.close();
    expect(statuses(world)).toEqual([online, offline, online]);
  });

  it('says that a returning gateway hears what it heard when it was cut off, until it reports', async () => {
    const world = await storeWorld();
    const seenWithinMs = 120_000;
    const { store, clock, site } = world;
    const receptions = createProductReceptions({ clock, seenWithinMs });
    const presence = track(world, { seenWithinMs });
    const heard = async (product_id: number) => (await receptions.recent(store.reader, product_id)).length > 0;
    await presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 1));
    await noteHeard({ store, receptions }, site.gate, { gateway_id: site.gateway, rssi: -60 });
    await clock.advance(seenWithinMs - 1_000);
    await noteHeard({ store, receptions }, site.barrier, { gateway_id: site.gateway, rssi: -60 });
    await clock.advance(2_000);
    await presence.handlePresence(NORTH_GATEWAY, presenceOf('offline', firstBoot, 1));
    expect(await heard(site.barrier)).toBe(false);
    await clock.advance(10 * seenWithinMs);
    await presence.handleHello(NORTH_GATEWAY, { boot_id: secondBoot, connection: 1, agent_version: '1.0.0' });
    await presence.close();
    expect([await heard(site.barrier), await heard(site.gate)]).toEqual([true, false]);
    await store.change((tx) => receptions.note(tx, site.gateway, { lost: [site.barrier] }));
    expect(await heard(site.barrier)).toBe(false);
  });

  it("changes nothing when it cannot be read, or is nobody's", async () => {
    const world = await storeWorld();
    const presence = track(world);
    for (const junk of [
      null,
      'online',
      {},
      presenceOf('online', 'x', 1),
      { ...presenceOf('online', firstBoot, 1), status: 'away' },
    ]) {
      await presence.handlePresence(NORTH_GATEWAY, junk);
    }
    const nobody = 'eeeeeeee-1111-4111-8111-111111111111' as typeof NORTH_GATEWAY;
    await presence.handlePresence(nobody, presenceOf('online', firstBoot, 1));
    await presence.close();
    expect(await statusOf(world, NORTH_GATEWAY)).toBe('offline');
    expect(world.pushed).toEqual([]);
  });

  it('is stored later when the database is out of order, unless a newer one came', async () => {
    const world = await storeWorld();
    const { change } = world.store;
    let isBroken = true;
    const failing: typeof change = (work) =>
      isBroken ? Promise.reject(new StoreError('locked', 'locked')) : change(work);
    const presence = track(world, { store: { ...world.store, change: failing } });
    await expect(presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 1))).rejects.toThrow('locked');
    await expect(presence.handlePresence(SECOND_GATEWAY, presenceOf('online', firstBoot, 1))).rejects.toThrow('locked');
    await world.clock.advance(5_000);
    isBroken = false;
    await presence.handlePresence(SECOND_GATEWAY, presenceOf('online', firstBoot, 2));
    await world.clock.advance(10_000);
    await waitUntil('both', () => statuses(world).length === 2);
    await presence.close();
    expect(statuses(world)).toEqual([{ ...online, uuid: SECOND_GATEWAY }, online]);
  });

  it('is not tried in a circle when the database refuses what it holds, and is asked for ever later while the store is at fault', async () => {
    const world = await storeWorld();
    let asked = 0;
    let code: StoreErrorCode = 'constraint';
    const failing: typeof world.store.change = () => {
      asked += 1;
      return Promise.reject(new StoreError(code, 'no'));
    };
    const presence = track(world, { store: { ...world.store, change: failing } });
    await expect(presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 1))).rejects.toThrow('no');
    await world.clock.advance(3_600_000);
    expect(asked).toBe(1);
    code = 'io';
    await expect(presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 2))).rejects.toThrow('no');
    await world.clock.advance(600_000);
    await presence.close();
    // After 5, 10, 20 and 40 s, then once a minute: 8 of them in what is left.
    expect(asked).toBe(2 + 4 + 8);
    const still = world.log.filter(({ message }) => message === 'presence of a gateway could still not be stored');
    expect(still.length).toBeLessThanOrEqual(10);
  });

  it('is followed when it says that a gateway is gone and that is committed, however late the database accepts it', async () => {
    const world = await storeWorld();
    const { change } = world.store;
    let isBroken = false;
    const failing: typeof change = (work) =>
      isBroken ? Promise.reject(new StoreError('locked', 'locked')) : change(work);
    const presence = track(world, { store: { ...world.store, change: failing } });
    await presence.handlePresence(NORTH_GATEWAY, presenceOf('online', firstBoot, 1));
    isBroken = true;
    await expect(presence.handlePresence(NORTH_GATEWAY, presenceOf('offline', firstBoot, 1))).rejects.toThrow('locked');
    expect(gone).toEqual([]);
    isBroken = false;
    await world.clock.advance(5_000);
    await waitUntil('the end', () => gone.length > 0);
    await presence.close();
    expect(gone).toEqual([NORTH_GATEWAY]);
    expect(await statusOf(world, NORTH_GATEWAY)).toBe('offline');
  });

  it('after a restart of the cloud: who does not come back within the grace is offline', async () => {
    const world = await storeWorld();
    await world.store.change(async (tx) => {
      await tx
        .updateTable('gateways')
        .set({ status: 'online', presence_boot_id: firstBoot, presence_connection: 1 })
        .execute();
    });
    const presence = track(world);
    await presence.handlePresence(SECOND_GATEWAY, presenceOf('online', firstBoot, 2));
    await world.clock.advance(59_000);
    expect(statuses(world)).toEqual([]);
    await world.clock.advance(1_000);
    await waitUntil('the two that stayed away', () => statuses(world).length === 2);
    await presence.close();
    expect(statuses(world)).toContainEqual(offline);
    expect(statuses(world)).not.toContainEqual(expect.objectContaining({ uuid: SECOND_GATEWAY }));
  });
});

async function link(): Promise<LinkWorld> {
  const world = await createLinkWorld();
  closing.push(world);
  return world;
}

async function join(world: LinkWorld, connection: number, boot_id = newUid()): Promise<TestGateway> {
  const options = { port: world.broker.port, uuid: NORTH_GATEWAY, epoch: newOutboxEpoch(), connection, boot_id };
  const gateway = await connectGateway(options);
  closing.push({ close: () => gateway.end() });
  return gateway;
}

describe('on the link', () => {
  it('a gateway comes, is replaced by its own new connection, and breaks off', async () => {
    const world = await link();
    const first = await join(world, 1);
    first.sayHello();
    await waitUntil('online', () => statuses(world).length === 1);
    const second = await join(world, 2, first.boot_id);
    second.sayHello();
    await waitUntil('the configuration', () => second.held.size === CONFIG_SECTION_NAMES.length);
    expect(statuses(world)).toEqual([online]);
    second.cut();
    await waitUntil('offline', () => statuses(world).length === 2);
    expect(statuses(world)).toEqual([online, offline]);
    const row = await world.store.reader
      .selectFrom('gateways')
      .selectAll()
      .where('uuid', '=', NORTH_GATEWAY)
      .executeTakeFirstOrThrow();
    expect(row).toMatchObject({ status: 'offline', agent_version: '0.1.0', last_seen: world.clock.now() });
  });

  it('keeps when the boot of a gateway began, in whole milliseconds', async () => {
    const world = await link();
    const gateway = await join(world, 1);
    gateway.sayHello();
    const boots = () => world.store.reader.selectFrom('gateway_boots').selectAll().execute();
    await waitUntil('what the hello told of its clock', async () => (await boots()).length > 0);
    const [boot] = await boots();
    expect(boot).toMatchObject({ boot_id: gateway.boot_id, noted_at: world.clock.now() });
    expect(boot?.began_at).toBe(world.clock.now() - 5_000);
    const { agent_version } = await world.store.reader
      .selectFrom('gateways')
      .select('agent_version')
      .where('uuid', '=', NORTH_GATEWAY)
      .executeTakeFirstOrThrow();
    expect(agent_version).toBe('0.1.0');
  });

  it('says hello to a gateway it forgot the presence of', async () => {
    const world = await link();
    const gateway = await join(world, 3);
    await waitUntil('online', () => statuses(world).length === 1);
    await world.store.change(async (tx) => {
      await tx.updateTable('gateways').set({ status: 'offline' }).where('uuid', '=', NORTH_GATEWAY).execute();
    });
    gateway.sayHello();
    await waitUntil('online again', () => statuses(world).length === 2);
  });
});
