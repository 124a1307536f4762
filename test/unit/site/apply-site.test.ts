import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findUserByEmail } from '../../../cloud/site/account/account-user-queries.js';
import { findCallerByTokenHash } from '../../../cloud/site/api-token/caller-queries.js';
import { runApply } from '../../../cloud/doors/cli/apply.js';
import { runMigrate } from '../../../cloud/doors/cli/migrate.js';
import { createSecrets, hashToken } from '../../../cloud/kernel/secrets/secrets.js';
import { loadServerKey } from '../../../cloud/kernel/secrets/server-key.js';
import { handSecretsOn } from '../../../cloud/equipment/gateway/secret-holder-queries.js';
import { MIGRATIONS } from '../../../cloud/all-migrations.js';
import { createCloudStore } from '../../../cloud/kernel/store/sqlite/sqlite-store.js';
import { DAY_MS } from '../../../shared/durations.js';
import { silentLogger } from '../../../shared/logger.js';
import { type ApplyWorld, createApplyWorld } from './apply-world.js';
import { edit, SITE_TEXT } from './site-text.js';
import { recordIo } from '../../world/record-io.js';
import { quickPasswords } from '../../world/quick-passwords.js';

let world: ApplyWorld;

beforeEach(async () => {
  world = await createApplyWorld();
});
afterEach(() => world.close());

const apply: ApplyWorld['apply'] = (...args) => world.apply(...args);
const rows = () => world.rows();

async function only<T>(all: Promise<T[]>): Promise<T> {
  const [first, ...rest] = await all;
  if (first === undefined || rest.length > 0) throw new Error('not exactly one row');
  return first;
}

const claimGateways = () =>
  world.store.change(async (tx) => {
    for (const gateway of await tx.selectFrom('gateways').selectAll().execute())
      await handSecretsOn(tx, gateway, { public_key: 'key' });
    await tx
      .updateTable('gateways')
      .set({ claimed_at: 5, public_key: 'key', claim_code_hash: hashToken('HARBOUR-NORTH-0001') })
      .execute();
  });

/** A lot of the account `Other`, with this many gateways in the file, and a camera and a sign that name none. */
const siteWithCamera = (gateways: string[]) =>
  `${siteWithGateways(gateways).replace('        gateways:\n', gateways.length === 0 ? '' : '        gateways:\n')}        zones:
          - name: Z
            lpr_cameras: [{ device_id: cam, name: Eye, driver: hikvision, timezone: UTC, lpr_position: in }]
`;

const siteWithGateways = (names: string[]) =>
  `version: 1\naccounts:\n  - name: Other\n    lots:\n      - name: L\n        gateways:\n${names.map((name) => `          - {name: ${name}}\n`).join('')}`;

const gatewaySlots = async () =>
  (await rows()).gateways.map(({ name, slot, slot_generation }) => `${name} ${slot}/${slot_generation}`);

const NOTICED = 'A cloud that runs on this database notices it by itself and sends it to its gateways within 5 s.';

