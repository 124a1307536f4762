/** Members who have a beginning or an end. */
import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createConfigBuilder } from '../../../cloud/doors/configuration/config-builder.js';
import { CONFIG_SECTIONS } from '../../../shared/gateway-config.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { silentLogger } from '../../../shared/logger.js';
import { releaseLinks, secrets } from '../gateway/link-site.js';
import { OWNER_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

const HOUR = 3_600_000;

let world: RestWorld;
let now: number;
let group: number;
beforeEach(async () => {
  world = await startRestWorld();
  now = world.cloud.clock.now();
  const of = { zone_ids: [world.site.zone], tariff_ids: [world.site.yen] };
  ({ id: group } = await world.post<{ id: number }>('/v2/groups', { name: 'Season', ...of }));
});
afterEach(() => world.cloud.close());

const isoOf = (ms: number) => new Date(ms).toISOString();
const begin = (entry_license_plate: string) =>
  world.post<{ id: number; tariff_id: number }>('/v2/sessions', { zone_id: world.site.zone, entry_license_plate });

/** Makes a member who has the plate for the next hour but one. */
const addMember = (
  license_plate: string,
  times: object = { valid_from: isoOf(now + HOUR), valid_until: isoOf(now + 2 * HOUR) },
) => world.post<{ id: number }>('/v2/members', { name: license_plate, license_plate, group_ids: [group], ...times });

describe('a member with times', () => {
  it('is shown with them, changed, and found by them', async () => {
    const { id } = await addMember('ZG1');
    const { id: always } = await addMember('ZG2', {});
    const path = `/v2/members/${id}`;
    expect(await world.get(path)).toMatchObject({ valid_from: isoOf(now + HOUR), valid_until: isoOf(now + 2 * HOUR) });
    expect(await world.get(`/v2/members/${always}`)).toMatchObject({ valid_from: null, valid_until: null });
    expect(await world.ids(`/v2/members?filter=valid_until:gt:${isoOf(now)}`)).toEqual([id]);
    expect(await world.ids(`/v2/members?filter=valid_from:lt:${isoOf(now)}`)).toEqual([]);
    world.notified();
    expect(await world.patch(path, { valid_until: null })).toMatchObject({ valid_until: null });
    expect(world.notified()).toContain(world.site.north);
  });

  it('has an end after the beginning', async () => {
    const times = { valid_from: isoOf(now), valid_until: isoOf(now) };
    const { body } = await world.cloud.ask('POST', '/v2/members', {
      json: { name: 'Mia', ...times },
      token: OWNER_TOKEN,
    });
    expect(body.errors).toEqual([{ code: 23, field: 'valid_until', message: 'Must be after valid_from' }]);
    const { id } = await addMember('ZG1', { valid_from: isoOf(now) });
    const refused = await world.refused('PATCH', `/v2/members/${id}`, { valid_until: isoOf(now - 1) });
    expect(refused).toEqual([422, '23 valid_until']);
  });

  it('is whitelisted from the beginning until just before the end', async () => {
    const camera = {
      zone_id: world.site.zone,
      device_id: 'cam-in',
      name: 'In',
      driver: 'hikvision',
      lpr_position: 'in',
    };
    const { id } = await world.post<{ id: number }>('/v2/lpr-cameras', camera);
    await addMember('ZG1');
    const reasonAt = async (at: number) => {
      const asked = new URLSearchParams({ plate: 'ZG1', lpr_camera_id: String(id), at: isoOf(at) });
      const answer = await world.get(`/v2/lots/${world.site.north}/would-admit?${asked.toString()}`);
      return answer['access_decision_reason'];
    };
    const edges = [now + HOUR - 1, now + HOUR, now + 2 * HOUR - 1, now + 2 * HOUR];
    expect(await Promise.all(edges.map(reasonAt))).toEqual(['tariff', 'whitelist', 'whitelist', 'tariff']);
  });

  it("has the group's tariff for what begins in the time, the zone's for all else", async () => {
    const { yen, tariff } = world.site;
    await addMember('ZG1');
    await addMember('ZG2', { valid_until: isoOf(now + 1) });
    expect(await begin('ZG1')).toMatchObject({ tariff_id: tariff });
    expect(await begin('ZG2')).toMatchObject({ tariff_id: yen });
    const later = await begin('ZG9');
    await addMember('ZG3', { valid_from: isoOf(now + 1) });
    const corrected = await world.patch(`/v2/sessions/${later.id}`, { entry_license_plate: 'ZG3' });
    expect(corrected).toMatchObject({ tariff_id: tariff });
  });

  it('is told to the gateways with them, and no more when they are over', async () => {
    await addMember('ZG1');
    await addMember('ZG2', {});
    await addMember('ZG3', { valid_until: isoOf(now + HOUR) });
    const { zone: zone_id, north: lot_id } = world.site;
    const builder = createConfigBuilder({
      secrets,
      crypto: createProtocolCrypto(nodeCrypto),
      releaseLinks,
      logger: silentLogger,
    });
    const platesAt = async (at: number) => {
      const items = await builder.lotSection(world.cloud.store.reader, 'plates', { lot_id, now: at });
      for (const [, item] of items) expect(CONFIG_SECTIONS.plates.safeParse(item).error).toBeUndefined();
      return Object.fromEntries(items);
    };
    const always = { zone_ids: [zone_id], product_ids: [] };
    const timed = (start_ms: number | null, end_ms: number | null) => ({
      zone_ids: [],
      product_ids: [],
      members: [{ zone_id, start_ms, end_ms }],
    });
    expect(await platesAt(now)).toEqual({
      ZG1: timed(now + HOUR, now + 2 * HOUR),
      ZG2: always,
      ZG3: timed(null, now + HOUR),
    });
    expect(await platesAt(now + 2 * HOUR)).toEqual({ ZG2: always });
  });

  it('is no look-alike when the time is over', async () => {
    await addMember('ZG1234AB', { valid_until: isoOf(now) });
    await addMember('ZG1234A8');
    expect(await world.get(`/v2/lots/${world.site.north}/plate-collisions`)).toEqual([]);
  });
});
