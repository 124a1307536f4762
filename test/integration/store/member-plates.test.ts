/** Members whose only plate was stored before members had several have it as the first. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, expect, it } from 'vitest';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { membersByIds } from '../../../cloud/guests/member/member-queries.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { silentLogger } from '../../../shared/logger.js';
import { accountRow } from '../../conformance/account-row.js';
import { FakeClock } from '../../world/fake-clock.js';
import { TEST_SECRETS } from '../../world/migrated-store.js';
import { insertId } from '../gateway/link-site.js';

const directory = mkdtempSync(join(tmpdir(), 'member-plates-'));
afterEach(() => rmSync(directory, { recursive: true, force: true }));

it('as it is written, also with signs that no plate may have any more', async () => {
  const url = `sqlite:${join(directory, 'cloud.db')}`;
  const options = { url, clock: new FakeClock(), logger: silentLogger, derive: TEST_SECRETS.derive };
  const store = await createCloudStore(options);
  const earlier = Object.entries(MIGRATIONS).filter(([name]) => name < '0011');
  await store.migrate(Object.fromEntries(earlier));
  const written = ['ZG1234AB', 'ZG "1" \\ Č', ''];
  const account_id = await store.change(async (tx) => {
    const id = await insertId(tx, 'accounts', accountRow('Harbour'));
    for (const plate of written)
      await sql`
        insert into members (account_id, name, description, email, license_plate, plate_normalised, created_at, updated_at)
        values (${id}, 'Mia', '', '', ${plate}, ${plate}, 1, 1)
      `.execute(tx);
    return id;
  });
  await store.migrate(MIGRATIONS);
  const members = await membersByIds(store.reader, [1, 2, 3]);
  const shown = members.map(({ plates, blocked_at, blocked_reason }) => [
    decodeJson(plates),
    blocked_at,
    blocked_reason,
  ]);
  expect(shown).toEqual(written.map((plate) => [plate === '' ? [] : [plate], null, null]));
  const rows = await store.reader.selectFrom('member_plates').selectAll().orderBy('member_id').execute();
  expect(rows).toEqual(
    written.slice(0, 2).map((plate, at) => ({
      member_id: at + 1,
      position: 0,
      account_id,
      license_plate: plate,
      plate_normalised: plate,
    })),
  );
  await store.close();
});
