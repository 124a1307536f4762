import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { claimGateway } from '../../../agent/commissioning/claim.js';
import { openIdentity } from '../../../agent/commissioning/identity.js';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { runMove } from '../../../cloud/doors/cli/move.js';
import type { MoveEndOptions } from '../../../cloud/kernel/store/move-end.js';
import { leapIfRestored } from '../../../cloud/kernel/store/leap-if-restored.js';
import { openCloudStore } from '../../../cloud/kernel/store/open-cloud-store.js';
import { accountIds } from '../../../cloud/site/account/account-queries.js';
import { openMoveEnd } from '../../../cloud/kernel/store/open-move-end.js';
import { silentLogger } from '../../../shared/logger.js';
import { systemClock } from '../../../shared/system-clock.js';
import { fetchChecked } from '../../contract/checked-fetch.js';
import { createDatabase, dropDatabase, hasPostgres, postgresUrl } from '../../world/postgres-databases.js';
import { freePorts } from '../../world/free-ports.js';
import { startProgram } from '../../world/programs.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { FULL_SITE_TEXT } from '../../unit/site/full-site-text.js';
import { contentOf, fillEveryTable, openFile, tablesOf } from './every-table.js';
import { recordIo } from '../../world/record-io.js';

/** Of the site file. */
const TOKEN = 'reports-token-0123456789-abcdefghij';
/** More than one piece. */
const ROWS = 130;
const EMPTY = /have the same rows on both sides, and the other \d+ have none/;

