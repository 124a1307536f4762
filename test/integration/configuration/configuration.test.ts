import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CONFIG_SECTION_NAMES, CONFIG_SECTIONS, type ConfigSection } from '../../../shared/gateway-config.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { decodeToken, isTokenGenuine, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import * as nodeCrypto from 'node:crypto';
import type { ProductDeviceId, Uid } from '../../../shared/ids.js';
import { sessionCorrections } from '../../../cloud/traffic/session/session-corrections.js';
import { connectGateway, type TestGateway } from '../gateway/link-gateway.js';
import { batchOf, entryRead, exitRead, newOutboxEpoch, NOON_MS, recordOf } from '../ingest/gateway-records.js';
import {
  addMember,
  bindLicense,
  NORTH_GATEWAY,
  RIVAL_GATEWAY,
  SECOND_GATEWAY,
  SPARE_GATEWAY,
} from '../gateway/link-site.js';
import { createLinkWorld, type LinkWorld } from '../gateway/link-world.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';

let world: LinkWorld;
const gateways: TestGateway[] = [];
beforeEach(async () => {
  world = await createLinkWorld();
});
afterEach(async () => {
  await Promise.all(gateways.splice(0).map((gateway) => gateway.end()));
  await world.close();
});

async function join(uuid = NORTH_GATEWAY, epoch = newOutboxEpoch()): Promise<TestGateway> {
  const gateway = await connectGateway({ port: world.broker.port, uuid, epoch });
  gateways.push(gateway);
  return gateway;
}

/** Connected, and told all sections. */
async function joinConfigured(uuid = NORTH_GATEWAY, epoch = newOutboxEpoch()): Promise<TestGateway> {
  const gateway = await join(uuid, epoch);
  gateway.sayHello();
  await waitUntil('all sections', () => gateway.held.size === CONFIG_SECTION_NAMES.length);
  return gateway;
}

const itemsOf = (gateway: TestGateway, section: ConfigSection) =>
  Object.fromEntries(gateway.held.get(section)?.items ?? []);

/** Lets the publisher's timers pass. */
const settle = () => world.clock.advance(200);

/** A gateway's messages are taken one at a time: with the next welcome all has come that the cloud had to say before. */
async function caughtUp(gateway: TestGateway): Promise<void> {
  const before = gateway.welcomes().length;
  gateway.sayHello();
  await waitUntil('the next welcome', () => gateway.welcomes().length > before);
}

async function count(gateway: TestGateway, section: ConfigSection): Promise<number> {
  return gateway.configs.filter((message) => message.section === section).length;
}

