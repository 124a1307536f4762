import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecrets } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';
import { verifyAudit } from '../../../cloud/kernel/audit/audit-chain-queries.js';
import { PRODUCT } from '../../../cloud/equipment/product/product-resource.js';
import { deleteRow } from '../../../cloud/kernel/store/deletion-queries.js';
import { weblinkToken } from '../../../cloud/guests/weblink/weblink-tokens.js';
import { type ApplyWorld, createApplyWorld } from './apply-world.js';
import { FULL_SITE_TEXT } from './full-site-text.js';
import { edit } from './site-text.js';

let world: ApplyWorld;

beforeEach(async () => {
  world = await createApplyWorld();
});
afterEach(() => world.close());

const apply: ApplyWorld['apply'] = (...args) => world.apply(...args);
const rows = () => world.rows();
const keyOf = async (name: string) => {
  const { key_logs, operation_tokens } = await rows();
  const log = key_logs.find((each) => each.name === name);
  return { log, token: operation_tokens.find(({ id }) => id === log?.operation_token_id) };
};
const removeLine = (text: string, part: string) =>
  text
    .split('\n')
    .filter((line) => !line.includes(part))
    .join('\n');

describe('a site file with everything', () => {
  it('is created first, and unchanged afterwards', async () => {
    const first = await apply(FULL_SITE_TEXT);
    expect([first.code, first.err]).toEqual([0, []]);
    expect(first.of('created')).toEqual([
      'account Harbour Parking',
      'tariff Day and night',
      'lot North',
      'user ines@harbour.example',
      'user toma@harbour.example',
      'API token reports',
      'gateway North/Mole Pi',
      'zone North/Deck',
      'product b4c138000001',
      'bound license ST111AA of product b4c138000001',
      'product b4c138000002',
      'camera deck-in',
      'terminal pay-1',
      'terminal col-1',
      'group Crew',
      'member Lucija',
      'license plate alert Wanted',
      'key Plumber',
      'key Guest',
      'key Porter',
      'display Mole sign',
      'rule Mole sign/full',
      'rule Mole sign/some',
      'weblink Courier',
      'weblink Neighbour',
    ]);
    const before = await rows();
    world.clock.jumpWall(3_600_000);
    const second = await apply(FULL_SITE_TEXT, { prune: true });
    expect(second.out.at(-1)).toBe('0 created, 0 changed, 25 unchanged.');
    expect(await rows()).toEqual(before);
  });

  it('is stored as it is meant', async () => {
    await apply(FULL_SITE_TEXT);
    const all = await rows();
    const [account, zone, lot, gateway] = [all.accounts[0], all.zones[0], all.lots[0], all.gateways[0]];
    expect(JSON.parse(all.tariffs[0]?.windows ?? '')).toEqual([
      { days: [6, 7], start: '00:00', end: '00:00', price: 110, step_minutes: 60 },
      { days: [1, 2, 3, 4, 5, 6, 7], start: '20:00', end: '06:30', price: 50, step_minutes: 30 },
    ]);
    expect(all.terminals).toMatchObject([
      { device_id: 'pay-1', zone_id: zone?.id, mac: '02:00:00:00:00:0a', public_key: 'A'.repeat(43), is_master: 1 },
      { device_id: 'col-1', mac: '', public_key: null, is_master: 0, status: 'offline', type: 'entry', version: null },
    ]);
    expect(all.license_plate_alerts).toMatchObject([
      { account_id: account?.id, zone_id: zone?.id, name: 'Wanted', min_minutes_between_emails: 20 },
    ]);
    expect(all.alert_plates.map(({ plate, plate_normalised }) => [plate, plate_normalised])).toEqual([
      ['ST0-LEN1', 'ST0LEN1'],
      ['ZG900XX', 'ZG900XX'],
    ]);
    expect(all.alert_receivers.map(({ receiver_email }) => receiver_email)).toEqual([
      'desk@harbour.example',
      'night@harbour.example',
    ]);
    expect(all.rgb_displays).toMatchObject([
      { lot_id: lot?.id, zone_id: zone?.id, gateway_id: gateway?.id, driver: 'modbus', stale_text: '--' },
    ]);
    expect(all.rgb_display_rules.map(({ name, order, occupied_value_to }) => [name, order, occupied_value_to])).toEqual(
      [
        ['full', 5, null],
        ['some', 2, 11],
      ],
    );
    expect(all.rgb_display_rules[1]).toMatchObject({
      start_time: Date.UTC(2026, 0, 1),
      end_time: Date.UTC(2026, 5, 1),
    });
  });

  it('makes a key log and its token of every key', async () => {
    await apply(FULL_SITE_TEXT);
    const { products } = await rows();
    const plumber = await keyOf('Plumber');
    expect(plumber.log).toMatchObject({
      product_id: products[0]?.id,
      sender_id: null,
      receiver_identifier: 'ST 55-ABC',
      plate_normalised: 'ST55ABC',
      status: 'active',
      deleted_at: null,
    });
    expect(plumber.token).toMatchObject({
      product_id: products[0]?.id,
      status: 'active',
      start_time: Date.UTC(2026, 0, 1),
      end_time: Date.UTC(2026, 11, 31, 23),
      used_count: 0,
      is_unlimited: 1,
    });
    const guest = await keyOf('Guest');
    expect(guest.log).toMatchObject({ receiver_identifier: 'guest@example.com', plate_normalised: null });
    expect(guest.token).toMatchObject({ start_time: world.clock.now(), end_time: null });
    // Its time is over.
    const porter = await keyOf('Porter');
    expect([porter.log?.status, porter.token?.status]).toEqual(['expired', 'expired']);
    const ids = (await rows()).operation_tokens.map(({ credential_id }) => credential_id);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id >>> 31).toBe(0);
  });

  it('tells the links it made once, with tokens that are stored nowhere', async () => {
    const first = await apply(FULL_SITE_TEXT);
    const printed = first.out.slice(first.out.indexOf('Made now and shown only this once:') + 1);
    const secrets = createSecrets(loadServerKey(world.config));
    const { weblinks, products } = await rows();
    const courier = weblinks.find(({ name }) => name === 'Courier');
    expect(printed).toHaveLength(2);
    const [, id, token] =
      /^ {2}link of weblink Courier: https:\/\/parking\.example\/weblinks\/([\w-]{16})#([\w-]{43})$/.exec(
        printed[0] ?? '',
      ) ?? [];
    expect(id).toBe(courier?.id);
    expect(token).toBe(weblinkToken(secrets, { id: id ?? '', generation: 0 }));
    expect(JSON.stringify(weblinks)).not.toContain(token);
    expect(courier).toMatchObject({
      product_id: products[0]?.id,
      operations: '["open","stay_open"]',
      start_time: Date.UTC(2026, 0, 1),
      end_time: Date.UTC(2026, 11, 31, 23),
      used_count: 0,
      operation_token_id: null,
      revoked_at: null,
    });
    expect(weblinks.find(({ name }) => name === 'Neighbour')).toMatchObject({
      operations: '["open","close"]',
      start_time: world.clock.now(),
      end_time: null,
    });
    expect((await apply(FULL_SITE_TEXT)).out.join()).not.toContain('weblinks/');
  });

  it.each<[title: string, before: string, after: string, changed: string]>([
    ['a window of a tariff', 'price: 0.50', 'price: 0.75', 'tariff Day and night (windows)'],
    ['a terminal', 'is_master: true', 'is_master: false', 'terminal pay-1 (is_master)'],
    ['plates of an alert', 'ST0-LEN1, ZG900XX', 'ZG901XX', 'license plate alert Wanted (plates)'],
    ['how a plate of an alert is written', 'ST0-LEN1', 'ST0LEN1', 'license plate alert Wanted (plates)'],
    [
      'receivers of an alert',
      ', {name: Night, receiver_email: night@harbour.example}',
      '',
      'license plate alert Wanted (receivers)',
    ],
    ['the zone of an alert', 'zone: Deck\n        min', 'min', 'license plate alert Wanted (zone)'],
    [
      'the end of a key',
      'end_time: 2027-01-01T00:00:00+01:00',
      'end_time: 2028-01-01T00:00:00Z',
      'key Plumber (end_time)',
    ],
    ['an end taken away', ', end_time: 2027-01-01T00:00:00+01:00', '', 'key Plumber (end_time)'],
    ['the receiver of a key', 'ST 55-ABC', 'ST 56-ABC', 'key Plumber (receiver_identifier)'],
    ['the product of a key', 'Guest, product: b4c138000002', 'Guest, product: b4c138000001', 'key Guest (product)'],
    ['a rule of a display', 'display_text: FULL', 'display_text: VOLL', 'rule Mole sign/full (display_text)'],
    ['a display', 'stale_text: "--"', 'stale_text: "??"', 'display Mole sign (stale_text)'],
    ['the operations of a link', 'operations: [open, stay_open]', 'operations: [open]', 'weblink Courier (operations)'],
  ])('changes %s, and that only', async (_title, before, after, changed) => {
    await apply(FULL_SITE_TEXT);
    const text = edit(FULL_SITE_TEXT, before, after);
    const { of, code } = await apply(text);
    expect([code, of('changed'), of('created'), of('kept'), of('removed')]).toEqual([0, [changed], [], [], []]);
    expect((await apply(text)).summary).toBe('0 created, 0 changed, 25 unchanged.');
  });

  it('keeps the rows of an alert that stay', async () => {
    await apply(FULL_SITE_TEXT);
    const [first] = (await rows()).alert_receivers;
    await apply(edit(FULL_SITE_TEXT, 'name: Night, receiver_email: night', 'name: Night, receiver_email: late'));
    expect((await rows()).alert_receivers.map(({ id, receiver_email }) => [id, receiver_email])).toEqual([
      [first?.id, 'desk@harbour.example'],
      [expect.any(Number), 'late@harbour.example'],
    ]);
  });

  it('keeps what is not in the file, and removes it when asked to', async () => {
    await apply(FULL_SITE_TEXT);
    const less = ['col-1', 'name: Plumber', 'name: full, operator', 'name: Neighbour'].reduce(
      removeLine,
      FULL_SITE_TEXT,
    );
    const gone = ['weblink Neighbour', 'rule Mole sign/full', 'key Plumber', 'terminal col-1'];
    const kept = await apply(less);
    expect(kept.of('kept')).toEqual(gone.map((label) => `${label} (not in the file; --prune removes it)`));
    const pruned = await apply(less, { prune: true });
    expect(pruned.of('removed')).toEqual(gone);
    const all = await rows();
    expect([all.terminals, all.key_logs, all.rgb_display_rules, all.weblinks].map(({ length }) => length)).toEqual([
      1, 2, 1, 1,
    ]);
    // Keys and links leave a trace.
    const { reader } = world.store;
    const log = await reader.selectFrom('key_logs').selectAll().where('name', '=', 'Plumber').executeTakeFirstOrThrow();
    expect(log).toMatchObject({ status: 'deleted', deleted_at: world.clock.now() });
    const token = await reader
      .selectFrom('operation_tokens')
      .selectAll()
      .where('id', '=', log.operation_token_id)
      .executeTakeFirstOrThrow();
    expect(token.status).toBe('blocked');
    const link = await reader.selectFrom('weblinks').selectAll().where('name', '=', 'Neighbour').executeTakeFirst();
    expect(link?.revoked_at).toBe(world.clock.now());
    const again = await apply(FULL_SITE_TEXT);
    expect(again.of('created')).toEqual(['terminal col-1', 'key Plumber', 'rule Mole sign/full', 'weblink Neighbour']);
    expect((await keyOf('Plumber')).log?.id).not.toBe(log.id);
  });

  it('removes an alert and a display with all their parts', async () => {
    await apply(FULL_SITE_TEXT);
    const from = FULL_SITE_TEXT.indexOf('    license_plate_alerts:');
    const to = FULL_SITE_TEXT.indexOf('    weblinks:');
    const pruned = await apply(FULL_SITE_TEXT.slice(0, from) + FULL_SITE_TEXT.slice(to), { prune: true });
    expect(pruned.of('removed')).toEqual([
      'rule Mole sign/full',
      'rule Mole sign/some',
      'display Mole sign',
      'key Plumber',
      'key Guest',
      'key Porter',
      'license plate alert Wanted',
    ]);
    const all = await rows();
    expect([all.alert_plates, all.alert_receivers, all.rgb_displays, all.rgb_display_rules]).toEqual([[], [], [], []]);
  });

  it('lets two accounts name a terminal alike', async () => {
    await apply(FULL_SITE_TEXT);
    const terminal = '{device_id: pay-1, name: P, type: pof}';
    const other = `version: 1\naccounts:\n  - name: Other\n    lots:\n      - {name: L, zones: [{name: Z, terminals: [${terminal}]}]}\n`;
    expect((await apply(other)).of('created')).toContain('terminal pay-1');
    expect((await apply(other)).of('changed')).toEqual([]);
  });
});

