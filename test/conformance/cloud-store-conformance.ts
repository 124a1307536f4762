/** What every implementation of the cloud's store must do. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fc from '../property.js';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../cloud/all-migrations.js';
import type { CloudStore, JournalEvent } from '../../cloud/kernel/store/cloud-store.js';
import { foldCase } from '../../cloud/kernel/store/fold-case.js';
import { createGroupedChanges } from '../../cloud/kernel/store/grouped-changes.js';
import { adapterOf } from '../../cloud/kernel/store/database-adapter.js';
import { eventsAfter, journalHeadOf } from '../../cloud/kernel/store/journal-queries.js';
import { leapIfRestored } from '../../cloud/kernel/store/leap-if-restored.js';
import { LOCKS } from '../../cloud/kernel/store/locks.js';
import { insertRow } from '../../cloud/kernel/store/row-queries.js';
import { insertNumbered } from '../../cloud/kernel/store/rows-of-statement.js';
import { textField } from '../../cloud/rest/list/list-fields.js';
import { accountIds } from '../../cloud/site/account/account-queries.js';
import { type Logger, silentLogger } from '../../shared/logger.js';
import { FakeClock } from '../world/fake-clock.js';
import { accountRow, UNSET_OF_ACCOUNT } from './account-row.js';
import { runs } from '../depth.js';

/** Ids are 32 bits wide. */
const ID_MAX = 2 ** 31 - 1;

const insertAccount = (into: CloudStore, account: string) =>
  into.change((tx) => tx.insertInto('accounts').values(accountRow(account)).execute());

const tokenRow = (account_id: number) => ({ account_id, name: 'n', token_hash: 'h', created_at: 1, updated_at: 1 });

/** Texts, and what each of them alone is found by. */
const FOLDED: readonly { text: string; parts: string[] }[] = [
  { text: 'Čedo Žganec', parts: ['čedo', 'ČEDO', 'žGANEC', 'C\u030cedo'] },
  { text: 'Öm', parts: ['öm', 'ÖM', 'O\u0308M'] },
  { text: 'Γιώργος', parts: ['ΓΙΏΡΓΟΣ', 'γιώργος', 'ώργοσ', 'ΏΡΓ'] },
  { text: 'ΟΔΟΣΣΕΑΣ', parts: ['οδοσσεας', 'σσ', 'οδος'] },
  { text: 'Иван Ёлкин', parts: ['иван', 'ИВАН', 'ЁЛКИН'] },
  { text: 'Straße', parts: ['STRASSE', 'straße', 'STRAẞE', 'strasse'] },
  { text: 'İstanbul Işık', parts: ['istanbul', 'ISTANBUL', 'işık', 'IŞIK'] },
  { text: 'Łódź', parts: ['łódź', 'ŁÓDŹ'] },
  { text: 'Æsa Ørsted', parts: ['æSA', 'ØRSTED', 'ørsted'] },
  { text: 'Արմեն', parts: ['արմեն', 'ԱՐՄԵՆ'] },
  { text: 'ÿvonne', parts: ['Ÿvonne'] },
  { text: 'ﬁnn', parts: ['FINN', 'finn'] },
  { text: 'محمد', parts: ['حم'] },
  { text: '山田', parts: ['田'] },
  { text: '𐐀𐐁 Deseret', parts: ['𐐨𐐩', 'dESERET'] },
  { text: '50% of it', parts: ['0% OF', '%'] },
  { text: 'back\\slash', parts: ['K\\S'] },
  { text: 'Plain', parts: ['PLAIN', 'lAi'] },
];

/** One database, on which several stores can be opened. */
export interface StorePlace {
  open(clock: FakeClock, logger: Logger): Promise<CloudStore>;
  /** A program that opens the database, inserts an account in a change, says so on stdout and waits inside it to be killed. */
  crasher: string[];
  remove(): Promise<void>;
}

const gatewayEvent = (uuid: string) =>
  ({ account_id: 1, lot_id: 7, event: 'gateway_status', payload: { uuid, status: 'online' } }) as const;

