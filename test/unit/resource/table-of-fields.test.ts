/** The tables that the migrations make have the columns that the fields of the resources need. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ColumnMetadata } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { RESOURCES } from '../../../cloud/all-resources.js';
import { WEBHOOK_FIELDS } from '../../../cloud/doors/webhook/webhook-fields.js';
import { MEMBER_FIELDS } from '../../../cloud/guests/member/member-fields.js';
import { inner, nameValue, referenceTo, timeOrNullField, withDefault } from '../../../cloud/rest/entry.js';
import { silentLogger } from '../../../shared/logger.js';
import { FakeClock } from '../../world/fake-clock.js';
import { openMigratedStore } from '../../world/migrated-store.js';
import { differencesOf } from './table-of-fields.js';

const NEXT = Object.keys(MIGRATIONS).length + 1;
const WEBHOOK = { table: 'webhooks', one: 'webhook', definition: WEBHOOK_FIELDS };

let columns: ReadonlyMap<string, ColumnMetadata[]>;
beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tables-'));
  const url = `sqlite:${directory}/cloud.db`;
  const store = await openMigratedStore({ url, clock: new FakeClock(), logger: silentLogger });
  const tables = await store.reader.introspection.getTables();
  columns = new Map(tables.map((each) => [each.name, each.columns]));
  await store.close();
  directories.push(directory);
});
const directories: string[] = [];
afterAll(() => directories.forEach((directory) => rmSync(directory, { recursive: true })));

const columnsOf = (table: string): ColumnMetadata[] => columns.get(table) ?? [];

describe('the table of every resource', () => {
  it.each([...RESOURCES, WEBHOOK])('$table has the columns that its fields need, and no others', (resource) => {
    expect(differencesOf(resource, columnsOf(resource.table), NEXT)).toEqual([]);
  });
});

describe('a field and its column', () => {
  const differences = (more: object, present = columnsOf('members')) =>
    differencesOf({ table: 'members', one: 'member', definition: { ...MEMBER_FIELDS, ...more } }, present, 9);
  const changed = (name: string, change: Partial<ColumnMetadata>) =>
    columnsOf('members').map((each) => (each.name === name ? { ...each, ...change } : each));

  it('without a migration get its line', () => {
    const fields = {
      ends_at: timeOrNullField(),
      title: withDefault(nameValue, 'Ms'),
      weight: withDefault(z.number(), 0),
      lot: referenceTo('lots', { id: 'lot_id', isNullable: true }),
      told_at: inner('bigint'),
    };
    expect(differences(fields)).toEqual([
      "'0009-member-ends-at': addColumns('members', { ends_at: 'bigint null', title: { type: 'text', default: 'Ms' }, weight: { type: 'double precision', default: 0 }, lot_id: { refersTo: 'lots' }, told_at: { type: 'bigint', default: 0 } }),",
    ]);
  });

  it('differ in type or null', () => {
    expect(differences({}, changed('email', { isNullable: true }))).toEqual([
      "members.email is 'text null': its field needs 'text'",
    ]);
    expect(differences({}, changed('created_at', { dataType: 'integer' }))).toEqual([
      "members.created_at is 'integer': its field needs 'bigint'",
    ]);
    expect(differences({ email: timeOrNullField() })).toEqual([
      "members.email is 'text': its field needs 'bigint null'",
    ]);
  });

  it('part when the field goes', () => {
    const { description: _, ...definition } = MEMBER_FIELDS;
    expect(differencesOf({ table: 'members', one: 'member', definition }, columnsOf('members'), 9)).toEqual([
      'members.description is left over: no field needs it',
    ]);
  });
});