describe('a key', () => {
  const PLUMBER_END = 'end_time: 2027-01-01T00:00:00+01:00';
  const withEnd = (end: string) => edit(FULL_SITE_TEXT, PLUMBER_END, `end_time: ${end}`);

  it('whose window or product changes gets another credential id, and one that does not keeps it', async () => {
    await apply(FULL_SITE_TEXT);
    const before = await keyOf('Plumber');
    await apply(edit(FULL_SITE_TEXT, 'ST 55-ABC', 'ST 57-ABC'));
    expect((await keyOf('Plumber')).token).toEqual(before.token);
    await apply(withEnd('2026-09-01T00:00:00Z'));
    const after = await keyOf('Plumber');
    expect(after.log?.id).toBe(before.log?.id);
    expect(after.token).toMatchObject({ id: before.token?.id, status: 'active' });
    expect(after.token?.credential_id).not.toBe(before.token?.credential_id);
  });

  it('has its product told to refuse the earlier credentials when it changes or goes', async () => {
    await apply(FULL_SITE_TEXT);
    const denied = async () =>
      (await world.store.reader.selectFrom('token_denials').select('credential_id').orderBy('id').execute()).map(
        ({ credential_id }) => credential_id,
      );
    const first = (await keyOf('Guest')).token?.credential_id;
    const until = 'name: Guest, end_time: 2027-01-01T00:00:00Z,';
    await apply(edit(FULL_SITE_TEXT, 'name: Guest,', until));
    expect(await denied()).toEqual([first]);
    const second = (await keyOf('Guest')).token?.credential_id;
    await apply(removeLine(FULL_SITE_TEXT, 'name: Guest'), { prune: true });
    expect(await denied()).toEqual([first, second]);
  });

  it('by mail is mailed once, with a link that follows its window and its product', async () => {
    await apply(FULL_SITE_TEXT);
    const { reader } = world.store;
    const mails = () => reader.selectFrom('mails').selectAll().orderBy('id').execute();
    const guest = await keyOf('Guest');
    const link = async () =>
      reader
        .selectFrom('weblinks')
        .selectAll()
        .where('operation_token_id', '=', guest.token?.id ?? 0)
        .executeTakeFirstOrThrow();
    const [mail, ...others] = await mails();
    expect(others).toEqual([]);
    const { product_id, start_time } = guest.token ?? {};
    const first = await link();
    expect(first).toMatchObject({
      product_id,
      start_time,
      end_time: null,
      operations: '["open","close"]',
      revoked_at: null,
    });
    expect(mail).toMatchObject({ receiver_email: 'guest@example.com', kind: 'key', status: 'queued' });
    expect(JSON.parse(mail?.content ?? '')).toMatchObject({
      sender_name: null,
      products: [{ weblink: { id: first.id, generation: 0 } }],
    });
    expect(guest.log?.invitation_mail_id).toBe(mail?.id);
    const moved = edit(
      FULL_SITE_TEXT,
      'name: Guest, product: b4c138000002,',
      'name: Guest, product: b4c138000001, end_time: 2027-01-01T00:00:00Z,',
    );
    expect((await apply(moved)).of('changed')).toHaveLength(1);
    const { product_id: other } = (await keyOf('Guest')).token ?? {};
    expect(other).not.toBe(product_id);
    expect(await link()).toMatchObject({ id: first.id, product_id: other, end_time: Date.UTC(2027, 0, 1) });
    expect((await apply(moved)).summary).toBe('0 created, 0 changed, 25 unchanged.');
    expect(await mails()).toHaveLength(1);
    await apply(removeLine(FULL_SITE_TEXT, 'name: Guest'), { prune: true });
    expect((await link()).revoked_at).toBe(world.clock.now());
  });

  it('comes back with a window that is not over, and ends with one that is', async () => {
    await apply(FULL_SITE_TEXT);
    const over = await apply(withEnd('2026-01-02T00:00:00Z'));
    expect(over.of('changed')).toEqual(['key Plumber (status, end_time)']);
    const ended = await keyOf('Plumber');
    expect([ended.log?.status, ended.token?.status]).toEqual(['expired', 'expired']);
    await apply(FULL_SITE_TEXT);
    const back = await keyOf('Plumber');
    expect([back.log?.status, back.token?.status]).toEqual(['active', 'active']);
  });

  it('stays blocked when a person blocked it', async () => {
    await apply(FULL_SITE_TEXT);
    await world.store.change(async (tx) => {
      await tx.updateTable('key_logs').set({ status: 'blocked' }).execute();
      await tx.updateTable('operation_tokens').set({ status: 'blocked' }).execute();
    });
    expect((await apply(FULL_SITE_TEXT)).of('changed')).toEqual([]);
    await apply(withEnd('2029-01-01T00:00:00Z'));
    const { log, token } = await keyOf('Plumber');
    expect([log?.status, token?.status]).toEqual(['blocked', 'blocked']);
    expect(token?.end_time).toBe(Date.UTC(2029, 0, 1));
  });

  it('is renewed when its product is given another master key; keys that the file does not have are worth nothing', async () => {
    await apply(FULL_SITE_TEXT);
    const before = await keyOf('Guest');
    const withoutPorter = removeLine(FULL_SITE_TEXT, 'name: Porter');
    await world.store.change((tx) =>
      tx.updateTable('operation_tokens').set({ status: 'active' }).where('status', '=', 'expired').execute(),
    );
    const paired = edit(withoutPorter, '5d'.repeat(32), '6e'.repeat(32));
    expect((await apply(paired)).of('changed')).toEqual(['product b4c138000002 (master_key)', 'key Guest (status)']);
    const guest = await keyOf('Guest');
    expect([guest.log?.status, guest.token?.status]).toEqual(['active', 'active']);
    expect(guest.token?.credential_id).not.toBe(before.token?.credential_id);
    const porter = await keyOf('Porter');
    expect([porter.log?.status, porter.token?.status]).toEqual(['invalid', 'invalid']);
    expect((await keyOf('Plumber')).token?.status).toBe('active');
    expect((await apply(paired)).of('changed')).toEqual([]);
  });

  it('stays when its product is paired for the first time', async () => {
    await apply(FULL_SITE_TEXT);
    const before = await keyOf('Plumber');
    await apply(edit(FULL_SITE_TEXT, 'autoclose_time: 8,', `master_key: "${'7f'.repeat(32)}", autoclose_time: 8,`));
    expect(await keyOf('Plumber')).toEqual(before);
  });

  it('is invalid when a removed product leaves it behind', async () => {
    await apply(FULL_SITE_TEXT);
    await world.store.change(async (tx) => {
      const { id } = await tx
        .selectFrom('products')
        .select('id')
        .where('device_id', '=', 'b4c138000002')
        .executeTakeFirstOrThrow();
      const gone = { id, now: world.clock.now() };
      await PRODUCT.deletion?.before?.(tx, gone);
      await deleteRow(tx, 'products', gone.id);
    });
    const { log, token } = await keyOf('Guest');
    expect([log?.status, token?.status]).toEqual(['invalid', 'invalid']);
    expect((await keyOf('Plumber')).token?.status).toBe('active');
    // The file brings the product back, and with it the key.
    await apply(FULL_SITE_TEXT);
    const again = await keyOf('Guest');
    expect([again.log?.id, again.log?.status, again.token?.status]).toEqual([log?.id, 'active', 'active']);
  });

  it('is no business of the file when it was sent to a receiver, nor is its link', async () => {
    await apply(FULL_SITE_TEXT);
    await world.store.change(async (tx) => {
      const now = world.clock.now();
      const times = { created_at: now, updated_at: now };
      const account_id = 1;
      const [product] = await tx.selectFrom('products').selectAll().execute();
      const product_id = product?.id ?? 0;
      const id = async (query: { executeTakeFirstOrThrow(): Promise<{ id: number }> }) =>
        (await query.executeTakeFirstOrThrow()).id;
      const window = { start_time: now, end_time: null, used_count: 0 };
      const operation_token_id = await id(
        tx
          .insertInto('operation_tokens')
          .values({ account_id, product_id, ...window, status: 'active', is_unlimited: 1, credential_id: 7, ...times })
          .returning('id'),
      );
      const key = { account_id, product_id, name: 'Sent', operation_token_id, ...times };
      const receiver = { receiver_identifier: 'a@b.example', receiver_identifier_type: 'email' } as const;
      await tx
        .insertInto('key_logs')
        .values({ ...key, ...receiver, status: 'active' })
        .execute();
      const receiver_id = await id(
        tx
          .insertInto('key_receivers')
          .values({ account_id, email: 'a@b.example', name: '', ...times })
          .returning('id'),
      );
      await tx
        .insertInto('operation_keys')
        .values({ ...key, receiver_id })
        .execute();
      await tx
        .insertInto('weblinks')
        .values({ ...key, ...window, id: 'sent-weblink', operations: '["open"]', generation: 0 })
        .execute();
    });
    expect((await apply(FULL_SITE_TEXT, { prune: true })).summary).toBe('0 created, 0 changed, 25 unchanged.');
  });

  it('is the oldest when several have its name, whatever their tokens', async () => {
    await apply(FULL_SITE_TEXT);
    await world.store.change((tx) => tx.updateTable('key_logs').set({ name: 'Plumber' }).execute());
    const kept = await apply(FULL_SITE_TEXT);
    expect(kept.of('created')).toEqual(['key Guest', 'key Porter']);
    expect(kept.of('kept')).toEqual([
      'key Plumber (id 2) (not in the file; --prune removes it)',
      'key Plumber (id 3) (not in the file; --prune removes it)',
    ]);
    expect(kept.of('changed')).toEqual([]);
  });
});

