import * as nodeCrypto from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createConfigBuilder } from '../../../cloud/doors/configuration/config-builder.js';
import { invalidateTokensOfProduct } from '../../../cloud/equipment/denial/denial-queries.js';
import { expireTokens, removeKeyLog } from '../../../cloud/guests/guest-key/key-queries.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { bindLicense, releaseLinks, secrets, SITE_MADE_MS } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';

const HOUR = 3_600_000;

const world = storeWorld('for each test');

interface GivenKey {
  product_id: number;
  plate: string | null;
  start: number;
  end: number | null;
  status?: NewRow<'operation_tokens'>['status'];
}

/** @returns the key log's id */
function giveKey({ product_id, plate, start, end, status = 'active' }: GivenKey): Promise<number> {
  const times = { created_at: SITE_MADE_MS, updated_at: SITE_MADE_MS };
  const owned = { account_id: world.site.account, product_id, ...times };
  const limits = { used_count: 0, is_unlimited: 1, credential_id: 1 };
  return world.store.change(async (tx) => {
    const { id } = await tx
      .insertInto('operation_tokens')
      .values({ ...owned, ...limits, status, start_time: start, end_time: end })
      .returning('id')
      .executeTakeFirstOrThrow();
    const receiver =
      plate === null
        ? ({ receiver_identifier: 'a@b.example', receiver_identifier_type: 'email', plate_normalised: null } as const)
        : ({ receiver_identifier: plate, receiver_identifier_type: 'license_plate', plate_normalised: plate } as const);
    const log = await tx
      .insertInto('key_logs')
      .values({ ...owned, ...receiver, name: 'Guest', operation_token_id: id, status })
      .returning('id')
      .executeTakeFirstOrThrow();
    return log.id;
  });
}

async function plates(lot_id = world.site.lot): Promise<Record<string, unknown>> {
  const builder = createConfigBuilder({
    secrets,
    crypto: createProtocolCrypto(nodeCrypto),
    releaseLinks,
    logger: world.logger,
  });
  const items = await builder.lotSection(world.store.reader, 'plates', { lot_id, now: world.clock.now() });
  for (const [, item] of items) expect(CONFIG_SECTIONS.plates.safeParse(item).error).toBeUndefined();
  return Object.fromEntries(items);
}

describe('what gateways are told of keys', () => {
  it('are the active ones of plates, with their product and times', async () => {
    const { site, clock } = world;
    const now = clock.now();
    await giveKey({ product_id: site.barrier, plate: 'ST55ABC', start: now - HOUR, end: now + HOUR });
    await giveKey({ product_id: site.gate, plate: 'ST55ABC', start: now + HOUR, end: null });
    await giveKey({ product_id: site.barrier, plate: null, start: now, end: null });
    await giveKey({ product_id: site.rivalProduct, plate: 'ST55ABC', start: now, end: null });
    for (const status of ['blocked', 'expired', 'invalid'] as const) {
      await giveKey({ product_id: site.barrier, plate: 'STNONE', start: now, end: null, status });
    }
    const before = await plates();
    expect(before.ST55ABC).toEqual({
      zone_ids: [],
      product_ids: [],
      keys: [
        { product_id: site.barrier, start_ms: now - HOUR, end_ms: now + HOUR },
        { product_id: site.gate, start_ms: now + HOUR, end_ms: null },
      ],
    });
    expect(Object.keys(before).toSorted()).toEqual(['ST55ABC', 'ZG777BB', 'ZGMIA1']);
    // Others have no word of keys.
    expect(before.ZGMIA1).not.toHaveProperty('keys');
    expect(Object.keys(await plates(site.rivalLot))).toEqual(['ST55ABC']);
  });

  it('stand beside what else the plate may do', async () => {
    const { site } = world;
    await giveKey({ product_id: site.gate, plate: 'ZG777BB', start: 0, end: null });
    await world.store.change((tx) => bindLicense(tx, { product_id: site.gate, plate: 'ZGMIA1' }));
    expect(await plates()).toMatchObject({
      ZG777BB: { product_ids: [site.barrier], keys: [{ product_id: site.gate, start_ms: 0, end_ms: null }] },
      ZGMIA1: { zone_ids: [site.zone], product_ids: [site.gate] },
    });
  });

  it('end with the key: by its time, by a hand, with its product', async () => {
    const { site, clock, store } = world;
    const now = clock.now();
    await giveKey({ product_id: site.barrier, plate: 'STTIME', start: now - HOUR, end: now + HOUR });
    const byHand = await giveKey({ product_id: site.barrier, plate: 'STHAND', start: now - HOUR, end: null });
    await giveKey({ product_id: site.gate, plate: 'STGATE', start: now - HOUR, end: null });
    const known = async () => Object.keys(await plates()).filter((plate) => plate.startsWith('ST'));
    expect(await known()).toEqual(['STGATE', 'STHAND', 'STTIME']);
    clock.jumpWall(HOUR);
    expect(await known()).toEqual(['STGATE', 'STHAND']);
    expect(await store.change((tx) => expireTokens(tx, clock.now()))).toEqual({ count: 1, lot_ids: [site.lot] });
    await store.change((tx) => removeKeyLog(tx, { id: byHand, now: clock.now() }));
    expect(await known()).toEqual(['STGATE']);
    await store.change((tx) => invalidateTokensOfProduct(tx, { id: site.gate, now: clock.now() }));
    expect(await known()).toEqual([]);
    const logs = await store.reader.selectFrom('key_logs').select(['plate_normalised', 'status']).execute();
    expect(logs.map(({ plate_normalised, status }) => `${plate_normalised} ${status}`)).toEqual([
      'STTIME expired',
      'STHAND deleted',
      'STGATE invalid',
    ]);
  });
});
