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