describe.runIf(hasPostgres())('parking-cloud move', () => {
  let directory: string;
  /** A database with rows in every table. */
  let full: string;
  let source: string;
  let made = 0;
  let target: string;
  let targetName: string;

  const file = (name: string): string => join(directory, name);
  const open = (url: string) => openCloudStore({ url, clock: systemClock, logger: silentLogger });

  async function move(
    from: string,
    to: string,
    migrations = MIGRATIONS,
  ): Promise<{ code: number; out: string; err: string }> {
    const { io, out, err } = recordIo();
    const openEnd = (end: MoveEndOptions) => openMoveEnd({ ...end, logger: silentLogger });
    const code = await runMove({ from, to, dataDir: '/data' }, { openEnd, migrations, clock: systemClock }, io);
    return { code, out: out.join('\n'), err: err.join('\n') };
  }

  async function ask(statement: string): Promise<Record<string, unknown>[]> {
    const client = new Client({ connectionString: target });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(statement)).rows;
    } finally {
      await client.end();
    }
  }

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'move-'));
    full = file('full.db');
    const url = `sqlite:${full}`;
    // The stores of other tests may be elsewhere; this one has to be a file.
    const store = await open(url);
    await store.migrate(MIGRATIONS);
    await store.close();
    const db = openFile(full);
    fillEveryTable(db, ROWS);
    // Ids that were given are not given again, though their rows are gone.
    db.exec(`delete from former_gateway_lots where id = ${ROWS}; delete from lost_records`);
    // It is no copy: no cloud has worked with it.
    db.exec('delete from database_identity');
    db.close();
  });
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  beforeEach(async () => {
    made += 1;
    source = `sqlite:${file(`source-${made}.db`)}`;
    cpSync(full, source.slice('sqlite:'.length));
    targetName = `move_${process.pid}_${made}`;
    await createDatabase(targetName);
    target = postgresUrl(targetName);
    const name = targetName;
    onTestFinished(() => dropDatabase(name));
  });

  it('carries every table to a server and back: rows, ids that were given, and what the database itself holds to', async () => {
    const there = await move(source, target);
    expect(there.err).toMatch(/^copying {2}accounts {2}0 of 130 rows$/m);
    expect(there.code).toBe(0);
    expect(there.out).toMatch(/^events +130 rows {2}[0-9a-f]{16}$/m);
    expect(there.out).toMatch(/^Pictures and server keys stay in \/data/m);
    expect(there.out).toContain(`DATABASE_URL=${target} `);
    expect(contentOf(source.slice('sqlite:'.length))).toEqual(contentOf(full));

    const back = file(`back-${made}.db`);
    expect(await move(target, `sqlite:${back}`)).toMatchObject({ code: 0 });
    expect(contentOf(back)).toEqual(contentOf(full));
    expect(tablesOf(openFile(back)).length).toBeGreaterThan(60);

    const [session] = await ask('insert into former_gateway_lots (gateway_id, lot_id) values (1, 77) returning id');
    expect(Number(session?.['id'])).toBe(ROWS + 1);
    const [lost] = await ask(
      "select pg_sequence_last_value(pg_get_serial_sequence('lost_records', 'id')::regclass) as id",
    );
    expect(Number(lost?.['id'])).toBe(ROWS);
    await expect(ask('update audit_log set action = 1')).rejects.toThrow('audit_log is only appended to');
    await expect(ask('delete from zones; insert into zone_tariffs values (1, 1, 1)')).rejects.toThrow('_zone_id_fkey');
  });

  it('fills a database that has the tables already, of one kind as of the other', async () => {
    for (const to of [target, `sqlite:${file('other.db')}`]) {
      const store = await open(to);
      await store.migrate(MIGRATIONS);
      await store.close();
      expect(await move(source, to)).toMatchObject({ code: 0, out: expect.stringMatching(EMPTY) });
    }
    expect(contentOf(file('other.db'))).toEqual(contentOf(full));
  });

  it('carries a database that was hardly used', async () => {
    const fresh = `sqlite:${file(`fresh-${made}.db`)}`;
    const store = await open(fresh);
    await store.migrate(MIGRATIONS);
    await store.close();
    expect(await move(fresh, target)).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^0 tables have the same rows/),
    });
    const back = file(`fresh-back-${made}.db`);
    expect(await move(target, `sqlite:${back}`)).toMatchObject({ code: 0 });
  });

  it('has a copy be known as one where it is moved to, and the original not', async () => {
    const db = openFile(source.slice('sqlite:'.length));
    db.prepare('insert into database_identity values (1, ?, 1)').run('file of another place');
    db.close();
    expect(await move(source, target)).toMatchObject({ code: 0 });
    expect(await ask('select identity from database_identity')).toEqual([{ identity: '' }]);

    const store = await open(target);
    expect(await leapIfRestored({ store, clock: systemClock, random: () => 0, accountIds })).toBe(true);
    await store.close();
    const back = file(`noted-back-${made}.db`);
    expect(await move(target, `sqlite:${back}`)).toMatchObject({ code: 0 });
    const original = openFile(back);
    expect(original.prepare('select * from database_identity').all()).toEqual([]);
    original.close();
  });

  it('replaces the character that a server cannot store, and says where', async () => {
    const db = openFile(source.slice('sqlite:'.length));
    db.prepare('update zones set name = ?, description = ? where id = 2').run('A\0B\0', 'fine');
    db.close();
    const { code, out } = await move(source, target);
    expect(code).toBe(0);
    expect(out).toContain('zones: 1 texts have a NUL character, which PostgreSQL cannot store');
    expect(await ask('select name from zones where id = 2')).toEqual([{ name: 'A\uFFFDB\uFFFD' }]);
  });

  it('keeps nothing when a row cannot be stored or arrives changed', async () => {
    const store = await open(target);
    await store.migrate(MIGRATIONS);
    await store.close();
    await ask(`create function shout() returns trigger language plpgsql as
      $$ begin new.name = upper(new.name); return new; end $$`);
    await ask('create trigger shout before insert on zones for each row execute function shout()');
    await expect(move(source, target)).rejects.toThrow(
      /^Table zones is not the same on both sides: 130 rows .* keeps nothing/,
    );
    expect(await ask('select id from accounts')).toEqual([]);
    await ask('drop trigger shout on zones');

    const db = openFile(source.slice('sqlite:'.length));
    // A file of an older program has no check of its values.
    db.exec('alter table zones drop constraint zones_values');
    db.prepare('update zones set spot_count = ? where id = 2').run('many');
    db.close();
    await expect(move(source, target)).rejects.toThrow(/^Table zones cannot be copied: .*many.* \(22P02\)$/);
    expect(await ask('select id from accounts')).toEqual([]);
  });

  describe('begins nothing', () => {
    const refusal = async (from: string, to: string, migrations = MIGRATIONS): Promise<string> => {
      const { code, out, err } = await move(from, to, migrations);
      expect([code, out]).toEqual([2, '']);
      return err;
    };

    it('with a target that has data', async () => {
      expect(await move(source, target)).toMatchObject({ code: 0 });
      expect(await refusal(source, target)).toMatch(
        /^The target has data already \(in table \w+\), and nothing is overw/,
      );
      const other = file('has-data.db');
      cpSync(full, other);
      expect(await refusal(target, `sqlite:${other}`)).toMatch(/^The target has data already/);
    });

    it('with a source that is not there, and makes none', async () => {
      expect(await refusal(`sqlite:${file('none.db')}`, target)).toBe(`There is no database ${file('none.db')}.`);
      expect(existsSync(file('none.db'))).toBe(false);
    });

    it('with a source of another program or version, and touches no target', async () => {
      const other = file(`untouched-${made}.db`);
      expect(await refusal(target, `sqlite:${other}`)).toBe('The source is no database of this program.');
      const db = openFile(source.slice('sqlite:'.length));
      db.exec("insert into kysely_migration values ('9999-flying-cars', '')");
      db.close();
      const newer = 'The source is of another version (9999-flying-cars): move it with that version.';
      expect(await refusal(source, `sqlite:${other}`)).toBe(newer);
      const older = openFile(source.slice('sqlite:'.length));
      older.exec("delete from kysely_migration where name = '9999-flying-cars'");
      older.close();
      const next = { ...MIGRATIONS, '9999-next': { up: async () => {} } };
      expect(await refusal(source, `sqlite:${other}`, next)).toMatch(
        /^The source is of an older version, without 9999-next:/,
      );
      expect(existsSync(other)).toBe(false);
    });

    it('while a cloud works with one of the two', async () => {
      const running = [await open(source), await open(target)];
      const [fromFile, toServer, fromServer] = await Promise.all([
        refusal(source, target),
        (async () => {
          const copy = file(`copy-${made}.db`);
          cpSync(full, copy);
          return refusal(`sqlite:${copy}`, target);
        })(),
        refusal(target, `sqlite:${file(`new-${made}.db`)}`),
      ]);
      const shown = [source.slice('sqlite:'.length), target, target];
      expect([fromFile, toServer, fromServer]).toEqual(
        shown.map((url) => `A program works with ${url}: stop the cloud that runs on it, and run this again.`),
      );
      for (const store of running) await store.close();
      expect(await move(source, target)).toMatchObject({ code: 0 });
    });

    it('with addresses that are none, or the same', async () => {
      const wrong = {
        message: expect.stringMatching(/^--to: this value is not allowed; allowed: sqlite:PATH, or postgres:/),
      };
      await expect(move(source, 'postgres://parking:a/b@db/parking')).rejects.toMatchObject(wrong);
      await expect(move(source, source)).rejects.toThrow('--from and --to are the same database');
    });
  });

  it('leaves a target that is filled by a second run when it is killed in the middle', async () => {
    const db = openFile(source.slice('sqlite:'.length));
    const insert = db.prepare('insert into events values (1, ?, 1, ?, ?, 1)');
    db.transaction(() => {
      for (let id = 1_000; id < 20_000; id++) insert.run(id, 'lot_change', `{"of":"${'x'.repeat(200)}${id}"}`);
    })();
    db.close();
    const env = { DATA_DIR: directory };
    for (const to of [target, `sqlite:${file(`killed-${made}.db`)}`]) {
      const args = ['move', '--from', source, '--to', to];
      const killed = startProgram('cloud/main.js', args, env);
      await waitUntil('it to copy', () => killed.output().includes('copying'));
      await killed.end('SIGKILL');
      expect(killed.output()).not.toContain('have none');
      const again = startProgram('cloud/main.js', args, env);
      expect(await again.ended).toMatchObject({ code: 0 });
      expect(again.output()).toMatch(/^events +19130 rows/m);
    }
  });

  it('lets a cloud go on where it was: secrets, tokens, ids, cursors', async () => {
    const [port, mqttPort] = await freePorts(2);
    const dataDir = mkdtempSync(join(directory, 'cloud-'));
    const env = { DATA_DIR: dataDir, PORT: String(port), MQTT_PORT: String(mqttPort), LOG_LEVEL: 'warn' };
    const base = `http://127.0.0.1:${port}`;
    const first = `sqlite:${join(dataDir, 'cloud.db')}`;
    const last = `sqlite:${join(dataDir, 'back.db')}`;
    writeFileSync(join(dataDir, 'site.yaml'), FULL_SITE_TEXT);
    const run = (DATABASE_URL: string, ...args: string[]) =>
      startProgram('cloud/main.js', args, { ...env, DATABASE_URL });
    expect(await run(first, 'apply', join(dataDir, 'site.yaml')).ended).toMatchObject({ code: 0 });

    const ids: number[] = [];
    let cursor: string | undefined;
    const stages = [
      { url: first, next: target },
      { url: target, next: last },
      { url: last, next: null },
    ];
    for (const { url, next } of stages) {
      const cloud = run(url, 'serve');
      await waitUntil('the cloud to answer', async () => (await fetch(`${base}/readyz`)).ok);
      const api = async (path: string, init: RequestInit = {}) => {
        const headers = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
        const answer = await fetchChecked(`${base}${path}`, { ...init, headers });
        const body = (await answer.json()) as { data: { id: number }[] & { id: number } };
        expect(answer.status, JSON.stringify(body)).toBe(200);
        return body.data;
      };
      const plate = `ST${ids.length}AGE`;
      ids.push(
        (
          await api('/v2/sessions', {
            method: 'POST',
            body: JSON.stringify({ zone_id: 1, entry_license_plate: plate }),
          })
        ).id,
      );
      const events = await api(cursor === undefined ? '/v2/events' : `/v2/events?since=${cursor}`);
      expect(events.length).toBeGreaterThan(0);
      cursor = String(events.at(-1)?.id);
      if (url === target) {
        // The password of the camera, sealed with the key in DATA_DIR.
        const identity = openIdentity(join(dataDir, 'identity.json'));
        const { config } = await claimGateway({ identity, cloudUrl: base, code: 'MOLE-FOUR-0001' });
        expect(JSON.stringify(config)).toContain('camera phrase');
      }
      await cloud.end();
      expect(await cloud.ended).toMatchObject({ code: 0 });
      if (next === null) continue;
      const moving = run(url, 'move', '--from', url, '--to', next);
      expect(await moving.ended, moving.output()).toMatchObject({ code: 0 });
    }
    const [firstId = 0] = ids;
    expect(ids).toEqual([firstId, firstId + 1, firstId + 2]);
  });

  it('names what is missing, as a program', async () => {
    writeFileSync(file('.env'), '');
    const program = startProgram('cloud/main.js', ['move', '--from', source], {}, [], directory);
    expect(await program.ended).toMatchObject({ code: 2 });
    expect(program.output()).toContain("required option '--to <url>'");
  });
});
