import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { recordKey } from '../../../scripts/fleet/arrivals.js';
import { fleetPlate, readFleetPlate } from '../../../scripts/fleet/fleet-plate.js';
import { compareSeen, fleetReportText, lagOf } from '../../../scripts/fleet/fleet-report.js';
import { watchLogs } from '../../../scripts/fleet/log-errors.js';
import { fleetSiteText } from '../../../scripts/fleet/fleet-site.js';

describe('the report of a fleet', () => {
  it('finds every record that is missing or was seen twice, and no other', () => {
    const written = new Map([
      [0, 3],
      [7, 2],
    ]);
    const all = new Map([0, 1, 2].map((number) => [recordKey(0, number), 1]));
    all.set(recordKey(7, 0), 1).set(recordKey(7, 1), 1);
    expect(compareSeen(written, all)).toEqual({ lost: 0, twice: 0 });
    all.set(recordKey(0, 1), 2).delete(recordKey(7, 1));
    expect(compareSeen(written, all)).toEqual({ lost: 1, twice: 1 });
    expect(compareSeen(written, new Map())).toEqual({ lost: 5, twice: 0 });
  });

  it('knows its own records by their plates, and those of no other run', () => {
    const record = { run: '1795409906313', gateway: 4_999, number: 12, written_ms: 1_795_409_906_999 };
    expect(readFleetPlate(fleetPlate(record), record.run)).toEqual(record);
    expect(readFleetPlate(fleetPlate(record), '1795409906314')).toBeNull();
    expect(readFleetPlate('ZG1234AB', record.run)).toBeNull();
    expect(fleetPlate(record).length).toBeLessThanOrEqual(64);
  });

  it('orders lags before it picks from them', () => {
    expect(lagOf([])).toBeNull();
    expect(lagOf([7])).toEqual({ p50: 7, p99: 7, max: 7 });
    const lags = Array.from({ length: 1_000 }, (_, index) => (index * 7) % 1_000);
    expect(lagOf(lags)).toEqual({ p50: 500, p99: 990, max: 999 });
  });

  it('says in its last line whether all is well', () => {
    const report = {
      gateways: { asked: 2, claimed: 2, connected: 2, connect_s: 0.3, reconnects: 0 },
      records: { written: 2, acknowledged: 2, asked_per_s: 1, written_per_s: 1, acknowledged_per_s: 1 },
      lag_ms: { acknowledged: lagOf([3]), realtime: null },
      lost: { rest: 0, realtime: 0 },
      twice: { rest: 0, realtime: 0 },
      errors: null,
      problems: [],
      ok: true,
    };
    expect(fleetReportText(report)).toMatch(/\nresult +each record arrived once$/);
    const bad = fleetReportText({ ...report, lost: { rest: 1, realtime: 0 }, problems: ['gateway x: no'], ok: false });
    expect(bad).toContain('\nerrors        unknown: name the logs');
    const logged = fleetReportText({
      ...report,
      errors: { counts: { 'cloud.log': 2 }, deadlocks: 1, first: ['cloud.log: no'] },
      ok: false,
    });
    expect(logged).toMatch(/\nerrors +2 in cloud\.log; 1 deadlocks\n +cloud\.log: no\nresult +NOT as it should be/);
    expect(bad).toMatch(/\nlost +1 by REST, 0 by realtime\n[^]*\nproblem +gateway x: no\nresult +NOT/);
  });
});

describe('the site file of a fleet', () => {
  it.each([1, 15, 16, 100])('is one that can be applied: %s gateways', (gateways) => {
    const { site } = readSiteFile('fleet.yaml', fleetSiteText(gateways));
    const lots = site.accounts[0]?.lots ?? [];
    expect(lots.flatMap((lot) => lot.gateways)).toHaveLength(gateways);
    expect(lots.flatMap(({ zones }) => zones.flatMap((zone) => zone.lpr_cameras))).toHaveLength(gateways);
    expect(Math.max(...lots.map((lot) => lot.gateways.length))).toBeLessThanOrEqual(15);
  });
});

describe('the logs of a cloud', () => {
  it('are looked at from the beginning of a run: errors and warnings of each program, once by their kind', () => {
    const folder = mkdtempSync(join(tmpdir(), 'fleet-logs-'));
    const cloud = join(folder, 'cloud.log');
    const database = join(folder, 'postgres.log');
    const line = (level: number, msg: string) => `${JSON.stringify({ level, msg })}\n`;
    writeFileSync(cloud, line(50, 'of the run before'));
    writeFileSync(database, '');
    const logs = watchLogs([cloud, database]);
    expect(logs.found()).toEqual({ counts: {}, deadlocks: 0, first: [] });
    appendFileSync(cloud, `${line(30, 'all is well')}${line(50, 'it failed')}${line(50, 'it failed')}no JSON\n`);
    appendFileSync(
      database,
      '2026-01-01 10:00:00 UTC [12] LOG:  checkpoint\n' +
        '2026-01-01 10:00:01 UTC [13] ERROR:  deadlock detected\n2026-01-01 10:00:02 UTC [14] ERROR:  deadlock detected\n',
    );
    expect(logs.found()).toEqual({
      counts: { 'cloud.log': 2, 'postgres.log': 2 },
      deadlocks: 2,
      first: [
        'cloud.log: {"level":50,"msg":"it failed"}',
        'postgres.log: 2026-01-01 10:00:01 UTC [13] ERROR:  deadlock detected',
      ],
    });
    rmSync(folder, { recursive: true });
    expect(() => watchLogs([cloud])).toThrow('ENOENT');
  });
});
