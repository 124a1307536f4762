/** Members whose only plate was stored before members had several have it as the first. */
import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { membersByIds } from '../../../cloud/guests/member/member-queries.js';
import { addMemberPlates } from '../../../cloud/guests/member/member-tables.js';
import type { Schema } from '../../../cloud/kernel/store/entry.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import { addMember } from '../gateway/link-site.js';
import { storeWorld } from '../gateway/store-world.js';

const world = storeWorld('for each test');

it('as it is written, also with signs that no plate may have any more', async () => {
  const { store, site } = world;
  const written = ['ZG1234AB', 'ZG "1" \\ Č', ''];
  const ids = await store.change(async (tx) => {
    await tx.deleteFrom('members').execute();
    const made: number[] = [];
    for (const plate of written)
      made.push(await addMember(tx, { account_id: site.account, group_id: site.group, plate }));
    // As it was before the migration.
    await sql`drop table member_plates`.execute(tx);
    for (const column of ['plates', 'blocked_at', 'blocked_reason'])
      await sql`alter table members drop column ${sql.ref(column)}`.execute(tx);
    await addMemberPlates(tx as unknown as Schema);
    return made;
  });
  const members = await membersByIds(store.reader, ids);
  expect(
    members.map(({ plates, blocked_at, blocked_reason }) => [decodeJson(plates), blocked_at, blocked_reason]),
  ).toEqual(written.map((plate) => [plate === '' ? [] : [plate], null, null]));
  const rows = await store.reader.selectFrom('member_plates').selectAll().orderBy('member_id').execute();
  expect(rows).toEqual(
    written.slice(0, 2).map((plate, at) => ({
      member_id: ids[at],
      position: 0,
      account_id: site.account,
      license_plate: plate,
      plate_normalised: plate,
    })),
  );
});
