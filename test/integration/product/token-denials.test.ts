/** Denials on their way to products: which record goes to which gateway, when it goes again, and what the product's answer means. */
import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mintingCredentials } from '../../../cloud/guests/guest-key/guest-credentials.js';
import {
  denialOfToken,
  denyCredentials,
  invalidateTokensOfProduct,
} from '../../../cloud/equipment/denial/denial-queries.js';
import { type AdminDispatcher, createAdminDispatcher } from '../../../cloud/equipment/product/admin-dispatcher.js';
import {
  createProductReceptions,
  type ProductReceptions,
} from '../../../cloud/equipment/product/product-receptions.js';
import type { ProductReports } from '../../../cloud/equipment/product/product-reports.js';
import { revokeGatewaySlot } from '../../../cloud/equipment/gateway/slot-revocation-queries.js';
import { PRODUCT_TYPE_IDS, productDeviceIdSchema } from '../../../shared/ids.js';
import { type AdminRecord, openAdminRecord } from '../../../shared/product-protocol/admin-record.js';
import { decodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { decodeToken, NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import { type AdminMessage, adminMessageSchema } from '../../../shared/uplink-orders.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import { NORTH_GATEWAY, RIVAL_GATEWAY, SECOND_GATEWAY, secrets, SITE_MADE_MS } from '../gateway/link-site.js';
import { createStoreWorld, type StoreWorld } from '../gateway/link-world.js';
import { heardBarrier } from './heard-barrier.js';
import { noteHeard } from './note-heard.js';
import { MINUTE_MS } from '../../../shared/durations.js';
import { productReportsOf } from '../../world/product-reports.js';

const crypto = createProtocolCrypto(nodeCrypto);
const DEVICE = productDeviceIdSchema.parse('a4c138000001');

let world: StoreWorld;
let sent: { uuid: string; message: AdminMessage }[];
let receptions: ProductReceptions;
let dispatcher: AdminDispatcher;
let reports: ProductReports;

beforeEach(async () => {
  world = await createStoreWorld();
  receptions = createProductReceptions({ clock: world.clock, seenWithinMs: 120_000 });
  sent = [];
  const broker = {
    async publish(uuid: string, _channel: string, payload: string) {
      sent.push({ uuid, message: adminMessageSchema.parse(JSON.parse(payload)) });
    },
  };
  dispatcher = createAdminDispatcher({ ...world, broker, receptions, secrets, crypto });
  reports = productReportsOf(world, { receptions, adminDispatcher: dispatcher });
});
afterEach(async () => {
  await dispatcher.close();
  await reports.close();
  await world.close();
});

/** @returns the token's id, which is its credential_id too */
function giveToken(more: { end_time?: number | null; credential_id: number }): Promise<number> {
  const { end_time = null, credential_id } = more;
  return world.store.change(async (tx) => {
    const row = {
      account_id: world.site.account,
      product_id: world.site.barrier,
      start_time: 0,
      end_time,
      credential_id,
    };
    const times = { created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS };
    const { id } = await tx
      .insertInto('operation_tokens')
      .values({ ...row, ...times, status: 'active', used_count: 0, is_unlimited: 1, deleted_at: null })
      .returning('id')
      .executeTakeFirstOrThrow();
    return id;
  });
}

async function block(...ids: number[]): Promise<void> {
  const now = world.clock.now();
  await world.store.change(async (tx) => {
    await denyCredentials(tx, { operation_token_ids: ids, now });
    await tx.updateTable('operation_tokens').set({ status: 'blocked' }).where('id', 'in', ids).execute();
  });
}

async function report(more: Partial<ProductReport> = {}, uuid = NORTH_GATEWAY): Promise<void> {
  await reports.handleReport(uuid, { products: [heardBarrier(world.site.barrier, DEVICE, more)] });
}

function recordOf(at: number): AdminRecord {
  const identity = { deviceId: DEVICE, pairingEpoch: 1 };
  const masterKey = new Uint8Array(32).fill(PRODUCT_TYPE_IDS.barrier);
  const { admin: adminKey } = deriveProductKeys(crypto, { masterKey, ...identity });
  const bytes = decodeBase64url(sent.at(at)?.message.record ?? '') ?? new Uint8Array();
  const record = openAdminRecord(crypto, { adminKey, identity, bytes });
  if (record === null) throw new Error(`${sent.length} records were sent; that one is none of the product's`);
  return record;
}

/** The product's answer to the last record, as its gateway reports it. */
const answered = (error_type: number | null) => ({ admin: { serial: recordOf(-1).serial, error_type } });

async function isDelivered(credential_id: number): Promise<boolean> {
  const row = await world.store.reader
    .selectFrom('token_denials')
    .select('delivered_at')
    .where('credential_id', '=', credential_id)
    .executeTakeFirstOrThrow();
  return row.delivered_at !== null;
}

describe('a denial beside a revocation', () => {
  it('waits for it: a gateway brings one record at a time', async () => {
    const token = await giveToken({ credential_id: 77 });
    await block(token);
    const gateway = await world.store.reader
      .selectFrom('gateways')
      .selectAll()
      .where('id', '=', world.site.secondGateway)
      .executeTakeFirstOrThrow();
    await world.store.change((tx) => revokeGatewaySlot(tx, { ...gateway, public_key: 'a' }, world.clock.now()));
    await report();
    expect(sent).toHaveLength(1);
    expect(recordOf(0).action).toMatchObject({ kind: 'raise_gen', slot: gateway.slot });
    dispatcher.sendDenials([world.site.barrier]);
    await dispatcher.close();
    await report();
    expect(sent).toHaveLength(1);
    await report(answered(null));
    expect(recordOf(-1).action).toMatchObject({ kind: 'deny', id: 77 });
    await report(answered(null));
    expect([sent.length, await isDelivered(77)]).toEqual([2, true]);
  });
});

describe('a denial', () => {
  it('goes with the next report of any gateway that hears the product, and is delivered when the product says so', async () => {
    const end = world.clock.now() + 3_600_000;
    const token = await giveToken({ credential_id: 77, end_time: end });
    await report();
    expect(sent).toEqual([]);
    await block(token);
    await report({}, RIVAL_GATEWAY);
    await report({ status: 'offline', rssi: null });
    expect(sent).toEqual([]);
    await report({}, SECOND_GATEWAY);
    expect(sent.map(({ uuid, message }) => [uuid, message.device_id])).toEqual([[SECOND_GATEWAY, DEVICE]]);
    expect(recordOf(0)).toEqual({
      serial: Math.floor(world.clock.now() / 1_000),
      action: { kind: 'deny', id: 77, expiresS: end / 1_000 },
    });
    expect(await isDelivered(77)).toBe(false);
    await report({ admin: { serial: 1, error_type: null } });
    expect(await isDelivered(77)).toBe(false);
    await report(answered(null), SECOND_GATEWAY);
    expect(await isDelivered(77)).toBe(true);
    await world.clock.advance(60 * MINUTE_MS);
    await report(answered(null), SECOND_GATEWAY);
    expect(sent).toHaveLength(1);
  });

  it('goes at once to the gateway that hears the product best', async () => {
    await noteHeard({ ...world, receptions }, world.site.barrier, { gateway_id: world.site.gateway, rssi: -80 });
    await noteHeard({ ...world, receptions }, world.site.barrier, { gateway_id: world.site.secondGateway, rssi: -50 });
    const token = await giveToken({ credential_id: 77 });
    dispatcher.sendDenials([world.site.barrier]);
    await block(token);
    dispatcher.sendDenials([world.site.barrier, world.site.barrier, world.site.gate, 999_999]);
    await dispatcher.close();
    expect(sent.map(({ uuid }) => uuid)).toEqual([SECOND_GATEWAY]);
    expect(recordOf(0).action).toEqual({ kind: 'deny', id: 77, expiresS: NO_EXPIRY_S });
  });

  it('waits for the one before it, and follows it at once', async () => {
    await block(await giveToken({ credential_id: 1 }), await giveToken({ credential_id: 2 }));
    await report();
    await report({}, SECOND_GATEWAY);
    expect(sent).toHaveLength(1);
    await report(answered(null));
    expect(sent).toHaveLength(2);
    expect([recordOf(0).action, recordOf(1).action]).toMatchObject([{ id: 1 }, { id: 2 }]);
    expect(recordOf(1).serial).toBeGreaterThan(recordOf(0).serial);
  });

  it('goes again with a higher serial when nothing came back, less and less often', async () => {
    await block(await giveToken({ credential_id: 1 }));
    const minutes: number[] = [];
    for (let minute = 0; minute < 60; minute++) {
      const before = sent.length;
      await report({}, minute % 2 === 0 ? NORTH_GATEWAY : SECOND_GATEWAY);
      if (sent.length > before) minutes.push(minute);
      await world.clock.advance(MINUTE_MS);
    }
    expect(minutes).toEqual([0, 1, 3, 7, 15, 30, 45]);
    const serials = sent.map((_each, at) => recordOf(at).serial);
    expect(serials).toEqual(serials.toSorted((a, b) => a - b));
    expect(new Set(serials).size).toBe(serials.length);
  });

  it('is told again later when the product refuses it, and counts once', async () => {
    await block(await giveToken({ credential_id: 1 }));
    await report();
    const refusal = answered(1);
    for (let time = 0; time < 5; time++) await report(refusal);
    expect(sent).toHaveLength(1);
    expect(world.log.filter(({ message }) => message.includes('did not accept'))).toHaveLength(1);
    await world.clock.advance(MINUTE_MS);
    await report(refusal);
    expect(sent).toHaveLength(2);
    await report(answered(null));
    expect(await isDelivered(1)).toBe(true);
  });

  it('is told no more for a token that ends by itself meanwhile', async () => {
    await block(await giveToken({ credential_id: 1, end_time: world.clock.now() + MINUTE_MS }));
    await world.clock.advance(MINUTE_MS);
    await report();
    expect(sent).toEqual([]);
  });

  it('is needed for no token that has ended, is blocked already, or whose product has no master key', async () => {
    const { store, site, clock } = world;
    await block(await giveToken({ credential_id: 1, end_time: clock.now() }));
    const twice = await giveToken({ credential_id: 2 });
    await block(twice);
    await block(twice);
    await store.change((tx) =>
      tx.updateTable('products').set({ master_key_sealed: null }).where('id', '=', site.barrier).execute(),
    );
    await block(await giveToken({ credential_id: 3 }));
    const rows = await store.reader.selectFrom('token_denials').select('credential_id').execute();
    expect(rows).toEqual([{ credential_id: 2 }]);
    await report();
    expect(sent).toEqual([]);
  });

  it('is forgotten when the product is paired anew', async () => {
    const { store, site, clock } = world;
    const token = await giveToken({ credential_id: 1 });
    await block(token);
    await store.change((tx) => invalidateTokensOfProduct(tx, { id: site.barrier, now: clock.now() }));
    await report();
    expect(sent).toEqual([]);
    expect(await denialOfToken(store.reader, { id: token, credential_id: 1 })).toBeUndefined();
  });
});

describe('a product that can deny no further id', () => {
  it('has its generation raised instead, and all keys get credentials of that', async () => {
    const { store, site } = world;
    await block(await giveToken({ credential_id: 1 }), await giveToken({ credential_id: 2 }));
    const alive = await giveToken({ credential_id: 3 });
    await report();
    // The first answer was lost: the product has raised its generation twice.
    await world.clock.advance(MINUTE_MS);
    await report();
    await report(answered(11));
    expect(recordOf(-1).action).toEqual({ kind: 'raise_gen', slot: 16, gen: 2 });
    expect([await isDelivered(1), await isDelivered(2)]).toEqual([false, false]);
    await report(answered(null));
    expect([await isDelivered(1), await isDelivered(2)]).toEqual([true, true]);
    const product = await store.reader
      .selectFrom('products')
      .selectAll()
      .where('id', '=', site.barrier)
      .executeTakeFirstOrThrow();
    const token = await store.reader
      .selectFrom('operation_tokens')
      .selectAll()
      .where('id', '=', alive)
      .executeTakeFirstOrThrow();
    const { token_open } = mintingCredentials({ secrets, crypto, logger: world.logger })(token, product);
    expect(decodeToken(decodeBase64url(token_open.token) ?? new Uint8Array())).toMatchObject({ gen: 2, id: 3 });
  });

  it('is left alone at the last generation, and the log says what to do', async () => {
    const { store, site } = world;
    await block(await giveToken({ credential_id: 1 }));
    await store.change((tx) =>
      tx.updateTable('products').set({ guest_generation: 255 }).where('id', '=', site.barrier).execute(),
    );
    await report();
    await report(answered(11));
    expect(sent).toHaveLength(1);
    expect(world.log.map(({ message }) => message)).toContain(
      'a product can deny no further credentials: pair it anew',
    );
  });
});
