/** Members with several plates, and members who are blocked. */
import * as nodeCrypto from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createConfigBuilder } from '../../../cloud/doors/configuration/config-builder.js';
import { createProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { silentLogger } from '../../../shared/logger.js';
import { releaseLinks, secrets } from '../gateway/link-site.js';
import { OWNER_TOKEN, RIVAL_TOKEN, type RestWorld, startRestWorld } from '../http/rest-world.js';

interface Member {
  id: number;
  license_plate: string;
  plates: string[];
  blocked_at: string | null;
  blocked_reason: string | null;
}

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
const add = (name: string, changed: object) =>
  world.post<Member>('/v2/members', { name, group_ids: [group], ...changed });
const change = ({ id }: { id: number }, changed: object) => world.patch<Member>(`/v2/members/${id}`, changed);
const refused = ({ id }: { id: number }, changed: object) => world.refused('PATCH', `/v2/members/${id}`, changed);
const found = (plate: string) => world.ids(`/v2/members?filter=license_plate:eq:${plate}`);
const answerOf = async (method: string, path: string, json: object) =>
  (await world.cloud.ask(method, path, { json, token: OWNER_TOKEN })).body as {
    data: { id: number };
    warnings?: object[];
  };

/** Whether a gateway that got its configuration at `at`, and nothing since, lets the plate in then. */
async function isAdmittedOffline(plate: string, at: number): Promise<boolean> {
  const { zone, north: lot_id } = world.site;
  const builder = createConfigBuilder({
    secrets,
    crypto: createProtocolCrypto(nodeCrypto),
    releaseLinks,
    logger: silentLogger,
  });
  const items = await builder.lotSection(world.cloud.store.reader, 'plates', { lot_id, now });
  const config = [{ section: 'plates' as const, revision: 'r1', items: Object.fromEntries(items) }];
  const rules = createAccessRules({
    boot: { config, sessions: [] },
    sessions: createOpenSessions(),
    logger: silentLogger,
  });
  return rules.isWhitelisted(plate, { zone_id: zone, product_id: null, event_ms: at });
}

describe('the plates of a member', () => {
  it('are found, admitted and priced, each of them', async () => {
    const mia = await add('Mia', { plates: ['ZG 1', 'st-22'] });
    expect(mia).toMatchObject({ license_plate: 'ZG 1', plates: ['ZG 1', 'st-22'] });
    expect([await found('zg1'), await found('ST22'), await found('KA3')]).toEqual([[mia.id], [mia.id], []]);
    expect([await isAdmittedOffline('ST22', now), await isAdmittedOffline('KA3', now)]).toEqual([true, false]);
    const stay = { zone_id: world.site.zone, entry_license_plate: 'ST 22' };
    expect(await world.post('/v2/sessions', stay)).toMatchObject({ tariff_id: world.site.yen });
  });

  it('begin with license_plate, which changes the first of them', async () => {
    const mia = await add('Mia', { license_plate: 'ZG 1' });
    expect(await change(mia, { plates: ['ZG 1', 'ST 2', 'KA 3'] })).toMatchObject({ license_plate: 'ZG 1' });
    expect(await change(mia, { license_plate: 'RI 9' })).toMatchObject({ plates: ['RI 9', 'ST 2', 'KA 3'] });
    expect(await change(mia, { license_plate: 'KA 3' })).toMatchObject({ plates: ['KA 3', 'ST 2'] });
    expect(await change(mia, { license_plate: '' })).toMatchObject({ license_plate: 'ST 2', plates: ['ST 2'] });
    expect(await change(mia, { plates: [] })).toMatchObject({ license_plate: '', plates: [] });
    expect(await found('ST2')).toEqual([]);
    expect(await isAdmittedOffline('ST2', now)).toBe(false);
    const both = { license_plate: 'zg-5', plates: ['ZG 5', 'ZG 6'] };
    expect(await change(mia, both)).toMatchObject({ license_plate: 'ZG 5', plates: ['ZG 5', 'ZG 6'] });
    expect(await refused(mia, { license_plate: 'ZG 6', plates: ['ZG 5', 'ZG 6'] })).toEqual([422, '23 license_plate']);
    const wrong = { name: 'Ivo', license_plate: 'ZG 6', plates: ['ZG 5'] };
    expect(await world.refused('POST', '/v2/members', wrong)).toEqual([422, '23 license_plate']);
  });

  it('are at most ten, each once', async () => {
    const mia = await add('Mia', {});
    expect(await refused(mia, { plates: ['ZG 1', 'ST 2', 'zg-1'] })).toEqual([422, '23 plates.2']);
    const many = (count: number) => Array.from({ length: count }, (_, at) => `ZG ${at}`);
    expect(await refused(mia, { plates: many(11) })).toEqual([422, '23 plates']);
    expect(await change(mia, { plates: many(10) })).toMatchObject({ plates: many(10) });
  });

  it('go with the member', async () => {
    const mia = await add('Mia', { plates: ['ZG 1', 'ST 2'] });
    await world.remove(`/v2/members/${mia.id}`);
    const rows = await world.cloud.store.reader.selectFrom('member_plates').selectAll().execute();
    expect(rows).toEqual([]);
  });

  it('may be those of another member, which the answer warns of', async () => {
    await add('Ivo', { plates: ['ZG 1', 'ST 2'] });
    const made = await answerOf('POST', '/v2/members', { name: 'Mia', license_plate: 'st-2' });
    const warning = { code: 'plate_taken', message: 'Another member has this plate: Ivo' };
    expect(made.warnings).toEqual([{ ...warning, field: 'license_plate' }]);
    const path = `/v2/members/${made.data.id}`;
    const changed = await answerOf('PATCH', path, { plates: ['KA 1', 'zg1', 'KA 2'] });
    expect(changed.warnings).toEqual([{ ...warning, field: 'plates.1' }]);
    expect(await answerOf('PATCH', path, { name: 'Mia H.' })).not.toHaveProperty('warnings');
    expect(await answerOf('PATCH', path, { plates: ['KA 1'] })).not.toHaveProperty('warnings');
    // Members of others are no concern of theirs.
    expect(await world.ids('/v2/members', RIVAL_TOKEN)).toEqual([]);
  });
});

describe('a member who is blocked', () => {
  it('is not whitelisted from then on, and again when it is not any more', async () => {
    const mia = await add('Mia', { plates: ['ZG 1', 'ST 2'] });
    expect(mia).toMatchObject({ blocked_at: null, blocked_reason: null });
    world.notified();
    const blocked = await change(mia, { blocked_reason: 'Has not paid' });
    expect(blocked).toMatchObject({ blocked_at: isoOf(now), blocked_reason: 'Has not paid' });
    expect(world.notified()).toContain(world.site.north);
    for (const plate of ['ZG1', 'ST2']) expect(await isAdmittedOffline(plate, now)).toBe(false);
    expect(await world.ids('/v2/members?filter=blocked_at:isnotnull')).toEqual([mia.id]);
    expect(await change(mia, { blocked_reason: 'Owes' })).toMatchObject({
      blocked_at: isoOf(now),
      blocked_reason: 'Owes',
    });
    expect(await change(mia, { blocked_at: null })).toMatchObject({ blocked_at: null, blocked_reason: null });
    expect(await isAdmittedOffline('ST2', now)).toBe(true);
  });

  it('is blocked from its moment on, offline too, whichever ends first', async () => {
    const times = { valid_until: isoOf(now + 9_000), blocked_at: isoOf(now + 5_000) };
    await add('Mia', { plates: ['ZG 1'], ...times });
    await add('Ivo', { plates: ['ST 2'], valid_until: isoOf(now + 2_000), blocked_at: isoOf(now + 5_000) });
    const admitted = (plate: string) =>
      Promise.all([1_999, 2_000, 4_999, 5_000].map((after) => isAdmittedOffline(plate, now + after)));
    expect(await admitted('ZG1')).toEqual([true, true, true, false]);
    expect(await admitted('ST2')).toEqual([true, false, false, false]);
  });

  it('is asked for by would-admit, and pays as everybody', async () => {
    const camera = {
      zone_id: world.site.zone,
      device_id: 'cam-in',
      name: 'In',
      driver: 'hikvision',
      lpr_position: 'in',
    };
    const { id } = await world.post<{ id: number }>('/v2/lpr-cameras', camera);
    await add('Mia', { plates: ['KA 9', 'ZG 1'], blocked_at: isoOf(now) });
    const reasonAt = async (at: number) => {
      const asked = new URLSearchParams({ plate: 'ZG1', lpr_camera_id: String(id), at: isoOf(at) });
      const answer = await world.get(`/v2/lots/${world.site.north}/would-admit?${asked.toString()}`);
      return answer['access_decision_reason'];
    };
    expect([await reasonAt(now - 1), await reasonAt(now)]).toEqual(['whitelist', 'tariff']);
    const stay = { zone_id: world.site.zone, entry_license_plate: 'ZG 1' };
    expect(await world.post('/v2/sessions', stay)).toMatchObject({ tariff_id: world.site.tariff });
  });

  it('has a moment, and a reason only with it', async () => {
    const mia = await add('Mia', {});
    expect(await refused(mia, { blocked_at: '2026-01-01' })).toEqual([422, '23 blocked_at']);
    expect(await refused(mia, { blocked_at: null, blocked_reason: 'x' })).toEqual([422, '23 blocked_reason']);
    expect(await refused(mia, { blocked_reason: '' })).toEqual([422, '23 blocked_reason']);
    expect(await change(mia, { blocked_at: isoOf(now) })).toMatchObject({ blocked_reason: null });
  });
});
