import { describe, expect, it } from 'vitest';
import { RESOURCES, siteSchema } from '../../../cloud/all-resources.js';
import { actionOf, targetOf } from '../../../cloud/rest/request/audited-request.js';
import { auditAction, auditTarget } from '../../../cloud/rest/resource/audit-word.js';
import { fileFieldsOf, restFieldsOf } from '../../../cloud/rest/resource/resource.js';

const placed = RESOURCES.flatMap((resource) => (resource.file === null ? [] : [{ ...resource, file: resource.file }]));
const managed = RESOURCES.flatMap((resource) => (resource.rest === null ? [] : [{ ...resource, rest: resource.rest }]));

/** Texts that fields take: each field takes one of them at least, or none that is free. */
const TEXTS = [
  'plain text',
  'ZG 1234 AB',
  'http://10.0.0.5/',
  'somebody@example.com',
  '+385 21 123456',
  'Europe/Zagreb',
  '10.0.0.5:502',
  'HARBOUR-NORTH-0001',
];
/** Only their hashes are stored. */
const HASHED = new Set(['account_users.password']);

/** Secrets that are sent to no address of their thing: a camera sends its push key itself, and no wire has the master key of a product. */
const NOT_SENT = ['lpr_cameras.push_key', 'products.master_key'];

describe('every resource', () => {
  it.each(RESOURCES)('$table: no text holds a NUL, half a character or an escape', ({ table, ...resource }) => {
    const accepted: unknown[] = [];
    const fields = Object.entries({ ...restFieldsOf(resource), ...fileFieldsOf(resource) });
    for (const [name, { value, reference }] of fields) {
      // What a reference names is looked up.
      if (HASHED.has(`${table}.${name}`) || reference !== undefined) continue;
      const accepts = (text: string) => value.safeParse(text).success || value.safeParse([text]).success;
      for (const text of TEXTS.filter(accepts)) {
        for (const strange of ['\0', '\x1b', '\u0085', '\ud800', '\udfff']) {
          const spoiled = `${text.slice(0, -1)}${strange}${text.slice(-1)}`;
          if (accepts(spoiled)) accepted.push([name, spoiled]);
        }
      }
    }
    expect(accepted).toEqual([]);
  });

  it.each(RESOURCES)('$table: says of each secret to which of its addresses it is sent', ({ table, ...resource }) => {
    const fields = { ...restFieldsOf(resource), ...fileFieldsOf(resource) };
    for (const [name, { secret }] of Object.entries(fields)) {
      if (secret === undefined) continue;
      if (secret.sentTo === null) expect(NOT_SENT).toContain(`${table}.${name}`);
      else expect(Object.keys(fields)).toContain(secret.sentTo);
    }
  });

  it('has a table of its own', () => {
    const tables = RESOURCES.map(({ table }) => table);
    expect(new Set(tables).size).toBe(tables.length);
  });

  it.each(managed)('$table: the audit log has one word for it, whoever changes it', (resource) => {
    const { path } = resource.rest;
    expect(actionOf({ method: 'post', path })).toBe(auditAction(resource, 'create'));
    expect(actionOf({ method: 'patch', path: `${path}/{id}` })).toBe(auditAction(resource, 'update'));
    expect(actionOf({ method: 'delete', path: `${path}/{id}` })).toBe(auditAction(resource, 'delete'));
    expect(targetOf(`${path}/{id}`, { id: 5 }, undefined)).toBe(auditTarget(resource, 5));
  });

  it.each(placed)('$table: comes after what it names and what it stands in', ({ table, file, ...resource }) => {
    const index = RESOURCES.findIndex((other) => other.table === table);
    const before = new Set<string>(RESOURCES.slice(0, index).map((other) => other.table));
    const named = Object.values({ ...resource.restFields, ...fileFieldsOf(resource) }).flatMap(({ reference }) =>
      reference === undefined || reference.pairs !== null ? [] : [reference.to],
    );
    expect(named.filter((other) => !before.has(other))).toEqual([]);
    const above = placed.find((other) => other.file.at.join() === file.at.slice(0, -1).join());
    expect(file.at.length === 0 || before.has(above?.table ?? 'accounts')).toBe(true);
  });

  it.each(placed)('$table: stands where the schema of site files has it', ({ file, ...resource }) => {
    // One item in each list that leads to it, with an unknown key: the schema tells which keys are known.
    const { textField } = file;
    const inside = [...file.at].reduceRight<unknown>(
      (item, key) => ({ [key]: [item] }),
      textField ? 1 : { unknown: 1 },
    );
    const { error } = siteSchema.safeParse({ version: 1, accounts: [inside] });
    const path = ['accounts', 0, ...file.at.flatMap((key) => [key, 0])].join('.');
    const own = (error?.issues ?? []).filter((issue) => issue.path.join('.') === path);
    if (textField === undefined) {
      const [allowed = ''] = own.map(({ message }) => message);
      const known = allowed.replace('unknown key; allowed: ', '').split(', ');
      expect(known).toEqual(expect.arrayContaining(Object.keys(fileFieldsOf(resource))));
    } else expect(own).toMatchObject([{ code: 'invalid_type' }]);
  });

  it.each(managed)('$table: has a default, is optional or has to be given, each field in one way', (resource) => {
    for (const [name, field] of Object.entries(restFieldsOf(resource))) {
      expect([name, field.default !== undefined && field.isOptional === true]).toEqual([name, false]);
    }
  });
});
