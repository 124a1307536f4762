/** The console of the cloud and the gateway's own page say the same sentence of the same fault, in every language. */
import { expect, it } from 'vitest';
import { LOCAL_WORDS as LOCAL_DE } from '../../../agent/console/wording/de.js';
import { LOCAL_WORDS as LOCAL_EN } from '../../../agent/console/wording/en.js';
import { LOCAL_WORDS as LOCAL_HR } from '../../../agent/console/wording/hr.js';
import { LOCAL_WORDS as LOCAL_HU } from '../../../agent/console/wording/hu.js';
import { ownTroubles } from '../../../agent/health/decide-own-troubles.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { CONSOLE_WORDS as CLOUD_DE } from '../../../cloud/console/wording/de.js';
import { CONSOLE_WORDS as CLOUD_EN } from '../../../cloud/console/wording/en.js';
import { CONSOLE_WORDS as CLOUD_HR } from '../../../cloud/console/wording/hr.js';
import { CONSOLE_WORDS as CLOUD_HU } from '../../../cloud/console/wording/hu.js';
import { type LotFacts, troublesOf } from '../../../cloud/console/wording/lot-troubles.js';
import { sentenceOf } from '../../../shared/troubles/trouble-sentences.js';
import type { Trouble } from '../../../shared/troubles/trouble.js';
import { PRODUCT, statusOf } from '../agent-console/view-world.js';
import { GATEWAY_RECORD, HEALTH, LOT_FACTS, NO_ERROR, PRODUCT_RECORD } from '../console/lot-facts.js';

const NOW = '2026-01-15T12:01:30.000Z';
/** The gateway has run for a day, and heard of everything half an hour ago. */
const UP_S = 86_400;
const AGO_S = 1_800;
const LONG_AGO = '2025-01-01T00:00:00.000Z';
const AT = '2026-01-15T11:31:30.000Z';
const MINUTE_AT = '2026-01-15T11:32:00.000Z';

const gatewayOf = (changed: Partial<GatewayStatus>): GatewayStatus =>
  statusOf({ uptime_s: UP_S, clock: { known: true, now: NOW }, products: [{ ...PRODUCT, name: 'Gate' }], ...changed });
const lotOf = (changed: Partial<LotFacts>): LotFacts => ({
  ...LOT_FACTS,
  products: [PRODUCT_RECORD],
  gateways: [{ ...GATEWAY_RECORD, name: 'Entrance Pi' }],
  healths: new Map([[1, HEALTH]]),
  ...changed,
});
const localProduct = (changed: Partial<typeof PRODUCT>) =>
  gatewayOf({ products: [{ ...PRODUCT, name: 'Gate', ...changed }] });
const cloudProduct = (changed: Partial<typeof PRODUCT_RECORD>) =>
  lotOf({ products: [{ ...PRODUCT_RECORD, ...changed }] });
const healthOf = (changed: Partial<typeof HEALTH>) => lotOf({ healths: new Map([[1, { ...HEALTH, ...changed }]]) });

const camera = { device_id: 'c1', name: 'Cam', driver: 'axis', push_without_key: false, problem: null } as const;
const noClock = { clock_behind_s: null, clock_is_drifting: false };
const cameraRecord = { id: 1, name: 'Cam', zone_id: 1, problem: null, last_seen: AT, created_at: LONG_AGO };
const place = { name: 'A1', sensor: '1', occupancy: 'free', raw: null, answers: false } as const;
const deck = { name: 'Deck', driver: 'http', place_count: 1, occupied_count: 0 } as const;
const deckRecord = { id: 1, name: 'Deck', lot_id: 1, problem: null, created_at: LONG_AGO };

