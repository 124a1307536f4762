/** `parking-cloud audit verify`: what is printed, and the exit code. */
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AuditVerifyOptions, runAuditVerify } from '../../../cloud/doors/cli/audit.js';
import { findAuditHead } from '../../../cloud/kernel/audit/audit-log-queries.js';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { onPostgres } from '../../world/postgres-databases.js';
import { type ApplyWorld, createApplyWorld } from '../site/apply-world.js';
import { SITE_TEXT } from '../site/site-text.js';
import { recordIo } from '../../world/record-io.js';

let world: ApplyWorld;
beforeAll(async () => {
  world = await createApplyWorld();
  await world.apply(SITE_TEXT);
});
afterAll(() => world.close());

async function verify(options: Partial<AuditVerifyOptions> = {}, deps: Partial<ApplyWorld> = {}) {
  const { io, out, err } = recordIo();
  const code = await runAuditVerify({ json: false, ...options }, { ...world, ...deps }, io);
  return { code, out, err };
}

describe('audit verify', () => {
  it('says that the log is whole, and what its head is', async () => {
    const head = await findAuditHead(world.store.reader);
    expect(head.entries).toBeGreaterThan(10);
    expect(await verify()).toEqual({
      code: 0,
      out: [`whole    ${head.entries} entries, the head is ${head.hash}`],
      err: [],
    });
    const asked = { json: true, head: head.hash, entries: String(head.entries) };
    const { code, out } = await verify(asked);
    expect([code, JSON.parse(out[0] ?? '')]).toEqual([0, { ok: true, ...head, break: null }]);
  });

  it('misses entries that were there', async () => {
    const { entries } = await findAuditHead(world.store.reader);
    const { code, out } = await verify({ entries: String(entries + 3) });
    expect([code, out[0]]).toEqual([
      1,
      `broken   entry ${entries + 1}: the log ends before the expected head: entries were cut off`,
    ]);
    const json = await verify({ head: 'a'.repeat(64), json: true });
    expect([json.code, JSON.parse(json.out[0] ?? '')]).toMatchObject([
      1,
      { ok: false, break: { id: null, reason: 'cut_off', entry: null } },
    ]);
  });

  it.each([{ entries: '1.5' }, { entries: '-1' }, { head: 'abc' }, { head: 'A'.repeat(64) }])(
    'refuses %j',
    async (asked) => expect(await verify(asked)).toMatchObject({ code: 2, out: [] }),
  );

  it('does not judge by another server key', async () => {
    const { derive } = createSecrets(new Uint8Array(32).fill(9));
    await expect(verify({}, { derive })).rejects.toThrow('another server key');
  });

  it('names the first entry that does not fit, and what it touches', async () => {
    await world.store.change(async (tx) => {
      await sql.raw(`drop trigger audit_log_no_update${onPostgres() ? ' on audit_log' : ''}`).execute(tx);
      await sql`update audit_log set details = '{}' where id = 5`.execute(tx);
    });
    const entry = await world.store.reader
      .selectFrom('audit_log')
      .selectAll()
      .where('id', '=', 5)
      .executeTakeFirstOrThrow();
    const { code, out } = await verify();
    expect([code, ...out]).toEqual([
      1,
      'broken   entry 5: what it says is not what was written',
      'fits     1 to 4',
      expect.stringContaining(`touches  ${entry.action} of ${entry.target} by operator at 20`),
    ]);
    expect(out[2]).toContain('account 1, lot ');
    const json = await verify({ json: true });
    expect([json.code, JSON.parse(json.out[0] ?? '')]).toMatchObject([
      1,
      { ok: false, entries: 4, break: { id: 5, reason: 'changed', entry: { action: entry.action, account_id: 1 } } },
    ]);
  });
});
