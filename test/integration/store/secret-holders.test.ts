/** The present secrets of a database of the version before are those of the devices that have them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { TEST_SECRETS } from '../../world/migrated-store.js';
import { accountRow } from '../../conformance/account-row.js';
import { cameraRow, gatewayRow, insertId, lotRow, secrets, zoneRow } from '../gateway/link-site.js';

const directory = mkdtempSync(join(tmpdir(), 'secret-holders-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('gives what is stored to the devices that have it, and nothing where nothing is stored', async () => {
  const url = `sqlite:${join(directory, 'cloud.db')}`;
  const options = { url, clock: new FakeClock(), logger: silentLogger, derive: TEST_SECRETS.derive };
  const store = await createCloudStore(options);
  const baseline = MIGRATIONS['0001-baseline'];
  if (baseline === undefined) throw new Error('there is no baseline');
  await store.migrate({ '0001-baseline': baseline });
  const times = { created_at: 1, updated_at: 1 };
  const gateways = await store.change(async (tx) => {
    const account_id = await insertId(tx, 'accounts', accountRow('Harbour'));
    const lot_id = await insertId(tx, 'lots', lotRow(account_id, 'North'));
    const zone_id = await insertId(tx, 'zones', zoneRow(account_id, lot_id, 'Level 0'));
    const pi = { ...gatewayRow({ account_id, lot_id, slot: 1, name: 'Pi' }), uuid: 'u', public_key: 'KEY' };
    const claimed = await insertId(tx, 'gateways', pi);
    const waiting = await insertId(tx, 'gateways', gatewayRow({ account_id, lot_id, slot: 2, name: 'New' }));
    const camera = (gateway_id: number, device_id: string) =>
      cameraRow({ account_id, zone_id, gateway_id, product_id: null, device_id });
    const password_sealed = secrets.seal('camera_password', 'p');
    const push_key_sealed = secrets.seal('camera_push_key', 'k');
    await insertId(tx, 'lpr_cameras', { ...camera(claimed, 'a'), password_sealed, address: 'http://x/?key=K' });
    await insertId(tx, 'lpr_cameras', { ...camera(waiting, 'b'), push_key_sealed });
    await insertId(tx, 'lpr_cameras', camera(claimed, 'c'));
    const display = { account_id, lot_id, zone_id: null, driver: 'http', template: '', stale_text: '', ...times };
    await insertId(tx, 'rgb_displays', { ...display, name: 'S', gateway_id: null, address: 'http://a:b@x/' });
    return { claimed, waiting };
  });
  await store.migrate(MIGRATIONS);
  const holders = (table: 'lpr_cameras' | 'rgb_displays') =>
    store.reader.selectFrom(table).select('secrets_for').orderBy('id').execute();
  expect((await holders('lpr_cameras')).map(({ secrets_for }) => JSON.parse(secrets_for ?? ''))).toEqual([
    { address: 'device:KEY', password: 'device:KEY' },
    { push_key: `gateway:${gateways.waiting}` },
    {},
  ]);
  expect(await holders('rgb_displays')).toEqual([{ secrets_for: '{"address":null}' }]);
  await store.close();
});