/**
 * @param createPlace makes a database; one that need not be empty may have its schema already
 * @param writers how many changes run at once: only one after another, their order is known
 */
export function cloudStoreConformance(
  name: string,
  createPlace: (options: { isEmpty: boolean }) => Promise<StorePlace>,
  writers: 'one' | 'many' = 'one',
): void {
  const inOrder = <T>(items: readonly T[]): T[] => (writers === 'one' ? [...items] : items.toSorted());

  describe(`cloud store: ${name}`, () => {
    let place: StorePlace;
    let clock: FakeClock;
    let store: CloudStore;
    const opened: CloudStore[] = [];
    const errors: unknown[] = [];
    const logger: Logger = { ...silentLogger, error: ({ err }) => void errors.push(String(err)) };

    async function open(): Promise<CloudStore> {
      const another = await place.open(clock, logger);
      opened.push(another);
      return another;
    }

    beforeEach(async () => {
      place = await createPlace({ isEmpty: false });
      clock = new FakeClock();
      store = await open();
      await store.migrate(MIGRATIONS);
    });

    afterEach(async () => {
      for (const each of opened.splice(0)) await each.close();
      await place.remove();
    });

    const accountNames = async (from = store) => {
      const rows = await from.reader.selectFrom('accounts').select('name').orderBy('id').execute();
      return rows.map((row) => row.name);
    };

    describe('migrations', () => {
      it('run once', async () => {
        const fresh = await createPlace({ isEmpty: true });
        const first = await fresh.open(clock, logger);
        expect(await first.migrate(MIGRATIONS)).toContain('0001-baseline');
        expect(await first.migrate(MIGRATIONS)).toEqual([]);
        await first.close();
        await fresh.remove();
      });

      it('may be asked for by two processes at once', async () => {
        const fresh = await createPlace({ isEmpty: true });
        const stores = [await fresh.open(clock, logger), await fresh.open(clock, logger)];
        const ran = await Promise.all(stores.map((each) => each.migrate(MIGRATIONS)));
        expect(ran.flat().filter((migration) => migration === '0001-baseline')).toHaveLength(1);
        for (const each of stores) await each.close();
        await fresh.remove();
      });
    });

    describe('a database that was restored from a copy', () => {
      const begin = (random = 0.5) => leapIfRestored({ store, clock, random: () => random, accountIds });
      const account = (called: string) => store.change((tx) => insertRow(tx, 'accounts', accountRow(called)));
      /** Has the database be a copy of another one. */
      const becomeCopy = () =>
        store.change((tx) => tx.updateTable('database_identity').set({ identity: 'another one' }).execute());
      const lots = () =>
        eventsAfter(store.reader, { scope: { account_id: 1, lot_ids: null }, cursor: null, limit: 99 });
      const isKnown = async (cursor: number, account_id = 1) =>
        (await eventsAfter(store.reader, { scope: { account_id, lot_ids: null }, cursor, limit: 1 })) !== null;

      it('gives no id and no cursor again that the other one may have given since', async () => {
        expect(await begin()).toBe(false);
        const [first, second] = [await account('Harbour'), await account('Airport')];
        await store.change(async (tx) => tx.journal(gatewayEvent('a')));
        expect(await begin()).toBe(false);
        await becomeCopy();
        await clock.advance(3_600_000);
        expect(await begin()).toBe(true);
        expect(await begin()).toBe(false);

        const third = await account('Station');
        expect(third).toBe(second + 1 + 1_000_000 + 36_000 + 2 ** 22);
        expect([first, second]).toEqual([1, 2]);
        // A table that had no rows goes on there too.
        expect((await adapterOf(store.reader).lastIds(store.reader)).get('webhooks')).toBe(
          1_000_000 + 36_000 + 2 ** 22,
        );

        const head = await journalHeadOf(store.reader, 1);
        expect(head).toBe(clock.now());
        // Cursors of before are good; of those after it, which the copy does not know, none is.
        expect([await isKnown(1), await isKnown(0)]).toEqual([true, true]);
        expect([await isKnown(2), await isKnown(3), await isKnown(head - 1)]).toEqual([false, false, false]);
        expect([await isKnown(head), await isKnown(head, second), await isKnown(0, second)]).toEqual([
          true,
          true,
          false,
        ]);
        await store.change(async (tx) => tx.journal(gatewayEvent('b')));
        expect((await lots())?.map(({ id }) => id)).toEqual([1, head + 1]);
        expect([await isKnown(1), await isKnown(head), await isKnown(head + 1), await isKnown(2)]).toEqual([
          true,
          true,
          true,
          false,
        ]);
      });

      it('is found by one of several that begin on it at once, and has ids left however often that happens', async () => {
        await begin();
        await becomeCopy();
        const begun = await Promise.all([begin(), begin(), begin()]);
        expect(begun.filter(Boolean)).toHaveLength(1);
        const left = 160;
        await store.change((tx) => adapterOf(tx).setLastIds(tx, new Map([['accounts', ID_MAX - left]])));
        await becomeCopy();
        expect(await begin()).toBe(true);
        expect(await account('Harbour')).toBe(ID_MAX - left + left / 16 + 1);
      });
    });

    describe('a change', () => {
      it('is there for readers once it resolved, and answers what the work answered', async () => {
        const answer = await store.change(async (tx) => {
          await tx.insertInto('accounts').values(accountRow('Harbour')).execute();
          return 42;
        });
        expect(answer).toBe(42);
        expect(await accountNames()).toEqual(['Harbour']);
      });

      it('leaves nothing and pushes nothing when the work rejects', async () => {
        const pushed: JournalEvent[] = [];
        store.onEvents((events) => pushed.push(...events));
        const failing = store.change(async (tx) => {
          await tx.insertInto('accounts').values(accountRow('Harbour')).execute();
          tx.journal(gatewayEvent('a'));
          throw new Error('changed its mind');
        });
        await expect(failing).rejects.toThrow('changed its mind');
        expect(await accountNames()).toEqual([]);
        expect(await store.reader.selectFrom('events').selectAll().execute()).toEqual([]);
        expect(pushed).toEqual([]);
      });

      it('with a lock follows another: concurrent ones neither mix nor lose an update', async () => {
        await insertAccount(store, 'Harbour');
        const increment = () =>
          store.change(async (tx) => {
            await tx.lock(LOCKS.site);
            const row = await tx.selectFrom('accounts').select('auto_extend').executeTakeFirstOrThrow();
            await tx
              .updateTable('accounts')
              .set({ auto_extend: row.auto_extend + 1 })
              .execute();
          });
        await Promise.all(Array.from({ length: 40 }, increment));
        expect(await store.reader.selectFrom('accounts').select('auto_extend').execute()).toEqual([
          { auto_extend: 40 },
        ]);
      });

      it('keeps, whatever fails in between, exactly what did not fail', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), async (fails) => {
            await store.change((tx) => tx.deleteFrom('accounts').execute());
            const changes = fails.map((fail, index) =>
              store.change(async (tx) => {
                await tx
                  .insertInto('accounts')
                  .values(accountRow(`account ${index}`))
                  .execute();
                if (fail) throw new Error('fails');
              }),
            );
            await Promise.allSettled(changes);
            const kept = fails.flatMap((fail, index) => (fail ? [] : [`account ${index}`]));
            expect(inOrder(await accountNames())).toEqual(inOrder(kept));
          }),
          { numRuns: runs(15) },
        );
      });

      it('does not wait for ever for a change begun inside it', async () => {
        const nested = store.change(() => insertAccount(store, 'inner'));
        await expect(nested).rejects.toThrow('inside a change');
        await insertAccount(store, 'after');
        expect(await accountNames()).toEqual(['after']);
      });

      it('is ended when it waits for something else than its statements, so that others get their turn, and writes no more', async () => {
        let goOn = () => {};
        const other = new Promise<void>((resolve) => (goOn = resolve));
        const late: Promise<unknown>[] = [];
        const silent = Array.from({ length: store.writersMax }, (_none, at) =>
          store.change(async (tx) => {
            const insert = (account: string) => tx.insertInto('accounts').values(accountRow(account)).execute();
            await insert(`silent ${at}`);
            const goingOn = other.then(() => insert(`late ${at}`));
            late.push(goingOn);
            await goingOn;
          }),
        );
        const behind = insertAccount(store, 'behind');
        let outcomes: PromiseSettledResult<void>[] | undefined;
        void Promise.allSettled(silent).then((settled) => (outcomes = settled));
        await expect.poll(() => late.length).toBe(store.writersMax);
        await expect
          .poll(async () => {
            await clock.advance(30_000);
            return outcomes;
          })
          .toBeDefined();
        const message = expect.stringContaining('perhaps for a change begun inside a change');
        expect(outcomes).toMatchObject(silent.map(() => ({ status: 'rejected', reason: { message } })));
        await behind;
        goOn();
        const refused = { status: 'rejected', reason: { message: 'The transaction is over' } };
        expect(await Promise.allSettled(late)).toMatchObject(late.map(() => refused));
        expect(await accountNames()).toEqual(['behind']);
      });

      it('runs its effects after its commit, in order, before its events are pushed, and resolves after them', async () => {
        const heard: unknown[] = [];
        store.onEvents((events) => heard.push(`${events.length} pushed`));
        await store.change(async (tx) => {
          tx.onCommit(async () => {
            heard.push('first');
            heard.push(await accountNames());
          });
          tx.onCommit(() => void heard.push('second'));
          await tx.insertInto('accounts').values(accountRow('Harbour')).execute();
          tx.journal(gatewayEvent('a'));
          expect(heard).toEqual([]);
        });
        expect(heard).toEqual(['first', 'second', '1 pushed', ['Harbour']]);
      });

      it('has no effects when it is rolled back', async () => {
        const heard: string[] = [];
        const failing = store.change(async (tx) => {
          tx.onCommit(() => void heard.push('effect'));
          throw new Error('changed its mind');
        });
        await expect(failing).rejects.toThrow('changed its mind');
        const wrong = store.change(async (tx) => {
          tx.onCommit(() => void heard.push('effect'));
          await tx.insertInto('api_tokens').values(tokenRow(99)).execute();
        });
        await expect(wrong).rejects.toThrow();
        expect(heard).toEqual([]);
      });

      it('hears nothing of an effect that fails, nor do the other effects', async () => {
        const heard: string[] = [];
        const answer = await store.change(async (tx) => {
          tx.onCommit(() => {
            throw new Error('thrown by an effect');
          });
          tx.onCommit(() => Promise.reject(new Error('rejected by an effect')));
          tx.onCommit(() => void heard.push('runs'));
          return 42;
        });
        expect([answer, heard]).toEqual([42, ['runs']]);
        expect(errors.splice(0)).toEqual(['Error: thrown by an effect', 'Error: rejected by an effect']);
      });

      it('lets its effects make changes of their own', async () => {
        await store.change(async (tx) => tx.onCommit(() => insertAccount(store, 'by an effect').then(() => undefined)));
        expect(await accountNames()).toEqual(['by an effect']);
      });

      it('runs its effects before those of a change that begins later', async () => {
        const heard: number[] = [];
        const change = (n: number) => store.change(async (tx) => tx.onCommit(() => void heard.push(n)));
        if (writers === 'one') await Promise.all(Array.from({ length: 20 }, (_, n) => change(n)));
        else for (let n = 0; n < 20; n++) await change(n);
        expect(heard).toEqual(Array.from({ length: 20 }, (_, n) => n));
      });

      it('inserts many rows as they are, and numbers them in their order', async () => {
        const texts = [
          '',
          "O'Hara",
          '{"a": "\\\\ \\u00e9"}',
          '\\N',
          'ž 車 🚗',
          'line\nbreak\ttab',
          'null',
          'half \ud83d',
        ];
        const rows = Array.from({ length: 1_203 }, (_, index) => ({
          ...accountRow(`${texts[index % texts.length]} ${index}`),
          created_at: 2 ** 53 - 1 - index,
        }));
        const ids = await store.change((tx) => insertNumbered(tx, 'accounts', rows));
        expect(ids).toEqual(Array.from(rows, (_, index) => (ids[0] ?? 0) + index));
        const found = await store.reader.selectFrom('accounts').selectAll().orderBy('id').execute();
        // Half a character is no text in UTF-8: a database keeps one sign for it, or one for each of its bytes.
        const kept = rows.map((row, index) => ({
          ...row,
          id: ids[index],
          name: row.name.replace('\ud83d ', '\ufffd '),
          ...UNSET_OF_ACCOUNT,
        }));
        expect(found.map((row) => ({ ...row, name: row.name.replace(/\ufffd+/, '\ufffd') }))).toEqual(kept);
      });

      it.each<[string, object]>([
        ['a part of a whole number', { auto_extend: 1.5 }],
        ['a text where a number belongs', { auto_extend: 'many' }],
        ['a number that is too large', { auto_extend: 2 ** 63 }],
        ['a number that is too small', { auto_extend: -(2 ** 64) }],
        ['a part of a millisecond', { created_at: 1_795_764_658_520.8867 }],
        ['a time that is too large', { created_at: 2 ** 63 }],
        ['a text where a time belongs', { created_at: 'now' }],
        ['the character 0', { name: 'Harbour\0' }],
      ])('takes nothing that another kind of database refuses: %s', async (_name, wrong) => {
        await insertAccount(store, 'Harbour');
        // The types do not let it happen, except for parts of numbers.
        const row = { ...accountRow('Wrong'), ...wrong } as ReturnType<typeof accountRow>;
        const rows = Array.from({ length: 8 }, () => row);
        const writings = [
          () => store.change((tx) => tx.insertInto('accounts').values(row).execute()),
          () => store.change((tx) => insertNumbered(tx, 'accounts', rows)),
          () => store.change((tx) => tx.updateTable('accounts').set(wrong).execute()),
        ];
        for (const write of writings) await expect(write()).rejects.toMatchObject({ name: 'StoreError' });
        const kept = await store.reader.selectFrom('accounts').selectAll().execute();
        expect(kept).toEqual([{ ...kept[0], ...accountRow('Harbour') }]);
      });

      it('takes numbers that just fit', async () => {
        const limits = [
          { auto_extend: Number.MAX_SAFE_INTEGER, created_at: Number.MAX_SAFE_INTEGER },
          { auto_extend: Number.MIN_SAFE_INTEGER, created_at: Number.MIN_SAFE_INTEGER },
        ];
        const rows = limits.map((limit) => ({ ...accountRow('Harbour'), ...limit }));
        await store.change((tx) => insertNumbered(tx, 'accounts', rows));
        const kept = store.reader.selectFrom('accounts').select(['auto_extend', 'created_at']).orderBy('id');
        expect(await kept.execute()).toEqual(limits);
      });

      it('cannot be used once it is over', async () => {
        const over = await store.change(async (tx) => ({ use: () => tx.onCommit(() => {}) }));
        expect(over.use).toThrow('over');
      });

      it('in a group that fails is tried alone: only what is committed has effects, each once', async () => {
        const changes = createGroupedChanges(store);
        const heard: string[] = [];
        const change = (account: string, fails = false) =>
          changes.change(async (tx) => {
            tx.onCommit(() => void heard.push(account));
            await tx.insertInto('accounts').values(accountRow(account)).execute();
            if (fails) throw new Error('fails');
          });
        await Promise.allSettled([change('alone'), change('a'), change('b', true), change('c')]);
        expect(heard).toEqual(['alone', 'a', 'c']);
        expect(await accountNames()).toEqual(['alone', 'a', 'c']);
      });

      it('with a lock waits for the change of another process', async () => {
        const other = await open();
        const entered = deferred();
        const leave = deferred();
        const long = store.change(async (tx) => {
          await tx.lock(LOCKS.site);
          await tx.insertInto('accounts').values(accountRow('first')).execute();
          entered.resolve();
          await leave.promise;
        });
        await entered.promise;
        const waiting = other.change(async (tx) => {
          await tx.lock(LOCKS.site);
          await tx.insertInto('accounts').values(accountRow('second')).execute();
        });
        expect(await accountNames(other)).toEqual([]);
        leave.resolve();
        await Promise.all([long, waiting]);
        expect(await accountNames()).toEqual(['first', 'second']);
      });

      it('does not stop readers, who see what was committed before', async () => {
        await insertAccount(store, 'before');
        const seen = await store.change(async (tx) => {
          await tx.insertInto('accounts').values(accountRow('within')).execute();
          return accountNames();
        });
        expect(seen).toEqual(['before']);
        expect(await accountNames()).toEqual(['before', 'within']);
      });

      it('names the rule that the rows broke', async () => {
        await insertAccount(store, 'Harbour');
        const insertToken = (account_id: number) =>
          store.change((tx) => tx.insertInto('api_tokens').values(tokenRow(account_id)).execute());
        await expect(insertToken(99)).rejects.toMatchObject({ name: 'StoreError', code: 'foreign_key' });
        await insertToken(1);
        await expect(insertToken(1)).rejects.toMatchObject({ name: 'StoreError', code: 'unique' });
      });
    });

    describe('a reader', () => {
      it('cannot write', async () => {
        await expect(store.reader.insertInto('accounts').values(accountRow('x')).execute()).rejects.toMatchObject({
          code: 'read_only',
        });
      });

      it('finds a part of a text whatever its case, in every script, and sorts and compares by code points', async () => {
        for (const { text } of FOLDED) await insertAccount(store, text);
        const found = async (part: string) => {
          const where = textField('accounts.name').where('like', [part]);
          const rows = await store.reader.selectFrom('accounts').select('name').where(where).orderBy('id').execute();
          return rows.map((row) => row.name);
        };
        for (const { text, parts } of FOLDED) {
          for (const part of [text, ...parts]) expect([part, await found(part)]).toEqual([part, [text]]);
        }
        expect(await found('_')).toEqual([]);
        const kept = await store.reader.selectFrom('accounts').select('name').orderBy('name').execute();
        const byCodePoints = FOLDED.map(({ text }) => text).toSorted((a, b) =>
          Buffer.compare(Buffer.from(a), Buffer.from(b)),
        );
        expect(kept.map((row) => row.name)).toEqual(byCodePoints);
        for (const { text } of FOLDED) {
          const equal = store.reader.selectFrom('accounts').select('name').where('name', '=', text);
          expect(await equal.execute()).toEqual([{ name: text }]);
          const folded = sql<{ text: string }>`select fold_case(cast(${text} as text)) as text`.execute(store.reader);
          expect((await folded).rows).toEqual([{ text: foldCase(text) }]);
        }
        expect((await sql`select fold_case(null) as text`.execute(store.reader)).rows).toEqual([{ text: null }]);
      });

      it('sees one moment within a transaction', async () => {
        const counts = await store.reader.transaction().execute(async (tx) => {
          const before = await tx.selectFrom('accounts').selectAll().execute();
          await insertAccount(store, 'meanwhile');
          const after = await tx.selectFrom('accounts').selectAll().execute();
          return [before.length, after.length];
        });
        expect(counts).toEqual([0, 0]);
        expect(await accountNames()).toEqual(['meanwhile']);
      });
    });

    describe('events', () => {
      it('are numbered without a gap for each account, in the order of the commits, whatever is rolled back', async () => {
        const pushed: string[] = [];
        store.onEvents((events) => pushed.push(...events.map(({ account_id, id }) => `${account_id}: ${id}`)));
        const change = (accounts: number[], fails = false) =>
          store
            .change(async (tx) => {
              for (const account_id of accounts) tx.journal({ ...gatewayEvent('a'), account_id });
              if (fails) throw new Error('fails');
            })
            .catch(() => undefined);
        await Promise.all([change([2, 1, 2]), change([1, 3], true), change([3]), change([1, 2])]);
        expect(inOrder(pushed)).toEqual(inOrder(['2: 1', '1: 1', '2: 2', '3: 1', '1: 2', '2: 3']));
      });

      it('are pushed after the commit, in order, with their ids in the journal', async () => {
        const pushes: { events: readonly JournalEvent[]; journal: Promise<{ id: number; event: string }[]> }[] = [];
        store.onEvents((events) => {
          pushes.push({
            events,
            journal: store.reader.selectFrom('events').select(['id', 'event']).orderBy('id').execute(),
          });
        });
        await store.change(async (tx) => {
          tx.journal(gatewayEvent('a'));
          tx.journal({ ...gatewayEvent('not kept'), isKept: false });
          tx.journal({ ...gatewayEvent('in no lot'), lot_id: null });
          tx.journal(gatewayEvent('b'));
        });
        expect(pushes).toHaveLength(1);
        expect(pushes[0]?.events.map(({ id, payload }) => [id, payload])).toEqual([
          [1, { uuid: 'a', status: 'online' }],
          [null, { uuid: 'not kept', status: 'online' }],
          [2, { uuid: 'b', status: 'online' }],
        ]);
        expect((await pushes[0]?.journal)?.map(({ id }) => id)).toEqual([1, 2]);
        const [row] = await store.reader.selectFrom('events').selectAll().where('id', '=', 2).execute();
        expect(row).toEqual({
          id: 2,
          account_id: 1,
          lot_id: 7,
          event: 'gateway_status',
          payload: '{"uuid":"b","status":"online"}',
          created_at: clock.now(),
        });
      });

      it('come in the order of the journal, however many changes wrote them', async () => {
        const pushed: (number | null)[] = [];
        store.onEvents((events) => pushed.push(...events.map(({ id }) => id)));
        const change = (count: number) =>
          store.change(async (tx) => {
            for (let each = 0; each < count; each++) tx.journal(gatewayEvent(`${count}`));
          });
        await Promise.all([change(3), change(1201), change(0), change(2)]);
        expect(inOrder(pushed)).toEqual(inOrder(Array.from({ length: 1206 }, (_, index) => index + 1)));
        const rows = await store.reader.selectFrom('events').select('payload').orderBy('id').execute();
        const uuids = rows.map(({ payload }) => (JSON.parse(payload) as { uuid: string }).uuid);
        const turns = uuids.filter((uuid, index) => uuid !== uuids[index - 1]);
        expect(inOrder(turns)).toEqual(inOrder(['3', '1201', '2']));
      });

      it('keep their ids to themselves when the journal was emptied', async () => {
        const record = () => store.change(async (tx) => tx.journal(gatewayEvent('a')));
        await record();
        await store.change((tx) => tx.deleteFrom('events').execute());
        await record();
        expect(await store.reader.selectFrom('events').select('id').execute()).toEqual([{ id: 2 }]);
      });

      it('with a payload the specification does not know fail the change', async () => {
        const wrong = { ...gatewayEvent('a'), payload: { uuid: 'a', status: 'asleep' } } as unknown as ReturnType<
          typeof gatewayEvent
        >;
        await expect(store.change(async (tx) => tx.journal(wrong))).rejects.toThrow('gateway_status');
        expect(await store.reader.selectFrom('events').selectAll().execute()).toEqual([]);
      });

      it('reach the other listeners when one fails, and none that left', async () => {
        const heard: string[] = [];
        store.onEvents(() => {
          throw new Error('a bad listener');
        });
        store.onEvents(() => heard.push('stays'));
        store.onEvents(() => heard.push('leaves'))();
        await store.change(async (tx) => tx.journal(gatewayEvent('a')));
        expect(heard).toEqual(['stays']);
      });
    });

    describe('changes by another process', () => {
      it('are noticed within a second, own ones never', async () => {
        const other = await open();
        let notified = 0;
        store.onForeignChange(() => (notified += 1));
        const tick = () => clock.advance(1_000).then(() => notified);
        await insertAccount(store, 'own');
        await insertAccount(other, 'foreign');
        await expect.poll(tick).toBe(1);
        await insertAccount(store, 'own again');
        await insertAccount(other, 'foreign again');
        await expect.poll(tick).toBe(2);
      });

      it('are not noticed again, nor are own ones', async () => {
        const other = await open();
        let notified = 0;
        let notifiedOther = 0;
        store.onForeignChange(() => (notified += 1));
        other.onForeignChange(() => (notifiedOther += 1));
        await insertAccount(other, 'foreign');
        await expect.poll(() => clock.advance(1_000).then(() => notified)).toBe(1);
        await insertAccount(store, 'own');
        // Both stores look at the same seconds: once the other has noticed this change, this one had its chance to.
        await expect.poll(() => clock.advance(1_000).then(() => notifiedOther)).toBe(1);
        await insertAccount(store, 'own again');
        await expect.poll(() => clock.advance(1_000).then(() => notifiedOther)).toBe(2);
        expect(notified).toBe(1);
      });
    });

    describe('what is written', () => {
      function listen(...tables: Parameters<CloudStore['onWritten']>[0]) {
        const heard = { count: 0, stop: () => {} };
        heard.stop = store.onWritten(tables, () => void (heard.count += 1));
        return heard;
      }

      it('is reported to those who asked for the table, before the change is over', async () => {
        const accounts = listen('lots', 'accounts');
        const tokens = listen('api_tokens');
        await insertAccount(store, 'one');
        expect([accounts.count, tokens.count]).toEqual([1, 0]);
        await store.change((tx) => tx.updateTable('accounts').set({ name: 'two' }).where('id', '=', 1).execute());
        await store.change((tx) => tx.insertInto('api_tokens').values(tokenRow(1)).execute());
        await store.change((tx) => tx.deleteFrom('api_tokens as token').where('token.id', '=', 1).execute());
        expect([accounts.count, tokens.count]).toEqual([2, 2]);
        accounts.stop();
        await insertAccount(store, 'three');
        expect(accounts.count).toBe(2);
      });

      it('is not reported when it was only read, or rolled back', async () => {
        const accounts = listen('accounts');
        await store.change((tx) => tx.selectFrom('accounts').selectAll().execute());
        const failing = store.change(async (tx) => {
          await tx.insertInto('accounts').values(accountRow('gone')).execute();
          throw new Error('no');
        });
        await expect(failing).rejects.toThrow('no');
        await store.change((tx) => tx.deleteFrom('api_tokens').where('id', '=', 0).execute());
        expect(accounts.count).toBe(0);
      });

      it('by SQL as text may be anything', async () => {
        const [accounts, tokens] = [listen('accounts'), listen('api_tokens')];
        await store.change((tx) => sql`delete from accounts`.execute(tx));
        expect([accounts.count, tokens.count]).toEqual([1, 1]);
      });
    });

    describe('the end', () => {
      it('waits for what is under way and refuses what comes later', async () => {
        const last = insertAccount(store, 'last');
        await store.close();
        await store.close();
        await last;
        await expect(insertAccount(store, 'too late')).rejects.toMatchObject({ code: 'closed' });
        await expect(accountNames()).rejects.toThrow();
        expect(await accountNames(await open())).toEqual(['last']);
      });

      it('by kill -9 inside a change leaves what was committed, and only that', async () => {
        await insertAccount(store, 'committed');
        const [command = '', ...args] = place.crasher;
        const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] });
        const exited = once(child, 'exit');
        const [said] = (await Promise.race([once(child.stdout, 'data'), exited])) as [Buffer];
        expect(String(said)).toContain('inserted');
        child.kill('SIGKILL');
        expect((await exited)[1]).toBe('SIGKILL');
        expect(await accountNames()).toEqual(['committed']);
        await insertAccount(store, 'goes on');
        expect(await accountNames(await open())).toEqual(['committed', 'goes on']);
      });
    });
  });
}

function deferred() {
  const resolvers: (() => void)[] = [];
  const promise = new Promise<void>((resolve) => resolvers.push(resolve));
  return { promise, resolve: () => resolvers.forEach((resolve) => resolve()) };
}