describe('what a gateway is told at its hello', () => {
  it('is the welcome first, then every section, as the database has it', async () => {
    const { site } = world;
    const gateway = await joinConfigured();
    expect(gateway.received.find(({ topic }) => topic.includes('/down/'))?.topic).toMatch(/welcome$/);
    expect(gateway.welcomes()[0]).toMatchObject({ cloud_ms: world.clock.now() });
    expect(gateway.mismatches).toBe(0);
    expect(gateway.configs.every(({ base, remove }) => base === null && remove.length === 0)).toBe(true);
    for (const [section, { items }] of gateway.held) {
      for (const item of items.values()) expect(CONFIG_SECTIONS[section].safeParse(item).error).toBeUndefined();
    }
    expect(itemsOf(gateway, 'gateway')).toEqual({
      self: {
        gateway_id: site.gateway,
        name: 'a',
        lot_id: site.lot,
        lot_name: 'North',
        timezone: 'Europe/Zagreb',
        offline_exit: 'open',
        autonomy_days: 31,
        other_gateways_count: 1,
        other_gateways: ['2'],
        cloud_key: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/) as string,
        console_password: null,
      },
    });
    expect(itemsOf(gateway, 'cameras')).toEqual({
      'cam-in': expect.objectContaining({
        id: site.entryCamera,
        username: 'admin',
        password: 'secret',
        push_key: 'path secret',
        debounce_time: 15,
        product_device_id: 'a4c138000001',
      }),
      'cam-inner': expect.objectContaining({ id: site.standaloneCamera, password: '', product_device_id: null }),
    });
    expect(itemsOf(gateway, 'zones')).toEqual({
      [site.zone]: {
        id: site.zone,
        name: 'Level 0',
        spot_count: 40,
        has_tariff: true,
        occupancy_max_hours: 72,
        sensor_counts: [],
      },
      [site.lowerZone]: expect.objectContaining({ has_tariff: false }),
    });
    expect(itemsOf(gateway, 'plates')).toEqual({
      ZGMIA1: { zone_ids: [site.zone], product_ids: [] },
      ZG777BB: { zone_ids: [], product_ids: [site.barrier] },
    });
    expect(itemsOf(gateway, 'sessions')).toEqual({});
  });

  it('holds credentials that its products accept, and no other gateway could use', async () => {
    const gateway = await joinConfigured();
    const crypto = createProtocolCrypto(nodeCrypto);
    const dayMs = Math.floor(NOON_MS / 86_400_000) * 86_400_000;
    for (const [device_id, type] of [
      ['a4c138000001', 1],
      ['a4c138000002', 2],
    ] as const) {
      const item = CONFIG_SECTIONS.products.parse(itemsOf(gateway, 'products')[device_id]);
      const masterKey = new Uint8Array(32).fill(type);
      const keys = deriveProductKeys(crypto, { masterKey, deviceId: device_id as ProductDeviceId, pairingEpoch: 1 });
      expect(decodeBase64url(item.pairing?.advertisement_key ?? '')).toEqual(keys.adv);
      for (const op of ['open', 'close', 'status'] satisfies TokenOp[]) {
        const bytes = decodeBase64url(item.pairing?.[`token_${op}`].token ?? '') ?? new Uint8Array();
        expect(isTokenGenuine(crypto, keys, bytes)).toBe(true);
        expect(decodeToken(bytes)).toMatchObject({ op, slot: 1, gen: 0, expiresS: dayMs / 1_000 + 32 * 86_400 });
      }
      expect(item.pairing?.expires_ms).toBe(dayMs + 32 * 86_400_000);
    }
    const second = await joinConfigured(SECOND_GATEWAY);
    expect(itemsOf(second, 'products')).not.toEqual(itemsOf(gateway, 'products'));
  });

  it("is of its own lot only: nothing of a rival's, nothing at all without a lot", async () => {
    const [rival, spare] = [await joinConfigured(RIVAL_GATEWAY), await joinConfigured(SPARE_GATEWAY)];
    expect(Object.keys(itemsOf(rival, 'products'))).toEqual(['a4c138000003']);
    expect(itemsOf(rival, 'plates')).toEqual({});
    for (const section of ['products', 'cameras', 'zones', 'plates', 'sessions', 'sensors'] satisfies ConfigSection[]) {
      expect(itemsOf(spare, section)).toEqual({});
    }
    expect(itemsOf(spare, 'gateway')).toMatchObject({ self: { lot_id: null, timezone: 'UTC' } });
  });

  it('is nothing it holds already, but for what its own records have become', async () => {
    const gateway = await joinConfigured();
    gateway.configs.length = 0;
    gateway.sayHello();
    await waitUntil('the answer', () => gateway.configs.length > 0);
    await waitUntil('the welcome', () => gateway.welcomes().length === 2);
    await settle();
    await caughtUp(gateway);
    // Of both hellos, and nothing else between them.
    await waitUntil('the answer to the second', () => gateway.configs.length > 1);
    const answer = { section: 'sessions', upsert: {}, remove: [], applied: { seq: 0 } };
    expect(gateway.configs).toMatchObject([answer, answer]);
    expect(gateway.mismatches).toBe(0);
  });

  it('does not change within a day, and is renewed on the next', async () => {
    const gateway = await joinConfigured();
    const before = itemsOf(gateway, 'products');
    await world.clock.advance(6 * 3_600_000);
    world.publisher.markAllStale(['products']);
    await settle();
    expect(await count(gateway, 'products')).toBe(1);
    await world.clock.advance(6 * 3_600_000 + 10 * 60_000);
    await waitUntil('new credentials', async () => (await count(gateway, 'products')) === 2);
    expect(gateway.mismatches).toBe(0);
    const product = CONFIG_SECTIONS.products.parse(itemsOf(gateway, 'products').a4c138000001);
    const old = CONFIG_SECTIONS.products.parse(before.a4c138000001);
    expect((product.pairing?.expires_ms ?? 0) - (old.pairing?.expires_ms ?? 0)).toBe(86_400_000);
  });

  it('has credentials for as many days as the lot says', async () => {
    const { lot_id } = await world.store.reader
      .selectFrom('gateways')
      .select('lot_id')
      .where('id', '=', world.site.gateway)
      .executeTakeFirstOrThrow();
    await world.store.change(async (tx) => {
      await tx.updateTable('lots').set({ autonomy_days: 7 }).where('id', '=', lot_id).execute();
    });
    const gateway = await joinConfigured();
    const { pairing } = CONFIG_SECTIONS.products.parse(itemsOf(gateway, 'products').a4c138000001);
    const dayMs = Math.floor(NOON_MS / 86_400_000) * 86_400_000;
    expect(pairing?.expires_ms).toBe(dayMs + 8 * 86_400_000);
    const token = decodeToken(decodeBase64url(pairing?.token_open.token ?? '') ?? new Uint8Array());
    expect(token?.expiresS).toBe(dayMs / 1_000 + 8 * 86_400);
  });

  it('leaves out a secret that this server key does not open, loudly, and nothing else', async () => {
    await world.store.change(async (tx) => {
      await tx
        .updateTable('products')
        .set({ master_key_sealed: 'v1.AAAA' })
        .where('id', '=', world.site.gate)
        .execute();
    });
    const gateway = await joinConfigured();
    expect(itemsOf(gateway, 'products')).toMatchObject({
      a4c138000001: { pairing: {} },
      a4c138000002: { pairing: null },
    });
    expect(world.log.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});

describe('a change', () => {
  it('reaches the gateways of its lot as a delta, and no others', async () => {
    const { site } = world;
    const [north, second, rival] = [
      await joinConfigured(),
      await joinConfigured(SECOND_GATEWAY),
      await joinConfigured(RIVAL_GATEWAY),
    ];
    await world.store.change(async (tx) => {
      await addMember(tx, { account_id: site.account, group_id: site.group, plate: 'ZGNEW1' });
      await tx.deleteFrom('bound_licenses').execute();
      await bindLicense(tx, { product_id: site.gate, plate: 'ZGMIA1' });
    });
    world.publisher.markStale({ lot_id: site.lot }, ['plates']);
    await settle();
    for (const gateway of [north, second]) {
      await waitUntil('the delta', async () => (await count(gateway, 'plates')) === 2);
      const delta = gateway.configs.at(-1);
      expect(delta).toMatchObject({
        section: 'plates',
        upsert: {
          ZGNEW1: { zone_ids: [site.zone], product_ids: [] },
          ZGMIA1: { zone_ids: [site.zone], product_ids: [site.gate] },
        },
        remove: ['ZG777BB'],
      });
      expect(delta?.base).not.toBeNull();
      expect(gateway.mismatches).toBe(0);
    }
    await caughtUp(rival);
    expect(await count(rival, 'plates')).toBe(1);
  });

  it('is not sent when it comes to nothing', async () => {
    const { site } = world;
    const gateway = await joinConfigured();
    world.publisher.markStale({ lot_id: site.lot });
    await settle();
    // A lot's turns come one after the other: what this one brings tells that the one before it is over.
    await world.store.change(async (tx) => {
      await tx.updateTable('lots').set({ offline_exit: 'deny' }).where('id', '=', site.lot).execute();
    });
    world.publisher.markStale({ lot_id: site.lot });
    await settle();
    await waitUntil('the delta', async () => (await count(gateway, 'gateway')) === 2);
    expect(gateway.configs).toHaveLength(CONFIG_SECTION_NAMES.length + 1);
  });

  it('is sent once when many are made at once', async () => {
    const { site } = world;
    const gateway = await joinConfigured();
    for (let plate = 0; plate < 5; plate++) {
      await world.store.change(async (tx) => {
        await addMember(tx, { account_id: site.account, group_id: site.group, plate: `ZG${plate}` });
      });
      world.publisher.markStale({ lot_id: site.lot }, ['plates']);
    }
    await settle();
    await waitUntil('the delta', async () => (await count(gateway, 'plates')) === 2);
    expect(gateway.configs).toHaveLength(CONFIG_SECTION_NAMES.length + 1);
    expect(Object.keys(gateway.configs.at(-1)?.upsert ?? {})).toHaveLength(5);
  });

  it('by another process is found when all is marked', async () => {
    const gateway = await joinConfigured();
    await world.store.change(async (tx) => {
      await tx.updateTable('lots').set({ offline_exit: 'deny' }).where('id', '=', world.site.lot).execute();
    });
    world.publisher.markAllStale();
    await settle();
    await waitUntil('the delta', async () => (await count(gateway, 'gateway')) === 2);
    expect(itemsOf(gateway, 'gateway')).toMatchObject({ self: { offline_exit: 'deny' } });
  });

  it('brings a gateway everything of its new lot', async () => {
    const { site } = world;
    const [spare, north] = [await joinConfigured(SPARE_GATEWAY), await joinConfigured()];
    await world.store.change((tx) =>
      tx.updateTable('gateways').set({ lot_id: site.lot, slot: 3 }).where('id', '=', site.spareGateway).execute(),
    );
    world.publisher.markStale({ lot_id: site.lot }, ['gateway']);
    await settle();
    await waitUntil('the plates of the lot', () => Object.keys(itemsOf(spare, 'plates')).length === 2);
    expect(itemsOf(spare, 'gateway')).toMatchObject({ self: { lot_id: site.lot } });
    expect(Object.keys(itemsOf(spare, 'products'))).toHaveLength(2);
    expect(spare.mismatches).toBe(0);
    await waitUntil('the count', () => JSON.stringify(itemsOf(north, 'gateway')).includes('"other_gateways_count":2'));
  });

  it('is told again after a database that was out of order', async () => {
    const { site } = world;
    const gateway = await joinConfigured();
    await world.store.change(async (tx) => {
      await bindLicense(tx, { product_id: site.gate, plate: 'ZGLATE1' });
    });
    const { reader } = world.store;
    const transaction = reader.transaction.bind(reader);
    let failures = 0;
    reader.transaction = () => {
      failures += 1;
      throw new Error('database is locked');
    };
    world.publisher.markStale({ lot_id: site.lot }, ['plates']);
    await settle();
    expect(failures).toBe(1);
    reader.transaction = transaction;
    await world.clock.advance(1_500);
    await waitUntil('the plate', () => 'ZGLATE1' in itemsOf(gateway, 'plates'));
  });
});

const sessionUid = (read: ReturnType<typeof entryRead>) => read.session?.session_uid as Uid;

describe('sessions', () => {
  it("are told to the lot's other gateways, with what of their own is in them", async () => {
    const { site } = world;
    const epoch = newOutboxEpoch();
    const [north, second] = [await joinConfigured(NORTH_GATEWAY, epoch), await joinConfigured(SECOND_GATEWAY)];
    const read = entryRead(site);
    expect(await north.sendRecords(batchOf(epoch, 0, [recordOf(1, read)]))).toMatchObject({ seq: 1, gap: false });
    await settle();
    await waitUntil('the session', () => sessionUid(read) in itemsOf(second, 'sessions'));
    await waitUntil('the own session', () => sessionUid(read) in itemsOf(north, 'sessions'));
    expect(itemsOf(second, 'sessions')[sessionUid(read)]).toEqual({
      uid: sessionUid(read),
      plate: 'ZG1234AB',
      zone_id: site.zone,
      began_ms: NOON_MS - 60_000,
      ended_ms: null,
    });
    expect(north.configs.at(-1)?.applied).toEqual({ epoch, seq: 1 });
    expect(second.configs.at(-1)?.applied?.seq).toBe(0);
  });

  it('have the plate that a person corrected within five seconds, also at the gateway that read it wrongly', async () => {
    const { site } = world;
    const epoch = newOutboxEpoch();
    const [north, second] = [await joinConfigured(NORTH_GATEWAY, epoch), await joinConfigured(SECOND_GATEWAY)];
    const read = entryRead(site, { reading: { plate: 'ZG1234A8' } });
    await north.sendRecords(batchOf(epoch, 0, [recordOf(1, read)]));
    await settle();
    const plateAt = (gateway: TestGateway) => itemsOf(gateway, 'sessions')[sessionUid(read)];
    await waitUntil('the session', () => plateAt(north) !== undefined && plateAt(second) !== undefined);
    const { corrected } = sessionCorrections({ configChanged: world.configChanged });
    await world.store.change(async (tx) => {
      const reading = await tx.selectFrom('plate_readings').selectAll().executeTakeFirstOrThrow();
      await corrected(tx, { reading, plate_normalised: 'ZG1234AB', now: world.clock.now() });
    });
    await world.clock.advance(5_000);
    for (const gateway of [north, second]) {
      await waitUntil('the right plate', () => JSON.stringify(plateAt(gateway)).includes('"plate":"ZG1234AB"'));
      expect(gateway.mismatches).toBe(0);
    }
    expect(world.pushed.map(({ event }) => event)).not.toContain('session_update');
  });

  it('stay with their end when a look-alike ended them, and go otherwise', async () => {
    const { site } = world;
    const epoch = newOutboxEpoch();
    const gateway = await joinConfigured(NORTH_GATEWAY, epoch);
    const [confused, gone] = [entryRead(site), entryRead(site, { reading: { plate: 'KA1' } })];
    const end = (read: typeof confused, plate: string, look_alike: boolean) =>
      exitRead(site, null, {
        reading: { plate },
        read: { session: { effect: 'end', session_uid: sessionUid(read), look_alike } },
      });
    const payloads = [confused, gone, end(confused, 'ZG1234A8', true), end(gone, 'KA1', false)];
    await gateway.sendRecords(
      batchOf(
        epoch,
        0,
        payloads.map((payload, index) => recordOf(index + 1, payload)),
      ),
    );
    await settle();
    await waitUntil('the sessions', () => gateway.configs.at(-1)?.applied?.seq === 4);
    expect(itemsOf(gateway, 'sessions')).toEqual({
      [sessionUid(confused)]: expect.objectContaining({ ended_ms: NOON_MS - 1_000 }),
    });
  });

  it('are still told as applied when they began and ended between two messages', async () => {
    const { site } = world;
    const epoch = newOutboxEpoch();
    const gateway = await joinConfigured(NORTH_GATEWAY, epoch);
    const before = gateway.configs.length;
    await gateway.sendRecords(batchOf(epoch, 0, [recordOf(1, entryRead(site))]));
    await world.store.change(async (tx) => {
      const ended = { ended_at: NOON_MS, exit_type: 'account' as const, exit_source_id: site.account };
      await tx.updateTable('sessions').set(ended).execute();
    });
    await settle();
    await waitUntil('the message', () => gateway.configs.length > before);
    expect(gateway.configs.at(-1)).toMatchObject({
      section: 'sessions',
      upsert: {},
      remove: [],
      applied: { epoch, seq: 1 },
    });
  });

  it('never tell as applied what they do not contain, however reads and messages race', async () => {
    const { site } = world;
    const epoch = newOutboxEpoch();
    const gateway = await joinConfigured(NORTH_GATEWAY, epoch);
    const second = await joinConfigured(SECOND_GATEWAY);
    const reads = Array.from({ length: 60 }, (_, index) => entryRead(site, { reading: { plate: `RACE${index}` } }));
    const seqOf = new Map(reads.map((read, index) => [sessionUid(read) as string, index + 1]));
    for (const [index, read] of reads.entries()) {
      gateway.publish('records', batchOf(epoch, 0, [recordOf(index + 1, read)]));
      if (index % 7 === 0) await settle();
      if (index % 11 === 0) gateway.sayHello();
    }
    await waitUntil('the last read', async () => {
      await settle();
      return gateway.configs.at(-1)?.applied?.seq === 60;
    });
    const held = new Set<string>();
    for (const message of gateway.configs.filter(({ section }) => section === 'sessions')) {
      if (message.base === null) held.clear();
      for (const uid of Object.keys(message.upsert)) held.add(uid);
      const seqs = [...held].map((uid) => seqOf.get(uid) ?? 0).sort((a, b) => a - b);
      expect(seqs).toEqual(Array.from({ length: message.applied?.seq ?? 0 }, (_, index) => index + 1));
    }
    expect(gateway.mismatches).toBe(0);
    await waitUntil('all sessions at the other gateway', () => Object.keys(itemsOf(second, 'sessions')).length === 60);
    expect(second.mismatches).toBe(0);
  });
});
