/** A plate filter whose value is no plate finds nothing, in every list and export that has such a filter. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PLATE_RULES } from '../../../cloud/rest/list/filter-parser.js';
import { fetchDocument, isPublic } from '../../contract/openapi-document.js';
import { someOf } from '../../depth.js';
import { OWNER_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';

const PLATES = ['ZG 1', 'KA 5'];
/** Values of which normalising leaves nothing; a NUL and an empty text among them. */
const NO_PLATES = ['%', '_', '\0', '-', '', ' - ', '%,_'];

describe('a plate filter', () => {
  let world: RestWorld;
  let product: number;
  /** Path and field of every list that has a plate filter. */
  const fields = new Map<string, string>();

  const ask = (path: string, filter: string) =>
    world.cloud.ask('GET', `${path}?filter=${encodeURIComponent(filter)}`, { token: OWNER_TOKEN });
  /** How many rows the answer has: a CSV has a line of headings; the analytics count sessions. */
  async function rowsOf(path: string, filter: string): Promise<number> {
    const { status, body, text } = await ask(path, filter);
    expect([path, filter, status]).toEqual([path, filter, 200]);
    if (path.endsWith('/export')) return text.trim().split('\r\n').length - 1;
    if (Array.isArray(body.data)) return body.data.length;
    return (body.data as { totals: { sessions_count: number } }).totals.sessions_count;
  }

  beforeAll(async () => {
    world = await startRestWorld();
    const { zone } = world.site;
    const made = { device_id: 'a4c138000001', name: 'Barrier', product_type_id: 1, zone_id: zone };
    product = (await world.post<{ id: number }>('/v2/products', made)).id;
    for (const plate of PLATES) {
      await world.post('/v2/sessions', { zone_id: zone, entry_license_plate: plate });
      await world.post('/v2/members', { name: plate, license_plate: plate });
      await world.post('/v2/license-plate-alerts', { name: plate, plates: [plate], zone_id: zone });
      await world.post(`/v2/products/${product}/bound-licenses`, { license_plate: plate });
    }
    const document = await fetchDocument(world.cloud.base);
    for (const [template, { get }] of Object.entries(document.paths)) {
      const path = template.replace('{id}', String(product));
      if (get === undefined || isPublic(get) || path.includes('{')) continue;
      // What has no filters disregards them.
      if ((await ask(path, 'no_field:eq:1')).status !== 422) continue;
      for (const field of ['plate', 'license_plate'])
        if ((await ask(path, `${field}:eq:ZG1`)).status === 200) fields.set(path, field);
    }
  });
  afterAll(() => world.cloud.close());

  it('is in these lists and exports', () => {
    expect([...fields.keys()].toSorted()).toEqual([
      '/v2/license-plate-alerts',
      '/v2/members',
      '/v2/plate-readings',
      '/v2/plate-readings/export',
      `/v2/products/${product}/bound-licenses`,
      '/v2/sessions',
      '/v2/sessions/analytics',
      '/v2/sessions/export',
      '/v2/sessions/vehicle-analytics',
      '/v2/sessions/vehicle-analytics/export',
    ]);
  });

  it('finds both vehicles, and each by its plate', async () => {
    for (const [path, field] of fields) {
      const found = await Promise.all([
        rowsOf(path, `${field}:isnotnull`),
        rowsOf(path, `${field}:eq:zg-1`),
        rowsOf(path, `${field}:nlike:zg`),
        rowsOf(path, `${field}:in:%,zg 1`),
        rowsOf(path, `${field}:nin:_,zg 1`),
        rowsOf(path, `${field}:match:z?-*`),
        rowsOf(path, `${field}:look_alike:2G 1`),
      ]);
      expect([path, ...found]).toEqual([path, 2, 1, 1, 1, 1, 1, 1]);
    }
  });

  it.each(PLATE_RULES.filter((rule) => !rule.startsWith('is')))(
    'finds nothing by %s with a value that has no letter and no digit',
    async (rule) => {
      const found: unknown[] = [];
      for (const [index, [path, field]] of [...fields].entries()) {
        for (const value of someOf(NO_PLATES, 3, index + rule.length)) {
          const rows = await rowsOf(path, `${field}:${rule}:${value}`);
          if (rows > 0) found.push([path, value, rows]);
        }
      }
      expect(found).toEqual([]);
    },
  );
});
