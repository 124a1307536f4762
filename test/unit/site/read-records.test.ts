import { describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { productCommandSchema } from '../../../shared/uplink-orders.js';
import { FULL_SITE_TEXT } from './full-site-text.js';
import { expectProblem, problemsOf, type Spoiled } from './site-problems.js';
import { edit } from './site-text.js';

const ACCOUNT = 'accounts[0]';
const TARIFF = `${ACCOUNT}.tariffs[0]`;
const ZONE = `${ACCOUNT}.lots[0].zones[0]`;
const ALERT = `${ACCOUNT}.license_plate_alerts[0]`;
const KEY = `${ACCOUNT}.key_logs[0]`;
const SIGN = `${ACCOUNT}.rgb_displays[0]`;
const LINK = `${ACCOUNT}.weblinks[0]`;

const OPERATIONS = productCommandSchema.options[0].shape.name.options;

const SPOILED: Spoiled[] = [
  {
    title: 'a window on an eighth day',
    before: 'days: [6, 7, 6]',
    after: 'days: [8]',
    problem: `${TARIFF}.windows[0].days[0]: must be at most 7`,
  },
  {
    title: 'a window on no day',
    before: 'days: [6, 7, 6]',
    after: 'days: []',
    problem: `${TARIFF}.windows[0].days: must name a day: 1 is Monday`,
  },
  {
    title: 'a window that ends at no time of day',
    before: 'end: "06:30"',
    after: 'end: "6:30"',
    problem: `${TARIFF}.windows[1].end: must be a time of day such as 07:30`,
  },
  {
    title: 'a window with a price that has no coin',
    before: 'price: 1.10',
    after: 'price: 1.105',
    problem: `${TARIFF}.windows[0].price: EUR has 2 decimal digits`,
  },
  {
    title: 'an unknown kind of terminal',
    before: 'type: pof',
    after: 'type: kiosk',
    problem: `${ZONE}.terminals[0].type: must be entry, exit, pof, lp_pof or lp_exit`,
  },
  {
    title: 'a terminal with a MAC address that is none',
    before: '"02:00:00:00:00:0A"',
    after: '"02:00:00:00:00"',
    problem: `${ZONE}.terminals[0].mac: must be an address such as "02:00:00:00:00:01"`,
  },
  {
    title: 'a terminal with a public key that is too short',
    before: 'A'.repeat(43),
    after: 'A'.repeat(42),
    problem: `${ZONE}.terminals[0].public_key: must be 32 bytes as base64url`,
  },
  {
    title: 'a terminal given twice',
    before: '{device_id: col-1',
    after: '{device_id: pay-1',
    problem: `${ZONE}.terminals[1].device_id: another terminal has pay-1 already`,
    marker: 'name: Entry column',
  },
  {
    title: 'an alert for a zone that is not there',
    before: 'zone: Deck\n        min_minutes',
    after: 'zone: Keel\n        min_minutes',
    problem: `${ALERT}.zone: there is no zone Keel`,
  },
  {
    title: 'a plate of an alert given twice, however it is written',
    before: 'plates: [ST0-LEN1, ZG900XX]',
    after: 'plates: [ST0-LEN1, st0 len1]',
    problem: `${ALERT}.plates[1]: another plate of the alert has ST0LEN1 already`,
  },
  {
    title: 'a receiver of an alert given twice',
    before: 'receiver_email: night@harbour.example',
    after: 'receiver_email: desk@harbour.example',
    problem: `${ALERT}.receivers[1].receiver_email: another receiver of the alert has desk@harbour.example already`,
    marker: 'receivers:',
  },
  {
    title: 'a receiver without an address',
    before: ', receiver_email: night@harbour.example',
    after: '',
    problem: `${ALERT}.receivers[1].receiver_email: must be an e-mail address`,
    marker: 'receivers:',
  },
  {
    title: 'a key of a product that is not there',
    before: 'Plumber, product: b4c138000001',
    after: 'Plumber, product: b4c138000009',
    problem: `${KEY}.product: there is no product b4c138000009 of this account`,
  },
  {
    title: 'a key that ends before it begins',
    before: 'end_time: 2027-01-01T00:00:00+01:00',
    after: 'end_time: 2025-12-31T23:59:59Z',
    problem: `${KEY}.end_time: must be after start_time`,
  },
  {
    title: 'a key with a time that is none',
    before: 'end_time: 2027-01-01T00:00:00+01:00',
    after: 'end_time: 2027-02-30T00:00:00Z',
    problem: `${KEY}.end_time: must be a time such as 2026-01-01T00:00:00Z`,
  },
  {
    title: 'a key that begins before products can count',
    before: 'receiver_identifier_type: license_plate, start_time: 2026-01-01T00:00:00Z',
    after: 'receiver_identifier_type: license_plate, start_time: 1950-01-01T00:00:00Z',
    problem: `${KEY}.start_time: must be between the years 1970 and 2106`,
  },
  {
    title: 'a key for a plate without a letter or digit',
    before: 'receiver_identifier: ST 55-ABC',
    after: 'receiver_identifier: "--"',
    problem: `${KEY}.receiver_identifier: must hold letters or digits`,
  },
  {
    title: 'a key for an e-mail address that is none',
    before: 'receiver_identifier: Guest@example.com',
    after: 'receiver_identifier: Guest',
    problem: `${ACCOUNT}.key_logs[1].receiver_identifier: must be an e-mail address`,
  },
  {
    title: 'a key for a telephone number that YAML takes for a number',
    before: '"+385 21 555123"',
    after: '+38521555123',
    problem: `${ACCOUNT}.key_logs[2].receiver_identifier: must be text: put it in quotes`,
  },
  {
    title: 'a key for a telephone number that is none',
    before: '"+385 21 555123"',
    after: '"call me"',
    problem: `${ACCOUNT}.key_logs[2].receiver_identifier: must be a telephone number such as "+385 21 123456"`,
  },
  {
    title: 'a key for an unknown kind of receiver',
    before: 'receiver_identifier_type: email',
    after: 'receiver_identifier_type: fax',
    problem: `${ACCOUNT}.key_logs[1].receiver_identifier_type: must be email, phone or license_plate`,
  },
  {
    title: 'a key given twice',
    before: 'name: Guest',
    after: 'name: Plumber',
    problem: `${ACCOUNT}.key_logs[1].name: another key has Plumber already`,
    marker: 'Guest@example.com',
  },
  {
    title: 'a display of a zone that is not there',
    before: 'zone: Deck\n        driver',
    after: 'zone: Keel\n        driver',
    problem: `${SIGN}.zone: there is no zone Keel`,
  },
  {
    title: 'a display of no zone',
    before: 'zone: Deck\n        driver',
    after: 'driver',
    problem: `${SIGN}.zone: is required`,
    marker: 'name: Mole sign',
  },
  {
    title: 'a display at a gateway that is not there',
    before: 'driver: modbus',
    after: 'gateway: Other Pi',
    problem: `${SIGN}.gateway: there is no gateway Other Pi of the zone's lot`,
  },
  {
    title: 'an unknown operator',
    before: 'operator: gte',
    after: 'operator: ge',
    problem: `${SIGN}.rules[0].operator: must be eq, neq, gt, gte, lt, lte or between`,
  },
  {
    title: 'a rule between one value',
    before: 'occupied_value_to: 11, ',
    after: '',
    problem: `${SIGN}.rules[1].occupied_value_to: is needed with the operator between`,
    marker: 'name: some',
  },
  {
    title: 'a rule between values the wrong way round',
    before: 'occupied_value: 0, occupied_value_to: 11',
    after: 'occupied_value: 12, occupied_value_to: 11',
    problem: `${SIGN}.rules[1].occupied_value_to: must be at least occupied_value`,
  },
  {
    title: 'a rule that ends before it begins',
    before: 'end_time: 2026-06-01T00:00:00Z',
    after: 'end_time: 2026-01-01T00:00:00Z',
    problem: `${SIGN}.rules[1].end_time: must be after start_time`,
  },
  {
    title: 'a rule given twice',
    before: 'name: some',
    after: 'name: full',
    problem: `${SIGN}.rules[1].name: another rule of the display has full already`,
    marker: 'operator: between',
  },
  {
    title: 'a link to an unknown operation',
    before: 'operations: [open, stay_open]',
    after: 'operations: [open, push]',
    problem: `${LINK}.operations[1]: must be ${OPERATIONS.slice(0, -1).join(', ')} or ${OPERATIONS.at(-1)}`,
  },
  {
    title: 'a link to nothing',
    before: 'operations: [open, stay_open]',
    after: 'operations: []',
    problem: `${LINK}.operations: must name an operation`,
  },
  {
    title: 'a link of a product that is not there',
    before: 'Courier, product: b4c138000001',
    after: 'Courier, product: Barrier',
    problem: `${LINK}.product: there is no product Barrier of this account`,
  },
  {
    title: 'a link that ends before it begins',
    before: 'end_time: 2026-12-31T23:00:00Z',
    after: 'end_time: 2025-12-31T23:00:00Z',
    problem: `${LINK}.end_time: must be after start_time`,
  },
];

describe('terminals, alerts, keys, displays and links of a site file', () => {
  it.each(SPOILED)('are refused for $title, with the line', (spoiled) => expectProblem(FULL_SITE_TEXT, spoiled));

  it('have defaults for what is left out', () => {
    const text = `version: 1
accounts:
  - name: A
    tariffs: [{name: T, currency: EUR, price: 1, step_minutes: 20, windows: [{start: "22:00", end: "06:00", price: 0}]}]
    lots:
      - name: L
        zones:
          - name: Z
            products: [{device_id: b4c138000001, name: P, type: gate}]
            terminals: [{device_id: t1, name: T1, type: exit}]
    license_plate_alerts: [{name: W}]
    key_logs: [{name: K, product: b4c138000001, receiver_identifier: ZG1, receiver_identifier_type: license_plate}]
    rgb_displays: [{name: D, zone: L/Z, rules: [{name: R, operator: lt}]}]
    weblinks: [{name: W, product: b4c138000001}]
`;
    const [account] = readSiteFile('site.yaml', text).site.accounts;
    expect(account?.tariffs[0]?.windows).toEqual([
      { days: [1, 2, 3, 4, 5, 6, 7], start: '22:00', end: '06:00', price: 0 },
    ]);
    expect(account?.lots[0]?.zones[0]?.terminals).toEqual([
      { device_id: 't1', name: 'T1', type: 'exit', is_master: false, mac: '', public_key: null },
    ]);
    expect(account?.license_plate_alerts).toEqual([
      { name: 'W', plates: [], zone: null, min_minutes_between_emails: 30, receivers: [] },
    ]);
    expect(account?.key_logs[0]).toMatchObject({ end_time: null });
    expect(account?.key_logs[0]).not.toHaveProperty('start_time');
    expect(account?.rgb_displays[0]).toMatchObject({ gateway: null, driver: '', address: '', stale_text: '' });
    expect(account?.rgb_displays[0]?.rules[0]).toMatchObject({ occupied_value: 0, display_text: '', end_time: null });
    expect(account?.weblinks[0]).toMatchObject({ operations: ['open', 'close'], end_time: null });
  });

  it('name a zone with its lot where several lots have it', () => {
    const lots = '      - {name: South, zones: [{name: Deck}]}\n    members:';
    const twice = edit(FULL_SITE_TEXT, '    members:', lots);
    const reasons = problemsOf(twice).map((problem) => problem.split(': ').slice(1).join(': '));
    const choose = 'several lots have a zone Deck: write North/Deck or South/Deck';
    expect(reasons).toEqual([
      `${ACCOUNT}.groups[0].zones[0]: ${choose}`,
      `${ALERT}.zone: ${choose}`,
      `${SIGN}.zone: ${choose}`,
    ]);
    const named = twice
      .replaceAll('zone: Deck', 'zone: North/Deck')
      .replace('zones: [Deck], tariffs', 'zones: [South/Deck], tariffs');
    expect(problemsOf(named)).toEqual([]);
    // A gateway is one of that lot.
    const southern = named.replace(
      'zone: North/Deck\n        driver',
      'zone: South/Deck\n        gateway: Mole Pi\n        driver',
    );
    expect(problemsOf(southern)).toEqual([expect.stringContaining("there is no gateway Mole Pi of the zone's lot")]);
  });
});
