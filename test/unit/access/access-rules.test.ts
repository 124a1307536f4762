import { describe, expect, it } from 'vitest';
import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import type { ConfigMessage, ConfigSection } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { camera, uidOf } from '../lpr/plate-world.js';

const ZONE = { id: 5, name: 'Level 0', spot_count: 40, has_tariff: true, occupancy_max_hours: 72 };

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
    expect(rules.isWhitelisted('ZG1', 5, null)).toBe(true);
    expect(rules.isWhitelisted('ZG1', 6, 21)).toBe(true);
    expect(rules.isWhitelisted('ZG1', 6, 22)).toBe(false);
    expect(rules.isWhitelisted('ZG1', 6, null)).toBe(false);
    expect(rules.isWhitelisted('ZG2', 5, 21)).toBe(false);
  });

  it('change with deltas, and forget with snapshots', () => {
    const { rules } = rulesOf(
      message('plates', { ZG1: { zone_ids: [5], product_ids: [] }, ZG2: { zone_ids: [5], product_ids: [] } }),
    );
    const delta = { base: 'r1', revision: 'r2', remove: ['ZG1'] };
    rules.apply(message('plates', { ZG3: { zone_ids: [5], product_ids: [] } }, delta));
    const known = () => ['ZG1', 'ZG2', 'ZG3', 'ZG4'].filter((plate) => rules.isWhitelisted(plate, 5, null));
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
    expect(rules.isWhitelisted('ZG49999', 49_999 % 3, null)).toBe(true);
    expect(rules.isWhitelisted('ZG50000', 0, null)).toBe(false);
  });
});
