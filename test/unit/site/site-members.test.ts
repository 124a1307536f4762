/** Members with times in a site file. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ApplyWorld, createApplyWorld } from './apply-world.js';
import { problemsOf } from './site-problems.js';
import { edit, SITE_TEXT } from './site-text.js';

const timed = (times: string) => edit(SITE_TEXT, 'license_plate: ZG1234AB', `license_plate: ZG1234AB, ${times}`);

describe('a member with times', () => {
  let world: ApplyWorld;
  beforeEach(async () => {
    world = await createApplyWorld();
  });
  afterEach(() => world.close());

  it('is changed by them, and stays without them', async () => {
    await world.apply(SITE_TEXT);
    const { of } = await world.apply(timed('valid_until: 2026-12-31T18:00:00+01:00'));
    expect(of('changed')).toEqual(['member Mia (valid_until)']);
    const [mia] = (await world.rows()).members;
    expect(mia).toMatchObject({ valid_from: null, valid_until: Date.UTC(2026, 11, 31, 17) });
    expect((await world.apply(SITE_TEXT)).of('changed')).toEqual(['member Mia (valid_until)']);
  });

  it('is refused with an end that is not after the beginning', () => {
    expect(problemsOf(timed('valid_from: 2026-02-01T00:00:00Z, valid_until: 2026-02-01T00:00:00Z'))).toEqual([
      expect.stringContaining('accounts[0].members[0].valid_until: must be after valid_from'),
    ]);
  });
});

const member = (values: string) =>
  edit(SITE_TEXT, '{name: Mia, email: mia@example.com, license_plate: ZG1234AB, groups: [Residents]}', values);

describe('the plates of a member in a site file', () => {
  let world: ApplyWorld;
  beforeEach(async () => {
    world = await createApplyWorld();
  });
  afterEach(() => world.close());

  it('are those of the file, as `license_plate`, as `plates` or as both', async () => {
    await world.apply(member('{name: Mia, plates: [ZG 1, ST-2]}'));
    const rowsOf = () =>
      world.store.reader.selectFrom('member_plates').select('plate_normalised').orderBy('position').execute();
    expect(await rowsOf()).toEqual([{ plate_normalised: 'ZG1' }, { plate_normalised: 'ST2' }]);
    const again = await world.apply(member('{name: Mia, license_plate: ZG 1, plates: [ZG 1, ST-2]}'));
    expect(again.of('changed')).toEqual([]);
    expect((await world.apply(member('{name: Mia, license_plate: ZG 1}'))).of('changed')).toEqual([
      'member Mia (plates)',
    ]);
    expect(await rowsOf()).toEqual([{ plate_normalised: 'ZG1' }]);
  });

  it('are required, and begin with `license_plate`', () => {
    expect(problemsOf(member('{name: Mia}'))).toEqual([
      expect.stringContaining('accounts[0].members[0].license_plate: is required'),
    ]);
    expect(problemsOf(member('{name: Mia, license_plate: ZG 1, plates: [ST-2]}'))).toEqual([
      expect.stringContaining('accounts[0].members[0].license_plate: must be the first of plates'),
    ]);
    expect(problemsOf(member('{name: Mia, plates: [ST-2, st 2]}'))).toEqual([
      expect.stringContaining('accounts[0].members[0].plates[1]: is the same plate as an earlier one'),
    ]);
    expect(problemsOf(member('{name: Mia, plates: [ST-2], blocked_reason: Owes}'))).toEqual([
      expect.stringContaining('accounts[0].members[0].blocked_reason: must be null without blocked_at'),
    ]);
  });

  it('have a line of the report where another member has one of them, also outside of the file', async () => {
    const two = `${member('{name: Mia, plates: [ZG 1, ST-2]}')}\n`.replace(
      '    groups:\n',
      '      - {name: Ivo, license_plate: st 2}\n    groups:\n',
    );
    const note = 'Note: member Mia has the plate ST-2, and so has member Ivo.';
    expect((await world.apply(two, { dryRun: true })).out).toContain(note);
    expect((await world.apply(two)).out).toContain(note);
    const one = await world.apply(member('{name: Mia, plates: [ZG 1, ST-2]}'));
    expect(one.out.filter((line) => line.startsWith('Note: member'))).toEqual([note]);
    expect((await world.apply(member('{name: Mia, plates: [ZG 1]}'))).out.join()).not.toContain('has the plate');
  });
});