describe('apply', () => {
  it('creates everything a file declares', async () => {
    const { code, out, err } = await apply(SITE_TEXT);
    expect([code, err]).toEqual([0, []]);
    expect(out).toEqual([
      'created    account Harbour Parking',
      'created    tariff Public',
      'created    lot North',
      'created    user owner@harbour.example',
      'created    user guard@harbour.example',
      'created    API token integration',
      'created    gateway North/Entrance Pi',
      'created    zone North/Level 0',
      'created    product a4c138000001',
      'created    bound license ZG777BB of product a4c138000001',
      'created    bound license ZG888CC of product a4c138000001',
      'created    product a4c138000002',
      'created    camera cam-in-1',
      'created    group Residents',
      'created    member Mia',
      '15 created, 0 changed, 0 unchanged.',
      NOTICED,
    ]);
    const all = await rows();
    const [lot, zone, gateway] = [all.lots[0], all.zones[0], all.gateways[0]];
    expect(lot).toMatchObject({
      timezone: 'Europe/Zagreb',
      latitude: 43.5,
      longitude: null,
      created_at: world.clock.now(),
    });
    expect(zone).toMatchObject({ lot_id: lot?.id, spot_count: 40, occupancy_max_hours: 72 });
    expect(gateway).toMatchObject({
      lot_id: lot?.id,
      slot: 1,
      status: 'offline',
      claimed_at: null,
      claim_expires_at: world.clock.now() + 90 * DAY_MS,
      claim_code_hash: hashToken('HARBOURNORTH0001'),
    });
    expect(all.tariffs[0]).toMatchObject({ price_minor: 150, daily_max_minor: 1200, windows: '[]' });
    expect(all.zone_tariffs).toEqual([{ zone_id: zone?.id, tariff_id: all.tariffs[0]?.id, position: 0 }]);
    expect(
      all.product_blocks.map(({ state, is_autoclose, autoclose_time }) => [state, is_autoclose, autoclose_time]),
    ).toEqual([
      ['closed', 1, 10],
      ['unknown', 0, 10],
    ]);
    expect(all.bound_licenses.map(({ license_plate, plate_normalised }) => [license_plate, plate_normalised])).toEqual([
      ['ZG777BB', 'ZG777BB'],
      ['ZG 888-CC', 'ZG888CC'],
    ]);
    expect(all.lpr_cameras[0]).toMatchObject({
      zone_id: zone?.id,
      gateway_id: gateway?.id,
      product_id: all.products[0]?.id,
    });
    expect(all.group_members).toEqual([{ group_id: all.groups[0]?.id, member_id: all.members[0]?.id }]);
    expect(all.group_zones).toEqual([{ group_id: all.groups[0]?.id, zone_id: zone?.id }]);
    expect(all.account_user_lots).toHaveLength(2);
  });

  it('gives its secrets to the device that is the gateway by now, and that alone is a change', async () => {
    await apply(SITE_TEXT);
    const camera = async () => (await rows()).lpr_cameras.find(({ device_id }) => device_id === 'cam-in-1');
    const holders = async () => new Set(Object.values(JSON.parse((await camera())?.secrets_for ?? '{}')));
    const gateway_id = (await camera())?.gateway_id ?? 0;
    expect(await holders()).toEqual(new Set([`gateway:${gateway_id}`]));
    expect((await apply(SITE_TEXT)).of('changed')).toEqual([]);
    const become = (public_key: string) =>
      world.store.change((tx) => tx.updateTable('gateways').set({ public_key }).where('id', '=', gateway_id).execute());
    await become('another');
    expect((await apply(SITE_TEXT)).of('changed')).toContain('camera cam-in-1 (secrets)');
    expect(await holders()).toEqual(new Set(['device:another']));
    expect((await apply(SITE_TEXT)).of('changed')).toEqual([]);
  });

  it('leads no stored password of a camera elsewhere unless the file gives one', async () => {
    await apply(SITE_TEXT);
    const password = async () => {
      const [camera] = (await rows()).lpr_cameras;
      const secrets = createSecrets(loadServerKey(world.config));
      return [camera?.address, secrets.open('camera_password', camera?.password_sealed ?? '').toString()];
    };
    const [address = '', secret] = await password();
    const elsewhere = edit(SITE_TEXT, String(address), 'http://198.51.100.7');
    const { code, err } = await apply(edit(elsewhere, 'password: camera secret', 'username: admin'));
    expect(code).not.toBe(0);
    expect(err.join()).toContain('password: must be given again');
    expect(await password()).toEqual([address, secret]);
    expect((await apply(elsewhere)).code).toBe(0);
    expect(await password()).toEqual(['http://198.51.100.7', secret]);
  });

  it('gives the code of a file an end, and a new one when it is over and the file is applied again', async () => {
    const end = async () => (await rows()).gateways[0]?.claim_expires_at;
    await apply(SITE_TEXT);
    const first = await end();
    await world.clock.advance(89 * DAY_MS);
    expect((await apply(SITE_TEXT)).summary).toContain(' 0 changed');
    expect(await end()).toBe(first);
    await world.clock.advance(DAY_MS);
    expect((await apply(SITE_TEXT)).of('changed')).toHaveLength(1);
    expect(await end()).toBe(Number(first) + 90 * DAY_MS);
    expect((await apply(edit(SITE_TEXT, 'HARBOUR-NORTH-0001', 'HARBOUR-N01'))).code).not.toBe(0);
  });

  it.each([
    ['short', 'nine char', 'must'],
    ['common', 'password1234', 'must be harder to guess'],
    ['common, with signs for letters', 'P@ssw0rd12', 'must be harder to guess'],
    ['common, however often', 'P@ssw0rd'.repeat(12), 'must be harder to guess'],
    ['of keys in a row', 'qwertzuiop', 'must be harder to guess'],
    ['of a season and a year', 'Sommer2026!', 'must be harder to guess'],
    ['of its user and a year', 'Olga-2026!!', 'must be harder to guess'],
    ['of the account and a year', 'H4rb0ur-P4rking2026', 'must be harder to guess'],
    ['of the company of the mail address and a year', 'H4rbour2026', 'must be harder to guess'],
    ['blank', ' '.repeat(12), 'must not be blank'],
    ['the mail address', 'Owner@Harbour.example', 'must not be the e-mail address'],
  ])('takes no password that is %s', async (_what, password, reason) => {
    const { code, err } = await apply(edit(SITE_TEXT, 'password: "long pass phrase"', `password: "${password}"`));
    expect(code).not.toBe(0);
    expect(err.join()).toContain(`password: ${reason}`);
  });

  it('seals and hashes what is secret', async () => {
    await apply(SITE_TEXT);
    const all = await rows();
    const secrets = createSecrets(loadServerKey(world.config));
    const [barrier, gate] = all.products;
    expect(secrets.open('product_master_key', barrier?.master_key_sealed ?? '')).toEqual(
      Buffer.from([...Array(32).keys()]),
    );
    expect(barrier?.pairing_epoch).toBe(1);
    expect([gate?.master_key_sealed, gate?.pairing_epoch]).toEqual([null, 0]);
    expect(secrets.open('camera_password', all.lpr_cameras[0]?.password_sealed ?? '').toString()).toBe('camera secret');
    expect(secrets.open('camera_push_key', all.lpr_cameras[0]?.push_key_sealed ?? '').toString()).toBe(
      'camera-push-key',
    );
    const text = JSON.stringify(all);
    for (const secret of [
      'pass phrase',
      'demo-integration',
      'HARBOUR-NORTH',
      '00010203',
      'camera secret',
      'camera-push',
    ]) {
      expect(text).not.toContain(secret);
    }
  });

  it('lets people and programs in, who were given a way in', async () => {
    await apply(SITE_TEXT);
    const { store } = world;
    const holder = await findCallerByTokenHash(store.reader, hashToken('demo-integration-token-0123456789abcdef'));
    expect(holder).toMatchObject({ kind: 'api', user_id: 1, role: 'Super Admin', lot_ids: new Set([1]) });
    expect(await findCallerByTokenHash(store.reader, hashToken('another'))).toBeNull();
    const owner = await findUserByEmail(store.reader, { account_id: 1, email: 'Owner@Harbour.example' });
    const guard = await findUserByEmail(store.reader, { account_id: 1, email: 'guard@harbour.example' });
    expect(await quickPasswords.verify('long pass phrase', owner?.password_hash ?? null)).toBe(true);
    // No password was given to the guard.
    expect(await quickPasswords.verify('', guard?.password_hash ?? null)).toBe(false);
  });

  it('changes nothing the second time', async () => {
    await apply(SITE_TEXT);
    const before = await rows();
    world.clock.jumpWall(60_000);
    const { summary } = await apply(SITE_TEXT);
    expect(summary).toBe('0 created, 0 changed, 15 unchanged.');
    expect(await rows()).toEqual(before);
  });

  it('writes nothing in a dry run, and tells the same', async () => {
    const dry = await apply(SITE_TEXT, { dryRun: true });
    expect((await rows()).accounts).toEqual([]);
    const real = await apply(SITE_TEXT);
    expect(dry.out).toEqual([...real.out.slice(0, -1), 'This was a dry run: nothing was written.']);
    expect(real.out.at(-1)).toBe(NOTICED);
    const changed = edit(SITE_TEXT, 'spot_count: 40', 'spot_count: 41');
    expect((await apply(changed, { dryRun: true })).of('changed')).toEqual(['zone North/Level 0 (spot_count)']);
    expect((await rows()).zones[0]?.spot_count).toBe(40);
  });

  it.each<[title: string, before: string, after: string, changed: string]>([
    ['a value', 'timezone: Europe/Zagreb', 'timezone: Europe/Rome', 'lot North (timezone)'],
    ['a value left out, to its default', 'latitude: 43.5', 'address: ""', 'lot North (latitude)'],
    ['a password', 'long pass phrase', 'longer pass phrase', 'user owner@harbour.example (password)'],
    ['a role', 'role: Attendant', 'role: Admin', 'user guard@harbour.example (role)'],
    ['assigned lots', 'lots: [North]', 'lots: []', 'user guard@harbour.example (lots)'],
    ['a token', 'demo-integration-token', 'next-integration-token', 'API token integration (token)'],
    ['a price', 'price: 1.50', 'price: 2', 'tariff Public (price)'],
    ['a claim code', 'HARBOUR-NORTH-0001', 'HARBOUR-NORTH-0002', 'gateway North/Entrance Pi (claim_code)'],
    ['a gateway known by its uuid', 'name: Entrance Pi\n', 'name: Entry Pi\n', 'gateway North/Entry Pi (name)'],
    ['tariffs of a zone', 'tariffs: [Public]\n', 'tariffs: []\n', 'zone North/Level 0 (tariffs)'],
    ['a master key', '000102030405', '100102030405', 'product a4c138000001 (master_key)'],
    ['settings of a product', 'autoclose_time: 10', 'autoclose_time: 20', 'product a4c138000001 (autoclose_time)'],
    ['a camera password', 'camera secret', 'another secret', 'camera cam-in-1 (password)'],
    ['the product of a camera', 'product: a4c138000001', 'product: a4c138000002', 'camera cam-in-1 (product)'],
    ['a plate as it is written', 'ZG1234AB', 'ZG-1234-AB', 'member Mia (license_plate, plates)'],
    ['groups of a member', 'groups: [Residents]', 'groups: []', 'member Mia (groups)'],
    ['zones of a group', 'zones: [Level 0], ', '', 'group Residents (zones)'],
  ])('changes %s, and that only', async (_title, before, after, changed) => {
    await apply(SITE_TEXT);
    world.clock.jumpWall(60_000);
    let text = edit(SITE_TEXT, before, after);
    if (before.startsWith('name: Entrance Pi')) text = edit(text, 'gateway: Entrance Pi', 'gateway: Entry Pi');
    const { of, code } = await apply(text);
    expect([code, of('changed'), of('created'), of('kept')]).toEqual([0, [changed], [], []]);
    expect((await apply(text)).of('changed')).toEqual([]);
    expect((await rows()).accounts[0]?.updated_at).toBe(world.clock.now() - 60_000);
  });

  it('keeps what is not in the file, and removes it when asked to', async () => {
    const lotWithMore = edit(
      SITE_TEXT,
      '    members:',
      `      - name: South
        gateways: [{name: South Pi}]
        zones:
          - name: Yard
            products: [{device_id: a4c138000003, name: Chain, type: chain}]
            lpr_cameras: [{device_id: cam-yard, name: Yard, driver: axis, product: a4c138000003}]
    members:
      - {name: Tom, license_plate: ZG9, groups: [Residents]}`,
    );
    await apply(lotWithMore);
    const ofSouth = [
      'member Tom',
      'camera cam-yard',
      'product a4c138000003',
      'gateway South/South Pi',
      'zone South/Yard',
      'lot South',
    ];
    const kept = await apply(SITE_TEXT);
    expect(kept.of('kept')).toEqual(ofSouth.map((label) => `${label} (not in the file; --prune removes it)`));
    expect(kept.summary).toBe('0 created, 0 changed, 15 unchanged, 6 kept.');
    const pruned = await apply(SITE_TEXT, { prune: true });
    expect(pruned.of('removed')).toEqual(ofSouth);
    // The owner has all lots: there is one less.
    expect(pruned.of('changed')).toEqual(['user owner@harbour.example (lots)']);
    const all = await rows();
    expect([all.lots, all.zones, all.gateways, all.lpr_cameras, all.members].map((table) => table.length)).toEqual([
      1, 1, 1, 1, 1,
    ]);
    expect(all.products).toHaveLength(2);
  });

  it('prunes a bound license', async () => {
    await apply(SITE_TEXT);
    const text = edit(SITE_TEXT, 'bound_licenses: [ZG777BB, "ZG 888-CC"]', 'bound_licenses: [ZG777BB]');
    expect((await apply(text)).of('kept')).toEqual([
      'bound license ZG888CC of product a4c138000001 (not in the file; --prune removes it)',
    ]);
    expect((await apply(text, { prune: true })).of('removed')).toEqual([
      'bound license ZG888CC of product a4c138000001',
    ]);
  });

  it('moves a product to the zone that has it now, also when its old one goes', async () => {
    await apply(SITE_TEXT);
    const { id } = (await rows()).products[1] ?? { id: 0 };
    const gate = '{device_id: a4c138000002, name: Exit gate, type: gate}';
    const text = edit(
      edit(SITE_TEXT, `              - ${gate}\n`, ''),
      '    members:',
      `      - name: South\n        zones: [{name: Yard, products: [${gate}]}]\n    members:`,
    );
    expect((await apply(text, { prune: true })).of('changed')).toContain('product a4c138000002 (lot, zone)');
    const all = await rows();
    expect(all.products[1]).toMatchObject({ id, lot_id: all.lots[1]?.id, zone_id: all.zones[1]?.id });
    const back = edit(
      edit(text, `      - name: South\n        zones: [{name: Yard, products: [${gate}]}]\n`, ''),
      '            lpr_cameras:',
      `              - ${gate}\n            lpr_cameras:`,
    );
    expect((await apply(back, { prune: true })).of('removed')).toEqual(['zone South/Yard', 'lot South']);
    expect((await rows()).products[1]).toMatchObject({ id, lot_id: all.lots[0]?.id, zone_id: all.zones[0]?.id });
  });

  it('leaves other accounts alone', async () => {
    await apply(SITE_TEXT);
    const other =
      'version: 1\naccounts:\n  - name: Other\n    lots: [{name: North}]\n    groups: [{name: Residents}]\n';
    const { of } = await apply(other, { prune: true });
    expect([of('created'), of('removed')]).toEqual([['account Other', 'lot North', 'group Residents'], []]);
    expect((await apply(SITE_TEXT)).summary).toBe('0 created, 0 changed, 15 unchanged.');
  });

  it('refuses, with the line, secrets that another account has already, and writes nothing', async () => {
    await apply(SITE_TEXT);
    const other = `version: 1
accounts:
  - name: Other
    users: [{email: owner@harbour.example, name: O}]
    api_tokens: [{name: mine, token: demo-integration-token-0123456789abcdef}]
    lots:
      - name: Lot
        gateways:
          - {name: Pi, uuid: 0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01, claim_code: HARBOUR-NORTH-0001}
        zones:
          - name: Z
            products: [{device_id: a4c138000001, name: B, type: barrier}]
`;
    const { code, out, err } = await apply(other);
    const lot = 'accounts[0].lots[0]';
    const file = join(world.directory, 'site.yaml');
    expect([code, out]).toEqual([2, []]);
    expect(err).toEqual([
      `${file}:5: accounts[0].api_tokens[0].token: integration of account Harbour Parking has this token already`,
      `${file}:9: ${lot}.gateways[0].claim_code: Entrance Pi of account Harbour Parking has this claim_code already`,
      '2 problems; nothing was written',
    ]);
    expect((await rows()).accounts).toHaveLength(1);
  });

  it('lets two accounts have the same e-mail, uuid and device_id', async () => {
    await apply(SITE_TEXT);
    const other = `version: 1
accounts:
  - name: Other
    users: [{email: owner@harbour.example, name: O, password: another pass phrase}]
    lots:
      - name: Lot
        gateways: [{name: Pi, uuid: 0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01}]
        zones: [{name: Z, products: [{device_id: a4c138000001, name: B, type: barrier}]}]
`;
    expect((await apply(other)).of('created')).toContain('user owner@harbour.example');
    expect((await apply(other)).of('changed')).toEqual([]);
    expect((await apply(SITE_TEXT)).summary).toBe('0 created, 0 changed, 15 unchanged.');
  });

  it('takes over a token from what it removes, and refuses to while that stays', async () => {
    await apply(SITE_TEXT);
    const renamed = edit(SITE_TEXT, 'name: integration', 'name: renamed');
    expect((await apply(renamed)).err[0]).toMatch(
      /:11: .*token: integration of account Harbour Parking has this token/,
    );
    const { of } = await apply(renamed, { prune: true });
    expect([of('created'), of('removed')]).toEqual([['API token renamed'], ['API token integration']]);
  });

  it('touches no database for a bad file', async () => {
    const before = await rows();
    const { code, out, err } = await apply(edit(SITE_TEXT, 'type: barrier', 'type: door'));
    expect([code, out, err.at(-1)]).toEqual([2, [], '1 problem; nothing was written']);
    expect(err[0]).toMatch(/site\.yaml:32: accounts\[0\]\.lots\[0\]\.zones\[0\]\.products\[0\]\.type: must be/);
    expect(await rows()).toEqual(before);
  });

  it('tells of a file that is not there', async () => {
    const { io, err } = recordIo();
    const options = { prune: false, dryRun: false, config: world.config };
    const deps = { ...world, passwords: quickPasswords };
    expect(await runApply({ ...options, file: '/none.yaml' }, deps, io)).toBe(2);
    expect(err[0]).toMatch(/^\/none\.yaml: cannot be read: ENOENT/);
    expect(await runApply({ ...options, file: world.directory }, deps, io)).toBe(2);
  });

  describe('makes the secrets a file leaves to it', () => {
    const text = edit(
      edit(SITE_TEXT, '            claim_code: HARBOUR-NORTH-0001\n', ''),
      ', token: demo-integration-token-0123456789abcdef',
      '',
    );

    it('shows them once', async () => {
      const dry = await apply(text, { dryRun: true });
      expect(dry.out.at(-1)).toBe('This was a dry run: nothing was written.');
      const { out } = await apply(text);
      const printed = out.slice(out.indexOf('Made now and shown only this once:') + 1);
      const [, token] = /^ {2}token of API token integration: ([A-Za-z0-9_-]{43})$/.exec(printed[0] ?? '') ?? [];
      const [, code] =
        /^ {2}claim code of gateway North\/Entrance Pi: ((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})$/.exec(printed[1] ?? '') ?? [];
      expect(await findCallerByTokenHash(world.store.reader, hashToken(token ?? ''))).toMatchObject({ kind: 'api' });
      expect((await rows()).gateways[0]?.claim_code_hash).toBe(hashToken(code ?? ''));
      const again = await apply(text);
      expect(again.summary).toBe('0 created, 0 changed, 15 unchanged.');
    });
  });

  describe('a gateway', () => {
    it('stays claimed when it was, whatever the code in the file', async () => {
      await apply(SITE_TEXT);
      await claimGateways();
      for (const code of ['HARBOUR-NORTH-0001', 'HARBOUR-NORTH-0002']) {
        expect((await apply(edit(SITE_TEXT, 'HARBOUR-NORTH-0001', code))).of('changed')).toEqual([]);
      }
      expect(await only(rows().then(({ gateways }) => gateways))).toMatchObject({
        claimed_at: 5,
        public_key: 'key',
        claim_code_hash: hashToken('HARBOUR-NORTH-0001'),
      });
    });

    it('does not become another device when it was claimed', async () => {
      await apply(SITE_TEXT);
      const other = edit(SITE_TEXT, 'uuid: 0d3c2a54', 'uuid: 11111111');
      expect((await apply(other, { dryRun: true })).of('changed')).toEqual(['gateway North/Entrance Pi (uuid)']);
      await claimGateways();
      expect((await apply(other)).err[0]).toMatch(
        /:22: .*gateways\[0\]\.uuid: the device 0d3c2a54-.* has claimed this gateway/,
      );
    });

    it('gets the lowest slot of its lot that nobody had, of which there are 15', async () => {
      const names = Array.from({ length: 15 }, (_, index) => `g${index}`);
      await apply(siteWithGateways(names.slice(0, 3)));
      // What was removed may have been stolen: nobody follows it in its slot.
      await apply(siteWithGateways(['g0', 'g2', 'new']), { prune: true });
      expect(await gatewaySlots()).toEqual(['g0 1/0', 'g2 3/0', 'new 4/0']);
      await apply(siteWithGateways(['g0', 'g2', 'new', 'g1']));
      expect(await gatewaySlots()).toContain('g1 5/0');
      const full = ['g0', 'g1', 'g2', 'new', ...names.slice(4)];
      const filled = await apply(siteWithGateways(full));
      expect(filled.code).toBe(0);
      expect(await gatewaySlots()).toContain('g14 2/1');
      expect(filled.out).toContain(
        'Note: gateway L/g14 follows others in slot 2 of its lot; its products refuse it until they are ordered to raise the slot to generation 1.',
      );
      const one = await apply(siteWithGateways([...full, 'more']));
      expect([one.code, one.err[0]]).toEqual([
        2,
        expect.stringMatching(/:22: .*gateways\[15\]: a lot has 15 gateways at most$/),
      ]);
    });

    it('is a generation later when it follows another once all slots were given', async () => {
      const names = Array.from({ length: 15 }, (_, index) => `g${index}`);
      await apply(siteWithGateways(names));
      expect(await gatewaySlots()).toEqual(names.map((name, index) => `${name} ${index + 1}/0`));
      const replaced = names.with(3, 'new');
      expect((await apply(siteWithGateways(replaced))).code).toBe(2);
      expect((await apply(siteWithGateways(replaced), { prune: true })).code).toBe(0);
      expect(await gatewaySlots()).toContain('new 4/1');
      await apply(siteWithGateways(names.with(3, 'newer').with(5, 'newest')), { prune: true });
      // The slot that was given least often first.
      expect(await gatewaySlots()).toEqual(expect.arrayContaining(['newer 6/1', 'newest 4/2']));
    });

    it('serves the cameras that name none also when the file does not name it; who has nobody is told', async () => {
      const nobody = 'Note: no gateway serves camera cam: its lot has not exactly one. Name one with `gateway`.';
      const alone = await apply(siteWithCamera([]));
      expect([alone.code, alone.out.filter((line) => line.startsWith('Note'))]).toEqual([0, [nobody]]);
      // Made over REST, for instance.
      await apply(siteWithGateways(['Pi']));
      const served = await apply(siteWithCamera([]));
      expect(served.out.filter((line) => line.startsWith('Note'))).toEqual([]);
      const { gateways, lpr_cameras } = await rows();
      expect(lpr_cameras.map(({ gateway_id }) => gateway_id)).toEqual([gateways[0]?.id]);
      expect((await apply(siteWithCamera([]))).of('changed')).toEqual([]);
      await apply(siteWithGateways(['Pi', 'Second']));
      expect((await apply(siteWithCamera([]))).out).toContain(nobody);
      expect((await apply(siteWithCamera(['Pi', 'Second']))).out).toContain(nobody);
    });

    it('alone in its lot serves the cameras that name none', async () => {
      await apply(edit(SITE_TEXT, '                gateway: Entrance Pi\n', ''));
      const all = await rows();
      expect(all.lpr_cameras[0]?.gateway_id).toBe(all.gateways[0]?.id);
    });
  });

  describe('a product', () => {
    it('has its own settings when it was heard', async () => {
      await apply(SITE_TEXT);
      await world.store.change(async (tx) => {
        await tx.updateTable('products').set({ seen_at: 1 }).execute();
        await tx.updateTable('product_blocks').set({ autoclose_time: 33, state: 'opened' }).execute();
      });
      expect((await apply(SITE_TEXT)).of('changed')).toEqual([]);
      expect((await rows()).product_blocks[0]).toMatchObject({ autoclose_time: 33, state: 'opened' });
    });

    it('keeps its key when it was paired anew', async () => {
      await apply(SITE_TEXT);
      await world.store.change((tx) =>
        tx.updateTable('products').set({ pairing_epoch: 2, master_key_sealed: 'x' }).execute(),
      );
      expect((await apply(SITE_TEXT)).of('changed')).toEqual([]);
      expect((await rows()).products[0]).toMatchObject({ pairing_epoch: 2, master_key_sealed: 'x' });
    });

    it('begins anew with the states of another type when it gets that', async () => {
      await apply(SITE_TEXT);
      await world.store.change((tx) => tx.updateTable('product_blocks').set({ state: 'error' }).execute());
      const text = edit(SITE_TEXT, 'name: Exit gate, type: gate', 'name: Exit gate, type: barrier');
      expect((await apply(text)).of('changed')).toEqual([
        'product a4c138000002 (type, state, is_car_on_top, permanent_position)',
      ]);
      expect((await rows()).product_blocks.map(({ state }) => state)).toEqual(['error', 'closed']);
    });
  });

  it('is taken up by a running cloud', async () => {
    let printed = 0;
    world.store.onForeignChange(() => (printed += 1));
    await apply(SITE_TEXT, { beside: true });
    expect((await rows()).accounts).toHaveLength(1);
    await expect.poll(() => world.clock.advance(1_000).then(() => printed)).toBeGreaterThan(0);
  });

  it('does not go on with the server keys of another database', async () => {
    await apply(SITE_TEXT);
    rmSync(join(world.directory, 'server-keys.json'));
    await expect(apply(SITE_TEXT)).rejects.toThrow('belongs to a cloud with another server key');
  });
});

describe('migrate', () => {
  it('tells what it did', async () => {
    const { io, out } = recordIo();
    const url = `sqlite:${join(world.directory, 'fresh.db')}`;
    const openStore = () => createCloudStore({ url, clock: world.clock, logger: silentLogger });
    const fresh = { openStore, migrations: MIGRATIONS };
    expect(await runMigrate(fresh, io)).toBe(0);
    expect(await runMigrate(fresh, io)).toBe(0);
    const ran = Object.keys(MIGRATIONS).map((name) => `migrated  ${name}`);
    expect(out).toEqual([...ran, 'The database is up to date.']);
  });
});
