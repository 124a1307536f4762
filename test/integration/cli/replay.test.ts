/** `parking-cloud replay` on a database with decisions that were kept. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ReplayOptions, runReplay } from '../../../cloud/doors/cli/replay.js';
import type { NewRow } from '../../../cloud/kernel/store/schema.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import { runs } from '../../depth.js';
import { TARIFF_TRACE } from '../../world/tariff-trace.js';
import { type ApplyWorld, createApplyWorld } from '../../unit/site/apply-world.js';
import { readingRow } from '../session/reading-rows.js';
import { recordIo } from '../../world/record-io.js';

const FROM = Date.UTC(2026, 0, 10);
const MINUTE = 60_000;
const CAMERA = '{device_id: cam-in, name: Entry, driver: hikvision, lpr_position: in}';

const siteText = (change: { spots?: number; tariffs?: string; members?: string; cameras?: string } = {}) => `version: 1
accounts:
  - name: Harbour
    tariffs: [{name: Public, currency: EUR, price: 1}]
    lots:
      - name: North
        zones:
          - {name: Level 0, spot_count: ${change.spots ?? 0}, tariffs: [${change.tariffs ?? 'Public'}], lpr_cameras: [${change.cameras ?? CAMERA}]}
    groups: [{name: Residents, zones: [Level 0]}]
    members: [${change.members ?? '{name: Mia, license_plate: ZG-MIA, groups: [Residents]}'}]
  - name: Rival
    lots: [{name: North}, {name: Only}]
`;

describe('parking-cloud replay', () => {
  let world: ApplyWorld;
  let place: { account_id: number; lot_id: number; zone_id: number; lpr_camera_id: number };
  beforeEach(async () => {
    world = await createApplyWorld();
    expect((await world.apply(siteText())).code).toBe(0);
    const { reader } = world.store;
    const camera = await reader
      .selectFrom('lpr_cameras')
      .innerJoin('zones', 'zones.id', 'lpr_cameras.zone_id')
      .select(['lpr_cameras.id', 'lpr_cameras.account_id', 'zones.lot_id', 'lpr_cameras.zone_id'])
      .executeTakeFirstOrThrow();
    const { id: lpr_camera_id, ...rest } = camera;
    place = { ...rest, lpr_camera_id };
  });
  afterEach(() => world.close());

  const insert = (rows: NewRow<'plate_readings'>[]) =>
    world.store.change((tx) => tx.insertInto('plate_readings').values(rows).execute());

  function row(minute: number, plate: string, seen: Partial<AccessTrace> | null): NewRow<'plate_readings'> {
    const kept = seen === null ? null : encodeJson({ ...TARIFF_TRACE, plate, ...seen });
    const decided = { access_decision: 'triggered', access_decision_reason: 'tariff', decision_trace: kept } as const;
    return readingRow({ ...place, plate, plate_normalised: plate, ...decided, at: FROM + minute * MINUTE });
  }

  async function replayed(rules: string, options: Partial<ReplayOptions> = {}) {
    const file = join(world.directory, 'rules.yaml');
    writeFileSync(file, rules);
    const asked = { lot: 'North', account: 'Harbour', from: '2026-01-10', to: '2026-01-11', rules: file, json: false };
    const { io, out, err } = recordIo();
    const code = await runReplay({ ...asked, ...options }, { openStore: world.openStore, progressEvery: 5_000 }, io);
    return { code, out, err };
  }

  it('prints what a site file would have decided otherwise, as CSV', async () => {
    await insert([row(1, 'ZG1', {}), row(2, 'ZGMIA', {}), row(3, 'ZG3', null), row(24 * 60, 'ZG4', {})]);
    expect(await replayed(siteText())).toEqual({
      code: 0,
      out: [
        'plate_reading_id,created_at,plate,lpr_camera,direction,access_decision,access_decision_reason,would_access_decision,would_access_decision_reason',
        '2,2026-01-10T00:02:00.000Z,ZGMIA,cam-in,in,triggered,tariff,triggered,whitelist',
      ],
      err: [
        '3 readings, 1 would be decided otherwise',
        '  1  triggered tariff -> triggered whitelist',
        '1 were left out: nothing is kept of what their decision saw',
      ],
    });
    const strict = await replayed(siteText({ tariffs: '', members: '' }), { json: true });
    expect(JSON.parse(strict.out.join('\n'))).toEqual(
      [1, 2].map((id) => expect.objectContaining({ plate_reading_id: id, would_access_decision_reason: 'no_tariff' })),
    );
    expect(JSON.parse((await replayed(siteText({ members: '' }), { json: true })).out.join('\n'))).toEqual([]);
    const gone = await replayed(siteText({ cameras: '' }));
    expect(gone.err.at(-1)).toBe('2 were left out: the file does not have their cameras');
  });

  it('counts the vehicles of a zone that had no limit', async () => {
    const session = (minute: number, ended: number | null): NewRow<'sessions'> => ({
      uid: `00000000-0000-4000-8000-00000000000${minute}`,
      public_id: `S00000000${minute}`,
      account_id: place.account_id,
      lot_id: place.lot_id,
      zone_id: place.zone_id,
      tariff_id: null,
      tariff_version_id: null,
      currency: null,
      price_minor: null,
      plate_normalised: `ZG${minute}`,
      entry_reading_id: null,
      exit_reading_id: null,
      entry_type: 'lpr_camera',
      entry_source_id: 1,
      exit_type: null,
      exit_source_id: null,
      ended_at: ended === null ? null : FROM + ended * MINUTE,
      ended_by_look_alike: 0,
      discount_time: null,
      amount_paid_minor: 0,
      possibly_exited: null,
      created_at: FROM + minute * MINUTE,
      updated_at: FROM,
    });
    await world.store.change(async (tx) => {
      await tx
        .insertInto('sessions')
        .values([session(1, 5), session(2, null), session(3, null)])
        .execute();
    });
    await insert([1, 2, 3, 4, 6].map((minute) => row(minute, `ZG${minute}`, {})));
    const { out, err } = await replayed(siteText({ spots: 2 }), { json: true });
    // When the third came, two others were there; one had left before the last, whose two others are the second and the third.
    const found = JSON.parse(out.join('\n')) as { plate: string; would_access_decision_reason: string }[];
    expect(found.map(({ plate, would_access_decision_reason }) => [plate, would_access_decision_reason])).toEqual([
      ['ZG3', 'max_capacity'],
      ['ZG4', 'max_capacity'],
      ['ZG6', 'max_capacity'],
    ]);
    expect(err[1]).toBe('  3  triggered tariff -> denied max_capacity');
  });

  it('goes over many readings piece by piece, and says how far it is', async () => {
    const count = runs(12_000);
    for (let from = 0; from < count; from += 500) {
      await insert(Array.from({ length: 500 }, (_, at) => row((from + at) / 100, `ZG${from + at}`, {})));
    }
    const { code, out, err } = await replayed(siteText({ tariffs: '' }), { to: '2026-02-10' });
    expect([code, out.length]).toEqual([0, count + 1]);
    expect(err[0]).toBe(`5000 of ${count} readings (${Math.floor(500_000 / count)} %)`);
    expect(new Set(out).size).toBe(out.length);
  });

  it('names what is wrong, and what to do', async () => {
    const refused = async (options: Partial<ReplayOptions>, rules = siteText()) => {
      const { code, err } = await replayed(rules, options);
      expect(code).toBe(2);
      return err[0];
    };
    expect(await refused({ from: 'yesterday' })).toMatch(/^--from: yesterday is no time such as/);
    expect(await refused({ to: '2026-01-10' })).toBe('--to: must be after --from');
    expect(await refused({ lot: 'West' })).toBe('--lot: there is no lot West');
    expect(
      await refused({ account: 'Rival', lot: 'Only' }, siteText().replace('{name: Only}', '{name: Other}')),
    ).toMatch(/declares no lot Only of account Rival/);
    expect(await refused({}, 'version: 2')).toMatch(/rules.yaml:1: version/);
  });
});
