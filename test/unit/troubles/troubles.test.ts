/** Every kind of trouble, and both sides of every threshold. */
import { describe, expect, it } from 'vitest';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/durations.js';
import {
  troublesOfLot,
  troublesOfMails,
  troublesOfWebhook,
  troublesOfZone,
} from '../../../shared/troubles/account-troubles.js';
import {
  namesOf,
  troublesOfCamera,
  troublesOfDisplay,
  troublesOfProduct,
  troublesOfSensors,
} from '../../../shared/troubles/equipment-troubles.js';
import { type GatewayHealthFacts, troublesOfGateway } from '../../../shared/troubles/gateway-troubles.js';
import { isCredentialLow, isMailFailing } from '../../../shared/troubles/rules.js';
import { type Trouble, TROUBLE_KINDS } from '../../../shared/troubles/trouble.js';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const LONG_AGO = NOW - DAY_MS;
const AWAITED_SINCE = NOW - 15 * MINUTE_MS + 1;
const OVERDUE_SINCE = NOW - 15 * MINUTE_MS;
const kindsOf = (troubles: readonly Trouble[]) => troubles.map(({ kind }) => kind);
/** Each kind that was seen here: none is left out. */
const seen = new Set<string>();
const expectKinds = (troubles: readonly Trouble[], kinds: readonly string[]) => {
  for (const { kind } of troubles) seen.add(kind);
  expect(kindsOf(troubles)).toEqual(kinds);
};

describe('a product', () => {
  const product = {
    id: 1,
    name: 'Gate',
    is_paired: true,
    unpaired_since_ms: null,
    is_online: true,
    is_in_error: false,
    errors: [],
    errors_since_ms: null,
    battery: 80,
    key_fault: null,
    clock_off_s: null,
    heard_ms: NOW,
    expected_ms: LONG_AGO,
  } as const;
  const lost = { ...product, is_online: false, heard_ms: NOW - HOUR_MS };
  const never = { ...product, is_online: false, heard_ms: null };
  it.each([
    ['is well', product, []],
    ['reports two errors', { ...product, errors: ['jammed', 'sensor_dirty'] }, ['product_error', 'product_error']],
    ['reports an error without a name', { ...product, is_in_error: true }, ['product_error']],
    ['reports it once', { ...product, is_in_error: true, errors: ['jammed'] }, ['product_error']],
    ['was in error when it was lost', { ...lost, is_in_error: true }, ['product_unheard']],
    ['is not paired', { ...never, is_paired: false }, ['product_unpaired']],
    ['has lost its key', { ...product, errors: ['master_key_not_set'] }, ['product_unpaired']],
    ['is lost', lost, ['product_unheard']],
    ['was never heard', { ...never, expected_ms: OVERDUE_SINCE }, ['product_unheard']],
    ['was only just set up', { ...never, expected_ms: AWAITED_SINCE }, ['awaited']],
    ['has 21 % left', { ...product, battery: 21 }, []],
    ['has 20 % left', { ...product, battery: 20 }, ['battery_low']],
    ['says itself that it is empty', { ...product, battery: 0, errors: ['battery_empty'] }, ['product_error']],
    ['is heard with another key', { ...lost, key_fault: 'other' }, ['product_other_key']],
    ['was reset, and has no key', { ...lost, key_fault: 'none' }, ['product_unpaired']],
    ['refuses the key of its gateway', { ...product, key_fault: 'refused' }, ['product_other_key']],
    ['has a wrong clock', { ...product, clock_off_s: -900 }, ['product_clock_wrong']],
  ] as const)('%s', (_what, facts, kinds) => {
    expectKinds(troublesOfProduct(facts, NOW), kinds);
  });

  it('is lost since it was last heard', () => {
    expect(troublesOfProduct(lost, NOW)).toMatchObject([{ since_ms: NOW - HOUR_MS, facts: { was_heard: true } }]);
  });
});

