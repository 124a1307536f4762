/**
 * Which transactions take which lock: on a database with many writers nothing else keeps them apart. Each operation is done by its own
 * service or route, and a commit that wrote the table must have held the lock.
 */
import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ownChange } from '../../../cloud/kernel/audit/audit-note.js';
import { claimGateway } from '../../../cloud/equipment/gateway/claim.js';
import { createPresenceTracker } from '../../../cloud/equipment/gateway/presence.js';
import { deleteProcess, leasesToChange, saveLeases } from '../../../cloud/kernel/peers/peer-queries.js';
import { createMailDispatcher, MAIL_LIMITS } from '../../../cloud/site/mail/mail-dispatcher.js';
import { queueMail } from '../../../cloud/site/mail/mail-queue-queries.js';
import { createMailWriter } from '../../../cloud/site/mail/write-mail.js';
import { findProductDetails } from '../../../cloud/equipment/product/product-detail-queries.js';
import { hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { isTerminalOfAnother } from '../../../cloud/equipment/terminal/terminal-queries.js';
import { LOCKS } from '../../../cloud/kernel/store/locks.js';
import type { CommittedChange } from '../../../cloud/kernel/store/transaction.js';
import { gatewayUuidSchema, productDeviceIdSchema } from '../../../shared/ids.js';
import { silentLogger } from '../../../shared/logger.js';
import { encodeAdvertisement } from '../../../shared/product-protocol/advertisement-codec.js';
import { bytesToHex } from '../../../shared/product-protocol/bytes.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { heardBarrier } from '../product/heard-barrier.js';
import { NORTH_GATEWAY, secrets } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { API_TOKEN, OWNER_TOKEN, PASSWORD, seedSite, type Site } from '../http/http-site.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { wireBatch, entryRead, newOutboxEpoch, newUid, recordOf } from '../ingest/gateway-records.js';
import { KEY_CONTENT, LINKS } from '../mail/mail-world.js';
import { createApplyWorld } from '../../unit/site/apply-world.js';
import { FULL_SITE_TEXT } from '../../unit/site/full-site-text.js';
import { commandResultOf } from '../../world/agent-records.js';
import { noteHeard } from '../product/note-heard.js';
import { productReportsOf } from '../../world/product-reports.js';

type LockName = keyof typeof LOCKS;
const NEWCOMER = { email: 'newcomer@harbour.example', name: 'New', password: PASSWORD };

/** Locks that a test here has seen taken. */
const seen = new Set<LockName>();
let commits: CommittedChange[] = [];
const onCommitted = (change: CommittedChange) => void commits.push(change);
beforeEach(() => {
  commits = [];
});
afterEach(() => {
  // Who comes out of order may have to begin again: write down at `LOCKS` why it cannot be helped, or keep to its order.
  expect(commits.flatMap(({ outOfOrder }) => outOfOrder)).toEqual([]);
});

/** The commits that wrote the table all held the lock, and there was one. */
function expectLocked(name: LockName, lock: { name: string }, table: string): void {
  const writing = commits.filter(({ written }) => written === 'any' || written.has(table));
  expect(writing.length, `commits that wrote ${table}`).toBeGreaterThan(0);
  expect(writing.map(({ locks }) => locks.has(lock.name))).toEqual(writing.map(() => true));
  seen.add(name);
}

describe('over REST', () => {
  let cloud: CloudWorld;
  let site: Site;
  beforeEach(async () => {
    cloud = await startCloudWorld({ onCommitted });
    site = await seedSite(cloud.store);
    commits = [];
  });
  afterEach(() => cloud.close());

  async function done<T>(method: string, path: string, json?: unknown, token = OWNER_TOKEN): Promise<T> {
    const { status, body } = await cloud.ask(method, path, { token, ...(json === undefined ? {} : { json }) });
    expect({ path, status, errors: body.errors }).toEqual({ path, status: 200, errors: undefined });
    return body.data as T;
  }

  it('a sign-in replaces the tokens of its user alone', async () => {
    await done('POST', '/v2/auth/login', { email: 'owner@harbour.example', password: PASSWORD });
    expectLocked('userTokens', LOCKS.userTokens(site.owner), 'user_tokens');
    expectLocked('auditChain', LOCKS.auditChain, 'audit_log');
  });

  it('a user is made and given another address alone', async () => {
    const { id } = await done<{ id: number }>('POST', '/v2/account-users', { ...NEWCOMER, role_id: 3 });
    await done('PATCH', `/v2/account-users/${id}`, { email: 'newer@harbour.example' });
    expectLocked('userEmails', LOCKS.userEmails, 'account_users');
  });

  it('a user loses its role and its account beside no other Super Admin', async () => {
    const { id } = await done<{ id: number }>('POST', '/v2/account-users', { ...NEWCOMER, role_id: 1 });
    commits = [];
    await done('PATCH', `/v2/account-users/${id}`, { role_id: 2 });
    await done('DELETE', `/v2/account-users/${id}`);
    expectLocked('superAdmins', LOCKS.superAdmins, 'account_users');
  });

  it('members are imported alone, line by line', async () => {
    const lines = [{ line: 2, name: 'Ana', license_plate: 'ZG 1' }];
    const { id } = await done<{ id: number }>('POST', '/v2/member-imports', { lines });
    const status = async () => (await done<{ status: string }>('GET', `/v2/member-imports/${id}`)).status;
    await expect.poll(status).toBe('done');
    expectLocked('memberImports', LOCKS.memberImports(site.harbour), 'member_imports');
  });

  it('a webhook is counted and made alone, and its deliveries are made in one turn', async () => {
    await done('POST', '/v2/webhooks', { url: 'http://127.0.0.1:9/' });
    expectLocked('webhooks', LOCKS.webhooks(site.harbour), 'webhooks');
    commits = [];
    await cloud.store.change(async (tx) => {
      const payload = { uuid: 'a', status: 'online' } as const;
      tx.journal({ account_id: site.harbour, lot_id: site.north, event: 'gateway_status', payload });
    });
    await expect
      .poll(() => commits.some(({ written }) => written !== 'any' && written.has('webhook_deliveries')))
      .toBe(true);
    expectLocked('deliveries', LOCKS.deliveries('webhook_deliveries'), 'webhook_deliveries');
  });

  it('a key is made, changed and ended beside no deletion of its product', async () => {
    const master_key = 'ab'.repeat(32);
    const body = { device_id: 'a4c138000077', name: 'Gate', product_type_id: 2, lot_id: site.north, master_key };
    const { id: product_id } = await done<{ id: number }>('POST', '/v2/products', body);
    const receiver = { receiver_identifier: 'ana@guest.example', receiver_identifier_type: 'email' };
    const key = { product_id, name: 'Ana', ...receiver, start_time: '2026-01-01T00:00:00Z' };
    commits = [];
    const { id } = await done<{ id: number }>('POST', '/v2/key-logs', key);
    await done('PATCH', '/v2/key-logs', { ids: [id], status: 'blocked' });
    await done('DELETE', `/v2/key-logs/${id}`);
    await done('POST', '/v2/key-logs', key);
    await done('DELETE', `/v2/products/${product_id}`);
    expectLocked('productKeys', LOCKS.productKeys(product_id), 'operation_tokens');
    expectLocked('productKeys', LOCKS.productKeys(product_id), 'key_logs');
  });

  it('a mail is tried in one turn', async () => {
    const { store, clock } = cloud;
    const mail = { kind: 'key', to: 'ana@example.com', locale: null, content: KEY_CONTENT, lot_id: null } as const;
    await store.change((tx) => queueMail(tx, { ...mail, account_id: site.harbour }, clock.now()));
    commits = [];
    const dispatcher = createMailDispatcher({
      store,
      sender: { send: async () => ({ end: 'accepted' }) },
      write: createMailWriter(LINKS),
      generateMessageId: () => '<1@harbour.example>',
      clock,
      random: () => 0,
      logger: silentLogger,
      limits: MAIL_LIMITS,
      isAlone: false,
      measure() {},
    });
    await expect.poll(() => commits.some(({ written }) => written !== 'any' && written.has('mails'))).toBe(true);
    await dispatcher.close();
    expectLocked('deliveries', LOCKS.deliveries('mails'), 'mails');
  });

  it('a gateway gets its slot alone', async () => {
    const { id } = await done<{ id: number }>('POST', '/v2/gateways', { name: 'Gate', lot_id: site.north });
    await done('PATCH', `/v2/gateways/${id}`, { lot_id: site.south });
    expectLocked('gatewaySlots', LOCKS.gatewaySlots, 'gateways');
  });

  it('a session begins, is changed, paid and closed beside no other of its lot', async () => {
    const zone = await done<{ id: number }>('POST', '/v2/zones', { name: 'Level', lot_id: site.north });
    const zone_id = zone.id;
    const begun = await done<{ id: number }>(
      'POST',
      '/v2/sessions',
      { zone_id, entry_license_plate: 'ZG1' },
      API_TOKEN,
    );
    await done('PATCH', `/v2/sessions/${begun.id}`, { discount_time: 5, entry_license_plate: 'ZG2' });
    await done('POST', `/v2/sessions/${begun.id}/close`, {});
    expectLocked('openSessions', LOCKS.openSessions(site.north), 'sessions');
  });

  it('a record is written beside no other writer of it', async () => {
    const { id } = await done<{ id: number }>('POST', '/v2/members', { name: 'Mia' });
    commits = [];
    await done('PATCH', `/v2/members/${id}`, { name: 'Mio' });
    expectLocked('record', LOCKS.record(`/v2/members/${id}`), 'members');
  });
});

describe('with gateways', () => {
  let world: StoreWorld;
  beforeEach(async () => {
    world = await createStoreWorld({ onCommitted });
    commits = [];
  });
  afterEach(() => world.close());

  const send = async (...payloads: unknown[]) => {
    const records = payloads.map((payload, index) => recordOf(index + 1, payload));
    await world.ingest.apply(NORTH_GATEWAY, wireBatch(newOutboxEpoch(), 0, records));
    expect(await world.store.reader.selectFrom('dead_letters').select('reason').execute()).toEqual([]);
  };

  it('records follow the cursor of their gateway, and sessions those of their lot', async () => {
    await send(entryRead(world.site));
    expectLocked('ingest', LOCKS.ingest(world.site.gateway), 'ingest_cursors');
    expectLocked('openSessions', LOCKS.openSessions(world.site.lot), 'sessions');
  });

  it('places of a lot are counted alone', async () => {
    const { site, store } = world;
    const owner = { account_id: site.account, lot_id: site.lot, created_at: 1, updated_at: 1 };
    const place = await store.change(async (tx) => {
      const sensors = { driver: 'modbus-tcp', address: '127.0.0.1:1502', unit: 1, poll_ms: 1_000, heartbeat_s: 30 };
      const { id } = await tx
        .insertInto('parking_gateways')
        .values({ ...owner, ...sensors, gateway_id: site.gateway, name: 'Guidance', status: 'offline' })
        .returning('id')
        .executeTakeFirstOrThrow();
      return tx
        .insertInto('parking_places')
        .values({
          ...owner,
          zone_id: site.zone,
          name: 'A1',
          occupancy_status: 'free',
          parking_gateway_id: id,
          sensor: '1',
        })
        .returning('id')
        .executeTakeFirstOrThrow();
    });
    commits = [];
    await send({
      kind: 'place_change',
      parking_place_id: place.id,
      occupancy_status: 'occupied',
      event_ms: world.clock.now(),
    });
    expectLocked('occupancy', LOCKS.occupancy(site.lot), 'parking_places');
  });

  it('a product has one command at a time, whose steps and word are written one after the other', async () => {
    const { site, store, orders: commands } = world;
    await noteHeard(world, site.barrier, { gateway_id: site.gateway, rssi: -50 });
    const barrier = await findProductDetails(store.reader, site.barrier);
    if (barrier === null) throw new Error('there is no barrier');
    const event_id = await commands.operate(ownChange(store), barrier, { operation: 'open' });
    expectLocked('pendingCommands', LOCKS.pendingCommands(site.barrier), 'commands');
    commits = [];
    await send(commandResultOf({ event_id, product_id: site.barrier }));
    expectLocked('command', LOCKS.command(event_id), 'command_attempts');
    expectLocked('productState', LOCKS.productState(site.barrier), 'products');
  });

  it('a product is reported, and given up, beside no other report of it', async () => {
    const { site } = world;
    const reports = productReportsOf(world, { receptions: world.receptions });
    await reports.handleReport(NORTH_GATEWAY, { products: [heardBarrier(site.barrier, 'a4c138000001')] });
    await expect
      .poll(async () => {
        await world.clock.advance(60_000);
        return commits.filter(({ written }) => written !== 'any' && written.has('products')).length;
      })
      .toBe(2);
    await reports.close();
    expectLocked('productState', LOCKS.productState(site.barrier), 'products');
  });

  it('cloud processes take over gateways one after the other', async () => {
    await world.store.change(async (tx) => {
      await leasesToChange(tx);
      await saveLeases(tx, 'a process', [7]);
    });
    await world.store.change((tx) => deleteProcess(tx, 'a process'));
    expectLocked('gatewayLeases', LOCKS.gatewayLeases, 'gateway_leases');
  });

  it('the presence of a gateway is written in its order', async () => {
    const presence = createPresenceTracker({ ...world, seenWithinMs: 120_000, startGraceMs: 60_000, onOffline() {} });
    await presence.handlePresence(NORTH_GATEWAY, { status: 'online', boot_id: newUid(), connection: 1 });
    await presence.close();
    expectLocked('presence', LOCKS.presence(NORTH_GATEWAY), 'gateways');
  });

  it('a claim code is used alone', async () => {
    const { store, site } = world;
    await store.change((tx) =>
      tx
        .updateTable('gateways')
        .set({ claim_code_hash: hashToken('CODE'), claimed_at: null, uuid: null })
        .where('id', '=', site.spareGateway)
        .execute(),
    );
    commits = [];
    const { publicKey, privateKey } = nodeCrypto.generateKeyPairSync('ed25519');
    const uuid = gatewayUuidSchema.parse('0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01');
    const claim = claimGateway({
      ...world,
      secrets,
      mqtt: { url: 'mqtt://cloud.example:1883', ca: null, passwordFor: ({ password }) => password },
      configOf: async () => [],
      onClaimed: async () => {},
    });
    const body = {
      claim_code: 'CODE',
      uuid,
      public_key: publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64url'),
      signature: nodeCrypto.sign(null, Buffer.from(`CODE.${uuid}`), privateKey).toString('base64url'),
    };
    await claim(body, ownChange(store));
    expectLocked('claims', LOCKS.claims, 'gateways');
  });

  /** Without that of the webhooks, which look for what is due when the world begins. */
  const locksAsked = () =>
    commits.flatMap(({ locks }) => [...locks]).filter((name) => name !== LOCKS.deliveries('webhook_deliveries').name);

  it("a terminal becomes an account's alone", async () => {
    const { store } = world;
    await store.change((tx) => isTerminalOfAnother(tx, { account_id: 1, public_key: 'key' }));
    expect(locksAsked()).toEqual([LOCKS.terminalKey('key').name]);
    seen.add('terminalKey');
  });

  it('the keys that a product is offered are numbered alone', async () => {
    const { store, commands, site } = world;
    const deviceId = productDeviceIdSchema.parse('a4c138000001');
    const product = { id: site.barrier, lot_id: site.lot, device_id: deviceId, pairing_epoch: 0 };
    const advertisement = bytesToHex(
      encodeAdvertisement(createProtocolCrypto(nodeCrypto), {
        advertisementKey: new Uint8Array(32),
        content: {
          type: 'barrier',
          deviceId,
          state: 'closed',
          carOnTop: false,
          autoClose: false,
          permanentPosition: 'disabled',
          errors: 0,
          battery: null,
          changeCounter: 1,
          pairingEpochLow: 1,
          advSeq: 1,
        },
      }),
    );
    await store.change((tx) => commands.pairings.adoptSeen(tx, { product, advertisement }));
    expect(locksAsked()).toEqual([LOCKS.pairing(site.barrier).name]);
    seen.add('pairing');
  });
});

it('a site file is applied alone', async () => {
  const world = await createApplyWorld({ onCommitted });
  try {
    expect((await world.apply(FULL_SITE_TEXT)).code).toBe(0);
    for (const table of ['lots', 'gateways', 'account_users']) expectLocked('site', LOCKS.site, table);
    expectLocked('gatewaySlots', LOCKS.gatewaySlots, 'gateway_slots');
    expectLocked('userEmails', LOCKS.userEmails, 'account_users');
    expectLocked('superAdmins', LOCKS.superAdmins, 'account_users');
    expectLocked('auditChain', LOCKS.auditChain, 'audit_log');
    // Its keys are made, changed and removed while their products neither go nor are paired anew.
    const later = FULL_SITE_TEXT.replace('2027-01-01T00:00:00+01:00', '2028-01-01T00:00:00Z').replace(
      /.*name: Guest.*\n/,
      '',
    );
    commits = [];
    expect((await world.apply(later, { prune: true })).code).toBe(0);
    expect((await world.apply(FULL_SITE_TEXT)).code).toBe(0);
    const products = await world.store.reader.selectFrom('products').select('id').execute();
    expect(products.length).toBeGreaterThan(0);
    for (const { id } of products)
      for (const table of ['key_logs', 'operation_tokens', 'weblinks'])
        expectLocked('productKeys', LOCKS.productKeys(id), table);
  } finally {
    await world.close();
  }
});

it('leaves no lock without a test', () => {
  expect([...seen].toSorted()).toEqual(Object.keys(LOCKS).toSorted());
});
