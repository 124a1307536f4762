/** A replay goes over the readings of one lot in the order of an index, however many lots its account has. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countReadings, readingsAfter } from '../../../cloud/traffic/access/replay-queries.js';
import { type CloudWorld, startCloudWorld } from '../http/http-world.js';
import { plansOf } from '../list/query-plans.js';
import { onPostgres } from '../../world/postgres-databases.js';

const RANGE = { lot: { id: 1, account_id: 1, account: 'Harbour', name: 'North' }, from: 0, to: 1_000 };

describe.skipIf(onPostgres())('the readings of a replay', () => {
  let cloud: CloudWorld;
  beforeAll(async () => {
    cloud = await startCloudWorld();
  });
  afterAll(() => cloud.close());

  it('come from the index of the lot, without a sort', async () => {
    const [plan = []] = await plansOf(cloud.store, (db) =>
      readingsAfter(db, RANGE, { after: { created_at: 0, id: 0 }, limit: 10 }),
    );
    expect(plan.join('\n')).toContain('plate_readings_lot_id_created_at (lot_id=? AND created_at');
    expect(plan.join('\n')).not.toContain('TEMP B-TREE');
    const [counted = []] = await plansOf(cloud.store, (db) => countReadings(db, RANGE));
    expect(counted.join('\n')).toContain('plate_readings_lot_id_created_at');
  });
});
