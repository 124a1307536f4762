import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyWorld, createApplyWorld } from './apply-world.js';

let world: ApplyWorld;
beforeEach(async () => {
  world = await createApplyWorld();
});
afterEach(() => world.close());

const site = (...users: string[]) =>
  `version: 1\naccounts:\n  - name: Other\n    users:\n${users.map((user) => `      - ${user}\n`).join('')}`;
const OLGA = '{email: olga@other.example, name: Olga}';
const OLGA_AS_ADMIN = '{email: olga@other.example, name: Olga, role: Admin}';
const GUS = '{email: gus@other.example, name: Gus, role: Attendant}';
const GUS_AS_SUPER_ADMIN = '{email: gus@other.example, name: Gus}';
const REASON = 'the last Super Admin of an account stays one: give another user this role first';

const roles = async () =>
  (
    await world.store.reader
      .selectFrom('account_users')
      .select(['name', 'account_user_role_id as role'])
      .orderBy('id')
      .execute()
  ).map(({ name, role }) => `${name} ${role}`);

describe('a site file', () => {
  it.each([
    ['gives the last Super Admin another role', site(OLGA_AS_ADMIN, GUS), {}, '5: accounts[0].users[0].role'],
    ['removes the last Super Admin', site(GUS), { prune: true }, '4: accounts[0].users'],
    ['is asked what it would remove', site(GUS), { prune: true, dryRun: true }, '4: accounts[0].users'],
  ])('is refused when it %s', async (_what, text, flags, where) => {
    expect((await world.apply(site(OLGA, GUS))).code).toBe(0);
    const { code, err } = await world.apply(text, flags);
    expect([code, err[0]]).toEqual([2, expect.stringContaining(`site.yaml:${where}: ${REASON}`)]);
    expect(await roles()).toEqual(['Olga 1', 'Gus 3']);
  });

  it('gives the role to another user before it takes it from the last', async () => {
    await world.apply(site(OLGA, GUS));
    expect((await world.apply(site(OLGA_AS_ADMIN, GUS_AS_SUPER_ADMIN))).code).toBe(0);
    expect(await roles()).toEqual(['Olga 2', 'Gus 1']);
    expect((await world.apply(site(GUS_AS_SUPER_ADMIN), { prune: true })).code).toBe(0);
    expect(await roles()).toEqual(['Gus 1']);
  });

  it('without --prune keeps who it does not name, and an account that has no Super Admin may stay so', async () => {
    await world.apply(site(OLGA));
    expect((await world.apply(site(GUS))).code).toBe(0);
    expect(await roles()).toEqual(['Olga 1', 'Gus 3']);
    const another = site('{email: ana@another.example, name: Ana, role: Admin}').replace('Other', 'Another');
    expect((await world.apply(another)).code).toBe(0);
    expect((await world.apply(another.replace('Admin', 'Attendant'))).code).toBe(0);
  });
});
