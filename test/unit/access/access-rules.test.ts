import { describe, expect, it } from 'vitest';
import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import type { ConfigMessage, ConfigSection } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { camera, uidOf } from '../lpr/plate-world.js';

const ZONE = { id: 5, name: 'Level 0', spot_count: 40, has_tariff: true, occupancy_max_hours: 72, sensor_counts: [] };

const at = (zone_id: number, product_id: number | null) => ({ zone_id, product_id, event_ms: 1_000_000 });

function message(
  section: ConfigSection,
  upsert: Record<string, unknown>,
  change: Partial<ConfigMessage> = {},
): ConfigMessage {
  return { section, base: null, revision: 'r1', upsert, remove: [], applied: null, ...change };
}

function rulesOf(...messages: ConfigMessage[]) {
  const sessions = createOpenSessions();
  const warnings: Record<string, unknown>[] = [];
  const logger = { ...silentLogger, warn: (fields: Record<string, unknown>) => void warnings.push(fields) };
  const config = messages.map(({ section, revision, upsert }) => ({ section, revision, items: upsert }));
  return { rules: createAccessRules({ boot: { config, sessions: [] }, sessions, logger }), sessions, warnings };
}

describe('access rules', () => {
  it('hold what the store kept', () => {
    const { rules, sessions } = rulesOf(
      message('cameras', { 'cam-in': camera('cam-in') }),
      message('zones', { 5: ZONE }),
      message('plates', { ZG1: { zone_ids: [5], product_ids: [] } }),
      message('sessions', {
        [uidOf(1)]: { uid: uidOf(1), plate: 'ZG1', zone_id: 5, began_ms: 1, ended_ms: null },
      }),
    );
    expect(rules.camera('cam-in')).toEqual(camera('cam-in'));
    expect(rules.zone(5)).toEqual(ZONE);
    expect([...rules.cameras()]).toHaveLength(1);
    expect([...rules.products()]).toEqual([]);
    expect(rules.gateway()).toBeUndefined();
    expect(sessions.own('ZG1')?.uid).toBe(uidOf(1));
    expect(rules.revisions()).toEqual({ cameras: 'r1', zones: 'r1', plates: 'r1', sessions: 'r1' });
  });

  it('know plates by zone and by product', () => {
    const { rules } = rulesOf(message('plates', { ZG1: { zone_ids: [5], product_ids: [21] } }));
    expect(rules.isWhitelisted('ZG1', at(5, null))).toBe(true);
    expect(rules.isWhitelisted('ZG1', at(6, 21))).toBe(true);
    expect(rules.isWhitelisted('ZG1', at(6, 22))).toBe(false);
    expect(rules.isWhitelisted('ZG1', at(6, null))).toBe(false);
    expect(rules.isWhitelisted('ZG2', at(5, 21))).toBe(false);
  });

  it('know plates and sessions in whichever form an older cloud compared them', () => {
    const { rules, sessions } = rulesOf(
      message('plates', { '12\u06cc345': { zone_ids: [5], product_ids: [] } }),
      message('sessions', {
        [uidOf(1)]: { uid: uidOf(1), plate: '\u0623\u06a91', zone_id: 5, began_ms: 1, ended_ms: null },
      }),
    );
    expect(rules.isWhitelisted('12\u064a345', at(5, null))).toBe(true);
    expect(sessions.own('\u0627\u06431')?.uid).toBe(uidOf(1));
    rules.apply(message('plates', {}, { base: 'r1', revision: 'r2', remove: ['12\u06cc345'] }));
    expect(rules.isWhitelisted('12\u064a345', at(5, null))).toBe(false);
  });

  it('know keys of a product by the time of the event', () => {
    const keys = [
      { product_id: 21, start_ms: 1_000, end_ms: 2_000 },
      { product_id: 21, start_ms: 5_000, end_ms: null },
      { product_id: 22, start_ms: 0, end_ms: 3_000 },
    ];
    const { rules } = rulesOf(message('plates', { ZG1: { zone_ids: [5], product_ids: [23], keys } }));
    const admittedAt = (product_id: number | null) =>
      [0, 999, 1_000, 1_999, 2_000, 4_999, 5_000, 9e15].filter((event_ms) =>
        rules.isWhitelisted('ZG1', { zone_id: 6, product_id, event_ms }),
      );
    expect(admittedAt(21)).toEqual([1_000, 1_999, 5_000, 9e15]);
    expect(admittedAt(22)).toEqual([0, 999, 1_000, 1_999, 2_000]);
    expect(admittedAt(23)).toHaveLength(8);
    expect(admittedAt(24)).toEqual([]);
    expect(admittedAt(null)).toEqual([]);
    // A member is whitelisted at any time.
    expect(rules.isWhitelisted('ZG1', at(5, null))).toBe(true);
  });

  it('know members of a zone by the time of the event', () => {
    const members = [
      { zone_id: 5, start_ms: 1_000, end_ms: 2_000 },
      { zone_id: 5, start_ms: 5_000, end_ms: null },
      { zone_id: 7, start_ms: null, end_ms: 1_000 },
    ];
    const { rules } = rulesOf(message('plates', { ZG1: { zone_ids: [8], product_ids: [], members } }));
    const admittedAt = (zone_id: number) =>
      [0, 999, 1_000, 1_999, 2_000, 4_999, 5_000, 9e15].filter((event_ms) =>
        rules.isWhitelisted('ZG1', { zone_id, product_id: 21, event_ms }),
      );
    expect(admittedAt(5)).toEqual([1_000, 1_999, 5_000, 9e15]);
    expect(admittedAt(7)).toEqual([0, 999]);
    expect(admittedAt(8)).toHaveLength(8);
    expect(admittedAt(6)).toEqual([]);
    // The next item may say of the same plate that it has no times.
    rules.apply(message('plates', { ZG1: { zone_ids: [5], product_ids: [] } }, { base: 'r1', revision: 'r2' }));
    expect(admittedAt(5)).toHaveLength(8);
  });

  it('forget a key that is not in the next item of its plate, also among plates that are alike', () => {
    const alike = { zone_ids: [5], product_ids: [] };
    const key = { product_id: 21, start_ms: 0, end_ms: null };
    const { rules } = rulesOf(message('plates', { ZG1: { ...alike, keys: [key] }, ZG2: alike }));
    expect(['ZG1', 'ZG2'].map((plate) => rules.isWhitelisted(plate, at(6, 21)))).toEqual([true, false]);
    rules.apply(message('plates', { ZG1: alike }, { base: 'r1', revision: 'r2' }));
    expect(rules.isWhitelisted('ZG1', at(6, 21))).toBe(false);
  });

  it('change with deltas, and forget with snapshots', () => {
    const { rules } = rulesOf(
      message('plates', { ZG1: { zone_ids: [5], product_ids: [] }, ZG2: { zone_ids: [5], product_ids: [] } }),
    );
    const delta = { base: 'r1', revision: 'r2', remove: ['ZG1'] };
    rules.apply(message('plates', { ZG3: { zone_ids: [5], product_ids: [] } }, delta));
    const known = () => ['ZG1', 'ZG2', 'ZG3', 'ZG4'].filter((plate) => rules.isWhitelisted(plate, at(5, null)));
    expect(known()).toEqual(['ZG2', 'ZG3']);
    expect(rules.revisions()).toEqual({ plates: 'r2' });
    rules.apply(message('plates', { ZG4: { zone_ids: [5], product_ids: [] } }, { revision: 'r3' }));
    expect(known()).toEqual(['ZG4']);
    rules.apply(message('zones', { 5: ZONE }));
    rules.apply(message('zones', {}, { base: 'r1', remove: ['5'] }));
    expect(rules.zone(5)).toBeUndefined();
  });

  it('leave out an item they cannot read, and take the rest', () => {
    const { rules, warnings } = rulesOf(
      message('cameras', { 'cam-in': camera('cam-in'), 'cam-new': { ...camera('cam-new'), lpr_position: 'sideways' } }),
    );
    expect([...rules.cameras()].map(({ device_id }) => device_id)).toEqual(['cam-in']);
    expect(warnings).toMatchObject([{ section: 'cameras', key: 'cam-new' }]);
  });

  it('take 50,000 plates', () => {
    const plates = Object.fromEntries(
      Array.from({ length: 50_000 }, (_, number) => [`ZG${number}`, { zone_ids: [number % 3], product_ids: [] }]),
    );
    const { rules } = rulesOf(message('plates', plates));
    expect(rules.isWhitelisted('ZG49999', at(49_999 % 3, null))).toBe(true);
    expect(rules.isWhitelisted('ZG50000', at(0, null))).toBe(false);
  });
});
