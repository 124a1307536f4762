/** The tables that the migrations make have the columns that the fields of the resources need. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColumnMetadata, TableMetadata } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { RESOURCES } from '../../../cloud/all-resources.js';
import { WEBHOOK_FIELDS } from '../../../cloud/doors/webhook/webhook-fields.js';
import { PRODUCT_ERROR_FIELDS } from '../../../cloud/equipment/product/product-fields.js';
import { KEY_RECEIVER_FIELDS, OPERATION_KEY_FIELDS } from '../../../cloud/guests/guest-key/key-log-fields.js';
import {
  identity,
  inner,
  nameValue,
  referenceTo,
  required,
  timeOrNullField,
  withDefault,
} from '../../../cloud/rest/entry.js';
import type { Definition } from '../../../cloud/rest/field/field.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { differencesOf } from './table-of-fields.js';

const NEXT = Object.keys(MIGRATIONS).length + 1;
/** Tables with fields that are no resource of site files. */
const OTHERS = [
  { table: 'webhooks', one: 'webhook', definition: WEBHOOK_FIELDS },
  { table: 'product_errors', one: 'product error', definition: PRODUCT_ERROR_FIELDS },
  { table: 'operation_keys', one: 'operation key', definition: OPERATION_KEY_FIELDS },
  { table: 'key_receivers', one: 'key receiver', definition: KEY_RECEIVER_FIELDS },
];

describe('the table of every resource', () => {
  let tables: TableMetadata[];
  beforeAll(async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tables-'));
    const url = `sqlite:${directory}/cloud.db`;
    const store = await openMigratedStore({ url, clock: new FakeClock(), logger: silentLogger });
    tables = await store.reader.introspection.getTables();
    await store.close();
    rmSync(directory, { recursive: true });
  });

  it.each([...RESOURCES, ...OTHERS])('$table has the columns that its fields need, and no others', (resource) => {
    const columns = tables.find(({ name }) => name === resource.table)?.columns ?? [];
    expect(differencesOf(resource, columns, NEXT)).toEqual([]);
  });
});

describe('a field and its column', () => {
  const GUEST = { id: identity, name: required(nameValue), seen_at: timeOrNullField() };
  const column = (name: string, dataType: string, isNullable = false): ColumnMetadata => {
    const isAutoIncrementing = name === 'id';
    return { name, dataType, isNullable, isAutoIncrementing, hasDefaultValue: false };
  };
  const ID = column('id', 'integer', true);
  const NAME = column('name', 'text');
  const SEEN = column('seen_at', 'bigint', true);
  const differences = (definition: Definition, ...present: ColumnMetadata[]) =>
    differencesOf({ table: 'guests', one: 'guest', definition }, present, 9);

  it.each([
    ['SQLite', [ID, NAME, SEEN]],
    ['PostgreSQL', [column('id', 'int8'), NAME, column('seen_at', 'int8', true)]],
  ])('fit on %s', (_, present) => {
    expect(differences(GUEST, ...present)).toEqual([]);
  });

  it('get the line of the migration where it is missing', () => {
    const more = {
      ...GUEST,
      title: withDefault(nameValue, 'Ms'),
      weight: withDefault(z.number(), 0),
      lot: referenceTo('lots', { id: 'lot_id', isNullable: true }),
      heard_at: inner('bigint'),
    };
    expect(differences(more, ID, NAME)).toEqual([
      "'0009-guest-seen-at': addColumns('guests', { seen_at: 'bigint null', title: { type: 'text', default: 'Ms' }, weight: { type: 'double precision', default: 0 }, lot_id: { refersTo: 'lots' }, heard_at: { type: 'bigint', default: 0 } }),",
    ]);
  });

  it('differ in null or type', () => {
    expect(differences(GUEST, ID, column('name', 'text', true), column('seen_at', 'integer', true))).toEqual([
      "guests.name is 'text null': its field needs 'text'",
      "guests.seen_at is 'integer null': its field needs 'bigint null'",
    ]);
  });

  it('part when the field goes', () => {
    expect(differences({ id: identity, name: GUEST.name }, ID, NAME, SEEN)).toEqual([
      'guests.seen_at is left over: no field needs it',
    ]);
  });
});