describe('a camera', () => {
  const camera = {
    id: 1,
    name: 'Cam',
    is_online: true,
    problem: null,
    clock_behind_s: null,
    heard_ms: NOW,
    expected_ms: LONG_AGO,
  };
  const silent = { ...camera, is_online: false };
  const never = { ...silent, heard_ms: null };
  it.each([
    ['is well', camera, []],
    ['is not known yet', { ...camera, is_online: null, heard_ms: null }, []],
    ['is silent', silent, ['camera_silent']],
    ['has a problem', { ...camera, problem: 'its password is refused' }, ['camera_fault']],
    ['has a wrong clock', { ...camera, clock_behind_s: 90 }, ['camera_clock_wrong']],
    ['says so already', { ...camera, clock_behind_s: 90, problem: 'reads come late' }, ['camera_fault']],
    ['was never heard', { ...never, expected_ms: OVERDUE_SINCE }, ['camera_silent']],
    ['was only just set up', { ...never, expected_ms: AWAITED_SINCE }, ['awaited']],
    ['was set up wrongly', { ...never, expected_ms: NOW, problem: 'no driver' }, ['camera_silent']],
  ])('%s', (_what, facts, kinds) => {
    expectKinds(troublesOfCamera(facts, NOW), kinds);
  });
});

describe('sensors', () => {
  const sensors = {
    id: 1,
    name: 'Deck',
    is_online: true,
    problem: null,
    silent: [],
    heard_ms: NOW,
    expected_ms: LONG_AGO,
  };
  const silent = [
    { name: 'A1', since_ms: NOW - HOUR_MS },
    { name: 'A2', since_ms: NOW - 2 * HOUR_MS },
    { name: 'A3', since_ms: null },
  ];
  it.each([
    ['are well', sensors, []],
    ['are silent, three of them', { ...sensors, silent }, ['places_silent']],
    ['are silent, which is the fault', { ...sensors, silent, problem: 'no answer' }, ['places_silent']],
    [
      'are silent with their receiver, which is said once',
      { ...sensors, is_online: false, silent },
      ['sensors_silent'],
    ],
    ['have a fault', { ...sensors, problem: 'a register is missing' }, ['sensors_fault']],
    [
      'were never heard',
      { ...sensors, is_online: false, heard_ms: null, expected_ms: OVERDUE_SINCE },
      ['sensors_silent'],
    ],
    [
      'were only just set up',
      { ...sensors, is_online: false, heard_ms: null, expected_ms: AWAITED_SINCE },
      ['awaited'],
    ],
  ])('%s', (_what, facts, kinds) => {
    expectKinds(troublesOfSensors(facts, NOW), kinds);
  });

  it('are named where they are silent, with the longest silence', () => {
    expect(troublesOfSensors({ ...sensors, silent }, NOW)).toMatchObject([
      { facts: { count: 3, places: 'A1, A2, A3' }, since_ms: NOW - 2 * HOUR_MS },
    ]);
    expect(namesOf(Array.from({ length: 20 }, (_, at) => `A${at}`))).toMatch(/^A0, .*A7, \+12$/);
  });
});

describe('a display', () => {
  const display = { id: 1, name: 'Sign', shown_ms: NOW, expected_ms: LONG_AGO, is_stale: false, problem: null };
  it.each([
    ['is well', display, []],
    ['is stale', { ...display, is_stale: true, shown_ms: NOW - HOUR_MS }, ['display_stale']],
    ['does not answer', { ...display, problem: 'no answer' }, ['display_stale']],
    ['never showed anything', { ...display, is_stale: true, shown_ms: null }, ['display_stale']],
    ['was only just set up', { ...display, is_stale: true, shown_ms: null, expected_ms: NOW }, ['awaited']],
  ])('%s', (_what, facts, kinds) => {
    expectKinds(troublesOfDisplay(facts, NOW), kinds);
  });
});