const CASES: [string, GatewayStatus, LotFacts][] = [
  ['nothing', gatewayOf({}), lotOf({})],
  [
    'each error of a product',
    localProduct({ errors: ['jammed', 'sensor_dirty'] }),
    cloudProduct({ product_error: { ...NO_ERROR, jammed: 1, sensor_dirty: 1 } }),
  ],
  [
    'an error without a name',
    localProduct({ state: 'error' }),
    cloudProduct({ gate: { state: 'error', permanent_position: 'disabled' } }),
  ],
  ['a product that is not paired', localProduct({ paired: false }), cloudProduct({ is_paired: 0 })],
  [
    'a product that has lost its key',
    localProduct({ errors: ['master_key_not_set'] }),
    cloudProduct({ product_error: { ...NO_ERROR, master_key_not_set: 1 } }),
  ],
  [
    'a product that is lost',
    localProduct({ status: 'offline', seen_ago_s: AGO_S }),
    cloudProduct({ status: 'offline', last_seen: MINUTE_AT }),
  ],
  [
    'a product that was never heard',
    localProduct({ status: 'offline', seen_ago_s: null }),
    cloudProduct({ status: 'offline', last_seen: null }),
  ],
  ['a battery at 20 %', localProduct({ battery: 20 }), cloudProduct({ battery_status: 20 })],
  ['a battery at 21 %', localProduct({ battery: 21 }), cloudProduct({ battery_status: 21 })],
  [
    'a gateway that works alone',
    gatewayOf({ cloud: { url: 'https://c', connected: false, since: AT } }),
    lotOf({ gateways: [{ ...GATEWAY_RECORD, name: 'Entrance Pi', status: 'offline', last_seen: AT }] }),
  ],
  [
    'an adapter that is off',
    gatewayOf({
      radio: { ...statusOf().radio, state: 'on', adapters: [{ name: 'hci1', state: 'off', links: 0 }] },
    }),
    healthOf({ radio: { state: 'on', adapters: [{ name: 'hci1', state: 'off' }] } }),
  ],
  [
    'a disk that accepts nothing',
    gatewayOf({ store: { path: '/x', bytes: 1, quarantined: null, failed: 'ENOSPC' } }),
    healthOf({ store: { is_ok: 0 } }),
  ],
  [
    'a clock that is not set',
    gatewayOf({ clock: { known: false, now: NOW } }),
    healthOf({ clock: { is_ok: 0, offset_ms: null } }),
  ],
  [
    'credentials that end in three days',
    localProduct({ credential_days_left: 3, is_credential_low: true }),
    healthOf({ token_days_left: 3 }),
  ],
  [
    'credentials that have ended',
    localProduct({ credential_days_left: 0, is_credential_low: true }),
    healthOf({ token_days_left: 0 }),
  ],
  [
    'a camera that is silent, with the reason',
    gatewayOf({ cameras: [{ ...camera, ...noClock, status: 'offline', last_seen: AT, problem: 'no answer' }] }),
    lotOf({ cameras: [{ ...cameraRecord, status: 'offline', problem: 'no answer' }] }),
  ],
  [
    'a camera with a problem',
    gatewayOf({ cameras: [{ ...camera, ...noClock, status: 'online', last_seen: AT, problem: 'reads come late' }] }),
    lotOf({ cameras: [{ ...cameraRecord, status: 'online', problem: 'reads come late' }] }),
  ],
  [
    'a sensor that is silent',
    gatewayOf({
      parking_gateways: [
        {
          ...deck,
          status: 'online',
          stale_places: ['A1'],
          places: [{ ...place, heard_ago_s: AGO_S, is_stale: true }],
          fault: null,
        },
      ],
    }),
    lotOf({
      sensors: [{ ...deckRecord, status: 'online', last_seen: NOW }],
      silentPlaces: [{ id: 1, name: 'A1', parking_gateway_id: 1, stale_since: MINUTE_AT }],
    }),
  ],
  [
    'sensors that are silent with what they report to',
    gatewayOf({
      parking_gateways: [
        {
          ...deck,
          status: 'offline',
          stale_places: [],
          places: [{ ...place, heard_ago_s: AGO_S, is_stale: false }],
          fault: null,
        },
      ],
    }),
    lotOf({ sensors: [{ ...deckRecord, status: 'offline', last_seen: MINUTE_AT }] }),
  ],
  [
    'sensors with a fault',
    gatewayOf({
      parking_gateways: [{ ...deck, status: 'online', stale_places: [], places: [], fault: 'a register is missing' }],
    }),
    lotOf({ sensors: [{ ...deckRecord, status: 'online', last_seen: NOW, problem: 'a register is missing' }] }),
  ],
];

const LANGUAGES = [
  ['English', LOCAL_EN, CLOUD_EN],
  ['German', LOCAL_DE, CLOUD_DE],
  ['Croatian', LOCAL_HR, CLOUD_HR],
  ['Hungarian', LOCAL_HU, CLOUD_HU],
] as const;

it.each(CASES)('%s', (what, status, facts) => {
  const local = ownTroubles(status);
  const cloud = troublesOf(facts, Date.parse(NOW));
  for (const [, localWords, cloudWords] of LANGUAGES) {
    const said = local.map((each) => sentenceOf(each, localWords));
    expect(said).toEqual(cloud.map((each) => sentenceOf(each, cloudWords)));
    for (const sentence of said) expect(sentence).not.toMatch(/undefined|null|NaN/);
  }
  expect(local.length === 0).toBe(what === 'nothing' || what === 'a battery at 21 %');
  // Errors have a time in the cloud alone.
  const aged = ({ kind }: Trouble) => kind !== 'product_error' && kind !== 'product_unpaired';
  const times = (troubles: readonly Trouble[]) => troubles.filter(aged).map(({ since_ms }) => since_ms);
  expect(times(local)).toEqual(times(cloud));
});
