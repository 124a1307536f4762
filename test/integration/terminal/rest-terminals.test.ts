import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TERMINAL_ANSWER } from '../../../cloud/equipment/terminal/terminal-resource.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, insertTerminal, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

const PATH = '/v2/terminals';

describe('terminals over REST', () => {
  let world: RestWorld;
  /** In North, in South, in no zone, and the rival's. */
  let [north, south, loose, foreign] = [0, 0, 0, 0];
  beforeAll(async () => {
    world = await startRestWorld();
    const { site, cloud } = world;
    const terminal = (device_id: string, account_id: number, zone_id: number | null) =>
      insertTerminal(cloud.store, { account_id, zone_id, device_id, name: `Terminal ${device_id}` });
    north = await terminal('term-n', site.harbour, site.zone);
    south = await terminal('term-s', site.harbour, site.southZone);
    loose = await terminal('term-l', site.harbour, null);
    foreign = await terminal('term-f', site.rival, site.rivalZone);
  });
  afterAll(() => world.cloud.close());

  it('show every key of the specification, and never their public key', async () => {
    const terminal = TERMINAL_ANSWER.schema.parse(await world.get(`${PATH}/${north}`));
    expect(terminal).toEqual({
      id: north,
      zone_id: world.site.zone,
      name: 'Terminal term-n',
      status: 'online',
      device_id: 'term-n',
      ip_address: '192.0.2.7',
      version: '1.2.3',
      mac: '02:00:00:00:00:01',
      is_master: true,
      type: 'pof',
      pos_serial_number: null,
      electronic_device_id: null,
      system_currency: null,
      last_seen: null,
      created_at: '1970-01-01T00:00:01.000Z',
      updated_at: '1970-01-01T00:00:01.000Z',
    });
  });

  it('are put into a zone and changed in part; what they tell of themselves is not', async () => {
    const { site } = world;
    const path = `${PATH}/${loose}`;
    const changed = await world.patch(path, { zone_id: site.zone, is_master: false, type: 'exit' });
    expect(changed).toMatchObject({ zone_id: site.zone, is_master: false, type: 'exit', name: 'Terminal term-l' });
    const numbers = { pos_serial_number: 'POS-1', electronic_device_id: 'E-1', system_currency: 'EUR' };
    expect(await world.patch(path, { ...numbers, zone_id: null })).toMatchObject({ ...numbers, zone_id: null });
    const wrong = { name: '', type: 'kiosk', is_master: 1, system_currency: 'XQQ', zone_id: site.rivalZone };
    expect(await world.refused('PATCH', path, { ...wrong, status: 'offline', device_id: 'other' })).toEqual([
      422,
      '23 name',
      '23 is_master',
      '23 type',
      '23 system_currency',
      '23 status',
      '23 device_id',
      '23 zone_id',
    ]);
    expect(await world.refused('PATCH', path, { zone_id: site.southZone }, ADMIN_TOKEN)).toEqual([422, '23 zone_id']);
    expect(world.notified()).toEqual([]);
  });

  it('are listed by lot, zone, status, device and name', async () => {
    const { site } = world;
    const ids = (query: string, token?: string) => world.ids(`${PATH}?${query}`, token);
    expect(await ids('')).toEqual([loose, south, north]);
    expect(await ids('sort=name:desc')).toEqual([south, north, loose]);
    expect(await ids(`filter=lot_id:eq:${site.south}`)).toEqual([south]);
    expect(await ids(`filter=zone_id:eq:${site.zone}`)).toEqual([north]);
    expect(await ids('filter=zone_id:isnull')).toEqual([loose]);
    expect(await ids('filter=device_id:in:term-n,term-f')).toEqual([north]);
    expect(await ids('filter=name:like:TERM-S&filter=status:eq:online')).toEqual([south]);
    expect(await ids('filter=status:eq:offline')).toEqual([]);
    expect(await world.refused('GET', `${PATH}?filter=status:eq:asleep`)).toEqual([422, '23 filter']);
    expect(await world.refused('GET', `${PATH}?filter=mac:eq:x`)).toEqual([422, '23 filter']);
    expect(await ids('', GUARD_TOKEN)).toEqual([loose, north]);
    expect(await ids('', RIVAL_TOKEN)).toEqual([foreign]);
  });

  it('are deleted with what they were', async () => {
    expect(await world.remove(`${PATH}/${south}`)).toMatchObject({ id: south, device_id: 'term-s' });
    expect(await world.refused('GET', `${PATH}/${south}`)).toEqual([404, '6']);
    expect(await world.refused('DELETE', `${PATH}/${foreign}`)).toEqual([404, '6']);
    // A zone that goes leaves its terminals.
    await world.remove(`/v2/zones/${world.site.zone}`);
    expect(await world.get(`${PATH}/${north}`)).toMatchObject({ zone_id: null });
  });
});