describe('a gateway', () => {
  const health: GatewayHealthFacts = {
    is_store_failed: false,
    radio: { state: 'on', adapters: [{ name: 'hci0', state: 'on' }] },
    oldest_record_ms: null,
    is_clock_ok: true,
    clock_off_ms: 0,
    credentials: { days: 30, is_low: false },
  };
  const gateway = {
    id: 1,
    name: 'Pi',
    is_online: true,
    online_ms: NOW,
    expected_ms: LONG_AGO,
    is_configured: true,
    has_products: true,
    health,
    is_health_new: true,
  };
  const of = (changed: Partial<GatewayHealthFacts>) => ({ ...gateway, health: { ...health, ...changed } });
  const oneOff = {
    state: 'on',
    adapters: [
      { name: 'hci0', state: 'on' },
      { name: 'hci1', state: 'off' },
    ],
  } as const;
  it.each([
    ['is well', gateway, []],
    ['has said nothing yet', { ...gateway, health: null }, []],
    ['works alone', { ...gateway, is_online: false, online_ms: NOW - HOUR_MS }, ['gateway_alone']],
    ['was never there', { ...gateway, is_online: false, online_ms: null }, ['gateway_alone']],
    [
      'was only just claimed',
      { ...gateway, is_online: false, online_ms: null, expected_ms: AWAITED_SINCE },
      ['awaited'],
    ],
    ['has no configuration', { ...gateway, is_configured: false }, ['not_configured']],
    ['has a full disk', of({ is_store_failed: true }), ['store_failed']],
    ['had one, and is away', { ...of({ is_store_failed: true }), is_health_new: false }, []],
    ['has no Bluetooth', of({ radio: { state: 'off', adapters: [] } }), ['radio_off']],
    ['needs none', { ...of({ radio: { state: 'off', adapters: [] } }), has_products: false }, []],
    ['has an adapter that is off', of({ radio: oneOff }), ['radio_off']],
    ['is off by a minute', of({ clock_off_ms: 60_000 }), []],
    ['is off by more', of({ clock_off_ms: -60_001 }), ['clock_wrong']],
    ['does not know the time', of({ is_clock_ok: false, clock_off_ms: null }), ['clock_wrong']],
    ['holds records for ten minutes', of({ oldest_record_ms: NOW - 10 * MINUTE_MS }), []],
    ['holds records for longer', of({ oldest_record_ms: NOW - 10 * MINUTE_MS - 1 }), ['queue_old']],
    ['can open nothing any more', of({ credentials: { days: 0, is_low: true } }), ['credential_over']],
    ['can open for three days', of({ credentials: { days: 3, is_low: true } }), ['credential_low']],
    ['operates nothing', of({ credentials: null }), []],
  ])('%s', (_what, facts, kinds) => {
    expectKinds(troublesOfGateway(facts, NOW), kinds);
  });

  it.each([
    [31, 16, false],
    [31, 15, true],
    [7, 4, false],
    [7, 3, true],
  ])('may act alone for %i days: %i left is low: %s', (autonomyDays, left, isLow) => {
    expect(isCredentialLow(left, autonomyDays)).toBe(isLow);
  });
});

describe('an account', () => {
  it('has lots that are held open, and zones whose counts are apart', () => {
    const lot = { id: 1, name: 'North', released_ms: null, released_by: null };
    expectKinds(troublesOfLot(lot), []);
    expectKinds(troublesOfLot({ ...lot, released_ms: NOW, released_by: 'Gus' }), ['lot_released']);
    const zone = { id: 1, name: 'Deck', sensors: 3, sessions: 9, drift_since_ms: null };
    expectKinds(troublesOfZone(zone), []);
    expectKinds(troublesOfZone({ ...zone, drift_since_ms: NOW - HOUR_MS }), ['counts_apart']);
  });

  const webhook = { id: 1, name: 'h', is_active: true, disabled_ms: null, last_status: 204, unanswered_ms: null };
  it.each([
    ['is answered', webhook, []],
    ['was never called', { ...webhook, last_status: null }, []],
    ['is answered with 299', { ...webhook, last_status: 299 }, []],
    ['is answered with 300', { ...webhook, last_status: 300 }, ['webhook_failing']],
    ['is not answered', { ...webhook, last_status: null, unanswered_ms: NOW }, ['webhook_failing']],
    ['was switched off by its receiver', { ...webhook, is_active: false, disabled_ms: NOW }, ['webhook_off']],
    ['was switched off by a person', { ...webhook, is_active: false, last_status: 500 }, []],
  ])('has a webhook that %s', (_what, facts, kinds) => {
    expectKinds(troublesOfWebhook(facts), kinds);
  });

  it('has mails that come to nothing', () => {
    const failing = (ageMs: number, is_over: boolean) => isMailFailing({ written_ms: NOW - ageMs, is_over }, NOW);
    expect([failing(3 * DAY_MS - 1, true), failing(3 * DAY_MS, true)]).toEqual([true, false]);
    expect([failing(HOUR_MS, false), failing(HOUR_MS + 1, false)]).toEqual([false, true]);
    expectKinds(troublesOfMails([{ written_ms: NOW - 9 * DAY_MS, is_over: true }], NOW), []);
    const mails = [1, 2].map((hours) => ({ written_ms: NOW - hours * HOUR_MS, is_over: true }));
    expectKinds(troublesOfMails(mails, NOW), ['mails_failing']);
    expect(troublesOfMails(mails, NOW)).toMatchObject([{ facts: { count: 2 }, since_ms: NOW - 2 * HOUR_MS }]);
  });
});

describe('the list', () => {
  it('has every kind', () => {
    expect([...seen].sort()).toEqual([...TROUBLE_KINDS].sort());
  });
});
