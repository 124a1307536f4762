/** From the record of a gateway to GET /v2/plate-readings/{id}/explanation. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { representExplanation } from '../../../cloud/traffic/reading/explanation-payload.js';
import { findExplainedReading } from '../../../cloud/traffic/reading/reading-detail-queries.js';
import type { AccessTrace } from '../../../shared/access/access-trace.js';
import { encodeJson } from '../../../shared/json-text-codec.js';
import type { PlateReadRecord, UplinkRecord } from '../../../shared/uplink.js';
import { NORTH_GATEWAY } from '../gateway/link-site.js';
import { senderOf, storeWorld } from '../gateway/store-world.js';
import { GUARD_TOKEN, RIVAL_TOKEN } from '../http/http-site.js';
import { type RestWorld, startRestWorld } from '../http/rest-world.js';
import { deniedRead, entryRead, newUid, NOON_MS, recordOf, refinementOf } from '../ingest/gateway-records.js';
import { readingRow } from '../session/reading-rows.js';

const trace: AccessTrace = {
  rule: 'max_capacity',
  plate: 'ZG1234AB',
  direction: 'in',
  retransmission: false,
  age_ms: 120,
  lpr_position: 'in',
  debounce_ms: 15_000,
  previous_read: null,
  whitelisted: false,
  has_tariff: true,
  spot_count: 40,
  occupied_count: 40,
  own_session_age_ms: null,
  look_alike_session_age_ms: null,
  ended_by_look_alike: false,
  cut_off: false,
  offline_exit: 'open',
};
const full = { access_decision: 'denied', access_decision_reason: 'max_capacity' } as const;

describe('what a gateway’s decision saw', () => {
  const world = storeWorld('for each test');
  const sendLane = senderOf(world);
  const send = (record: UplinkRecord) => sendLane(0, record);
  const denied = (kept: unknown): PlateReadRecord =>
    entryRead(world.site, { read: { ...deniedRead('max_capacity'), trace: kept as AccessTrace } });
  async function explained() {
    const { id } = await world.store.reader.selectFrom('plate_readings').select('id').executeTakeFirstOrThrow();
    const reading = await findExplainedReading(world.store.reader, id);
    return reading === null ? null : representExplanation(reading);
  }

  it('is kept with the reading, with the time and the gateway of the decision', async () => {
    await send(recordOf(0, denied(trace), { wall_ms: NOON_MS + 40 }));
    const explanation = await explained();
    expect(explanation).toMatchObject({ ...full, decided_by: NORTH_GATEWAY, decided_at: '2026-01-15T12:00:00.040Z' });
    expect(explanation?.rules.map(({ rule, outcome }) => `${rule} ${outcome}`)).toEqual([
      'plate passed',
      'direction passed',
      'retransmission passed',
      'debounce passed',
      'direction_mismatch passed',
      'whitelist passed',
      'tariff passed',
      'max_capacity denied',
    ]);
    expect(explanation?.would_change.map(({ fact }) => fact)).toEqual(['whitelisted', 'occupied_count', 'spot_count']);
  });

  it.each([
    ['left out by an older gateway', undefined],
    ['of a newer one that is not understood', { ...trace, rule: 'horoscope' }],
    ['out of its bounds', { ...trace, plate: 'X'.repeat(1_000) }],
  ])('%s costs no reading', async (_, kept) => {
    await send(recordOf(0, denied(kept)));
    expect(await explained()).toMatchObject({ ...full, decided_by: NORTH_GATEWAY, rules: [], would_change: [] });
    expect(await world.store.reader.selectFrom('dead_letters').selectAll().execute()).toEqual([]);
  });

  it('is that of the last decision, when a refined reading was decided again', async () => {
    const uid = newUid();
    const first = denied(trace);
    await send(recordOf(0, first, { uid }));
    const { kind: _kind, reading: _reading, ...parts } = entryRead(world.site);
    const decided = {
      ...parts,
      access_decision_reason: 'whitelist' as const,
      trace: { ...trace, rule: 'whitelist' as const, whitelisted: true },
    };
    await send(recordOf(0, refinementOf(uid, first, { decided }), { wall_ms: NOON_MS + 2_000 }));
    expect(await explained()).toMatchObject({
      access_decision: 'triggered',
      access_decision_reason: 'whitelist',
      decided_at: '2026-01-15T12:00:02.000Z',
      rules: expect.arrayContaining([{ rule: 'whitelist', outcome: 'admitted', facts: { whitelisted: 1 } }]),
    });
  });
});

describe('GET /v2/plate-readings/{id}/explanation', () => {
  let world: RestWorld;
  beforeEach(async () => {
    world = await startRestWorld();
  });
  afterEach(() => world.cloud.close());

  async function reading(change: object) {
    const { site, cloud } = world;
    const place = { account_id: site.harbour, lot_id: site.north, zone_id: site.zone };
    const seen = { ...place, plate: 'ZG 1234-AB', plate_normalised: 'ZG1234AB', at: cloud.clock.now() };
    return cloud.store.change(async (tx) => {
      const row = readingRow({ ...seen, ...change });
      return (await tx.insertInto('plate_readings').values(row).returning('id').executeTakeFirstOrThrow()).id;
    });
  }

  it('answers rules, facts and what would have changed the outcome', async () => {
    const id = await reading({ ...full, decision_trace: encodeJson(trace), decided_at: NOON_MS });
    const path = `/v2/plate-readings/${id}/explanation`;
    expect(await world.get(path, GUARD_TOKEN)).toMatchObject({
      plate_reading_id: id,
      decided_by: null,
      decided_at: '2026-01-15T12:00:00.000Z',
      ...full,
      would_change: [
        {
          fact: 'whitelisted',
          value: 0,
          instead: 1,
          access_decision: 'triggered',
          access_decision_reason: 'whitelist',
        },
        {
          fact: 'occupied_count',
          value: 40,
          instead: 39,
          access_decision: 'triggered',
          access_decision_reason: 'tariff',
        },
        { fact: 'spot_count', value: 40, instead: 0, access_decision: 'triggered', access_decision_reason: 'tariff' },
      ],
    });
    expect(await world.refused('GET', path, undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('GET', '/v2/plate-readings/999999/explanation')).toEqual([404, '6']);
  });

  it('has no rules for a reading without a decision, but says what kept it from one', async () => {
    const typed = await reading({});
    expect(await world.get(`/v2/plate-readings/${typed}/explanation`)).toEqual({
      plate_reading_id: typed,
      decided_by: null,
      decided_at: null,
      access_decision: null,
      access_decision_reason: null,
      rules: [],
      would_change: [],
    });
    const lost = { ...trace, direction: 'undefined' as const, rule: 'direction' as const, occupied_count: 0 };
    const id = await reading({ direction: 'undefined', decision_trace: encodeJson(lost), decided_at: NOON_MS });
    const explanation = await world.get(`/v2/plate-readings/${id}/explanation`);
    expect(explanation).toMatchObject({
      rules: [],
      would_change: expect.arrayContaining([
        {
          fact: 'direction',
          value: 'undefined',
          instead: 'in',
          access_decision: 'triggered',
          access_decision_reason: 'tariff',
        },
      ]),
    });
  });
});