describe('the audit log of an apply', () => {
  it('tells what was done, in a whole chain, and nothing secret', async () => {
    await apply(FULL_SITE_TEXT);
    await apply(edit(FULL_SITE_TEXT, 'spot_count: 12', 'spot_count: 13'));
    await apply(removeLine(FULL_SITE_TEXT, 'col-1'), { prune: true });
    const { reader } = world.store;
    const entries = await reader.selectFrom('audit_log').selectAll().orderBy('id').execute();
    expect(entries.slice(0, 25).every(({ action }) => action.endsWith('.create'))).toBe(true);
    const { zones, terminals } = await rows();
    const [zone] = zones;
    // As a change over REST is told, with what the file calls it.
    const changed = ['zone.update', `zone ${zone?.id}`, '{"site_file":"zone North/Deck","fields":["spot_count"]}'];
    const removed = Math.max(...terminals.map(({ id }) => id)) + 1;
    expect(entries.slice(25).map(({ action, target, details }) => [action, target, details])).toEqual([
      changed,
      ['terminal.delete', `terminal ${removed}`, '{"site_file":"terminal col-1"}'],
      changed,
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ account_id: 1, actor_type: 'operator', actor_id: null });
    expect(await verifyAudit(reader, world.derive('audit_log'))).toMatchObject({ broken: null });
    // Any four digits stand in some hash.
    const text = JSON.stringify(entries.map(({ hash: _hash, previous_hash: _previous, ...said }) => said));
    for (const secret of ['gulls', 'reports-token', 'MOLE-FOUR', 'camera phrase', 'deck-push', '5d5d']) {
      expect(text).not.toContain(secret);
    }
  });

  it('writes nothing for a dry run or what is as it should be', async () => {
    await apply(FULL_SITE_TEXT, { dryRun: true });
    const count = async () => (await world.store.reader.selectFrom('audit_log').select('id').execute()).length;
    expect(await count()).toBe(0);
    await apply(FULL_SITE_TEXT);
    const written = await count();
    await apply(FULL_SITE_TEXT);
    expect(await count()).toBe(written);
  });
});
