/** What is pure about releases: the order of versions, rings, hours, manifests, ranges of bytes. */
import { describe, expect, it } from 'vitest';
import { parseByteRange } from '../../../cloud/equipment/release/byte-range-parser.js';
import { parseBundleManifest } from '../../../cloud/equipment/release/bundle-manifest-parser.js';
import { decideWantedReleases, isInRing, type Ring } from '../../../cloud/equipment/release/decide-wanted-releases.js';
import { parseUpdateHours } from '../../../shared/update-hours.js';
import { compareVersions } from '../../../shared/version-order.js';
import { array, assert, constantFrom, nat, property, uuid as anyUuid } from '../../property.js';
import { manifestOf } from '../../world/signed-bundle.js';

describe('the order of versions', () => {
  it('goes by numbers, and has what comes before a release before it', () => {
    const ordered = [
      'nonsense',
      '0.9',
      '1.0-alpha',
      '1.0-alpha.1',
      '1.0-alpha.2',
      '1.0-alpha.10',
      '1.0-beta',
      '1.0',
      '1.0.1',
      '1.10',
      '2026.11.28',
    ];
    expect(ordered.toReversed().toSorted(compareVersions)).toEqual(ordered);
    expect(compareVersions('1.0', '1.0.0')).toBe(0);
  });

  it('is an order', () => {
    const version = array(nat(3), { minLength: 1, maxLength: 4 }).chain((numbers) =>
      constantFrom('', '-rc', '-rc.1', '-rc.x').map((end) => numbers.join('.') + end),
    );
    assert(
      property(version, version, version, (a, b, c) => {
        expect(Math.sign(compareVersions(a, b)) + Math.sign(compareVersions(b, a))).toBe(0);
        const [low = '', , high = ''] = [a, b, c].toSorted(compareVersions);
        expect(compareVersions(low, high)).toBeLessThanOrEqual(0);
      }),
    );
  });
});

describe('the release that a gateway shall have', () => {
  const release = (id: number, version: string, rings: Ring[], change: { is_paused?: 1; machine?: string } = {}) => ({
    id,
    version,
    rings,
    machine: 'arm64',
    is_paused: 0 as const,
    bytes: 1,
    sha256: '',
    security_floor: null,
    notes: '',
    is_signature_checked: 1 as const,
    created_at: 0,
    updated_at: 0,
    ...change,
  });
  const ALL: Ring = { account_id: null, percent: 100 };
  const gateway = { uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7d01', account_id: 7 };
  const wanted = (releases: Parameters<typeof decideWantedReleases>[0]) =>
    decideWantedReleases(releases, gateway).map(({ id }) => id);

  it('is the newest of its rings that is not paused, for each kind of device', () => {
    const releases = [
      release(1, '1.9', [ALL]),
      release(2, '1.10', [ALL]),
      release(3, '1.11', [ALL], { is_paused: 1 }),
      release(4, '1.12', [{ account_id: 8, percent: 100 }]),
      release(5, '1.0', [{ account_id: 7, percent: 100 }], { machine: 'amd64' }),
      release(6, '2.0', []),
    ];
    expect(wanted(releases)).toEqual([2, 5]);
  });

  it('comes to the same gateways first, to about the part that was said, and to all with 100', () => {
    assert(
      property(anyUuid(), nat(99), (uuid, percent) => {
        const isIn = (of: number) => isInRing({ account_id: null, percent: of }, { uuid, account_id: 1 });
        expect([isIn(0), isIn(100)]).toEqual([false, true]);
        if (isIn(percent)) expect(isIn(percent + 1)).toBe(true);
      }),
    );
    // Uuids that people made up differ in few characters.
    const made = Array.from(
      { length: 1_000 },
      (_, index) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    );
    const part = made.filter((uuid) => isInRing({ account_id: null, percent: 20 }, { uuid, account_id: 1 })).length;
    expect(part).toBeGreaterThan(140);
    expect(part).toBeLessThan(260);
  });
});

it('reads the hours of a lot', () => {
  expect(parseUpdateHours('02:00-05:30')).toEqual({ from: 120, to: 330 });
  expect(parseUpdateHours('23:00-04:00')).toEqual({ from: 1_380, to: 240 });
  for (const wrong of ['', '2:00-5:00', '24:00-05:00', '02:00-02:00', '02:00-05:60', '02:00 - 05:00'])
    expect(parseUpdateHours(wrong)).toBeNull();
});

describe('the manifest of a bundle', () => {
  it('says for what and what it is', () => {
    const floor = '[meta.parking-gateway]\nsecurity-floor=1.2.0\n';
    expect(parseBundleManifest(manifestOf({ more: floor }))).toEqual({
      machine: 'parking-gateway-arm64',
      version: '1.4.0',
      notes: 'Faster',
      security_floor: '1.2.0',
    });
    expect(parseBundleManifest(manifestOf()).security_floor).toBeNull();
  });

  it.each([
    ['no [update]', 'hello', /no \[update\]/],
    ['a version that has no order', manifestOf({ version: 'latest' }), /the version "latest"/],
    ['no machine', manifestOf({ machine: '' }), /the compatible ""/],
    ['one image alone', manifestOf().replace('[image.app]', '[image.other]'), /no image for app/],
    [
      'a floor that is no version',
      manifestOf({ more: '[meta.parking-gateway]\nsecurity-floor=soon\n' }),
      /the security floor "soon"/,
    ],
  ])('is refused with %s', (_what, text, problem) => {
    expect(() => parseBundleManifest(text)).toThrow(problem);
  });
});

it.each([
  [undefined, 'all'],
  ['bytes=0-', { start: 0, end: 99 }],
  ['bytes=10-19', { start: 10, end: 19 }],
  ['bytes=10-1000', { start: 10, end: 99 }],
  ['bytes=-10', { start: 90, end: 99 }],
  ['bytes=-1000', { start: 0, end: 99 }],
  ['bytes=100-', 'none'],
  ['bytes=-0', 'none'],
  ['bytes=0-1,5-6', 'all'],
  ['bytes=5-2', 'all'],
  ['lines=1-2', 'all'],
  ['bytes=', 'all'],
])('reads the range %s of 100 bytes', (header, range) => {
  expect(parseByteRange(header, 100)).toEqual(range);
});
