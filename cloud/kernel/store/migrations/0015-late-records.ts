/** What late records need of lots that a gateway left, of deleted parking gateways, and of the groups of deleted zones. */
import { sql } from 'kysely';
import {
  create,
  createPostgresTrigger,
  ID,
  INTEGER,
  isPostgres,
  partOf,
  type Schema,
  TEXT,
  TIME,
  TIMESTAMPS,
} from './create-table.js';

export async function up(db: Schema): Promise<void> {
  await create(db, 'former_gateway_lots', {
    columns: { id: ID, gateway_id: partOf('gateways'), lot_id: INTEGER },
    unique: [['gateway_id', 'lot_id']],
  });
  // A trigger sees every way out of a lot: REST, the site file, and the foreign key when the lot is deleted.
  await followGatewaysThatLeave(db);
  await create(db, 'deleted_parking_gateways', {
    columns: {
      id: INTEGER,
      account_id: INTEGER,
      lot_id: INTEGER,
      name: TEXT,
      deleted_at: TIME,
      ...TIMESTAMPS,
      gateway_id: partOf('gateways'),
    },
    primaryKey: ['id'],
  });
  await create(db, 'former_place_watches', {
    columns: { parking_place_id: partOf('parking_places'), gateway_id: partOf('gateways') },
    primaryKey: ['parking_place_id', 'gateway_id'],
  });
  await create(db, 'deleted_zone_groups', {
    columns: { group_id: partOf('groups'), zone_id: INTEGER },
    primaryKey: ['group_id', 'zone_id'],
  });
}

async function followGatewaysThatLeave(db: Schema): Promise<void> {
  const body = `
    delete from former_gateway_lots where gateway_id = old.id and lot_id = old.lot_id;
    insert into former_gateway_lots (gateway_id, lot_id) values (old.id, old.lot_id);
  `;
  if (isPostgres(db)) {
    const when = sql`after update of lot_id on gateways
      for each row when (old.lot_id is not null and old.lot_id is distinct from new.lot_id)`;
    await createPostgresTrigger(db, 'gateways_leave_lot', { when, body });
    return;
  }
  await sql`
    create trigger gateways_leave_lot after update of lot_id on gateways
    when old.lot_id is not null and old.lot_id is not new.lot_id
    begin ${sql.raw(body)} end
  `.execute(db);
}
