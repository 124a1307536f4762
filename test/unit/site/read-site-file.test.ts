import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { expectProblem, problemsOf, type Spoiled } from './site-problems.js';
import { edit, SITE_TEXT } from './site-text.js';

const LOT = 'accounts[0].lots[0]';
const ZONE = `${LOT}.zones[0]`;

const SPOILED: Spoiled[] = [
  {
    title: 'another version',
    before: 'version: 1',
    after: 'version: 2',
    problem: 'version: must be 1',
  },
  {
    title: 'an unknown key',
    before: 'daily_max: 12',
    after: 'daily_limit: 12',
    problem:
      'accounts[0].tariffs[0].daily_limit: unknown key; allowed: name, currency, vat, free_minutes, price, step_minutes, daily_max, windows',
  },
  {
    title: 'a missing name',
    before: 'name: Entrance Pi\n',
    after: '\n',
    problem: `${LOT}.gateways[0].name: is required`,
    marker: 'uuid: 0d3c',
  },
  {
    title: 'a name that would steer a terminal',
    before: 'name: Level 0',
    after: 'name: "Level\\e[2J 0"',
    problem: `${ZONE}.name: must not hold control characters`,
  },
  {
    title: 'a camera driver that there is not',
    before: 'driver: hikvision',
    after: 'driver: nikvision',
    problem: `${ZONE}.lpr_cameras[0].driver: must be hikvision, dahua, axis, onvif, milesight, openalpr, platerecognizer, verkada, lilin, zhenshi, genetec, unifi, uniview, survision, frigate or mapping`,
  },
  {
    title: 'an empty name',
    before: 'name: Level 0',
    after: 'name: ""',
    problem: `${ZONE}.name: must not be empty`,
  },
  {
    title: 'a number for a text',
    before: 'device_id: a4c138000001',
    after: 'device_id: 123456789012',
    problem: `${ZONE}.products[0].device_id: must be text: put it in quotes`,
  },
  {
    title: 'a text for a number',
    before: 'spot_count: 40',
    after: 'spot_count: forty',
    problem: `${ZONE}.spot_count: must be a number`,
  },
  {
    title: 'a fraction for a whole number',
    before: 'spot_count: 40',
    after: 'spot_count: 1.5',
    problem: `${ZONE}.spot_count: must be a whole number`,
  },
  {
    title: 'a number out of its bounds',
    before: 'autoclose_time: 10',
    after: 'autoclose_time: 256',
    problem: `${ZONE}.products[0].autoclose_time: must be at most 255`,
  },
  {
    title: 'a text for a flag',
    before: 'is_autoclose: true',
    after: 'is_autoclose: maybe',
    problem: `${ZONE}.products[0].is_autoclose: must be 0, 1, true or false`,
  },
  {
    title: 'a text for a list',
    before: 'tariffs: [Public]\n            products',
    after: 'tariffs: Public\n            products',
    problem: `${ZONE}.tariffs: must be a list`,
  },
  {
    title: 'a text for a mapping',
    before: '{device_id: a4c138000002, name: Exit gate, type: gate}',
    after: 'a4c138000002',
    problem: `${ZONE}.products[1]: must be a mapping of keys to values`,
  },
  {
    title: 'an unknown product type',
    before: 'type: barrier',
    after: 'type: door',
    problem: `${ZONE}.products[0].type: must be barrier, gate, chain, bollard or brain`,
  },
  {
    title: 'an unknown role',
    before: 'role: Attendant',
    after: 'role: attendant',
    problem: 'accounts[0].users[1].role: must be Super Admin, Admin or Attendant',
  },
  {
    title: 'a time zone that does not exist',
    before: 'timezone: Europe/Zagreb',
    after: 'timezone: Europe/Zagrep',
    problem: `${LOT}.timezone: must be a time zone such as Europe/Zagreb`,
  },
  {
    title: 'an offset instead of a time zone',
    before: 'timezone: Europe/Zagreb',
    after: 'timezone: "+01:00"',
    problem: `${LOT}.timezone: must be a time zone such as Europe/Zagreb`,
  },
  {
    title: 'a master key that is too short',
    before: '101112131415161718191a1b1c1d1e1f"',
    after: '1011"',
    problem: `${ZONE}.products[0].master_key: must be 64 hex digits`,
  },
  {
    title: 'a device_id in capitals',
    before: 'device_id: a4c138000001',
    after: 'device_id: A4C138000001',
    problem: `${ZONE}.products[0].device_id: must be 12 lower-case hex digits`,
  },
  {
    title: 'a uuid that is none',
    before: 'uuid: 0d3c2a54-5a1f',
    after: 'uuid: 0d3c2a54_5a1f',
    problem: `${LOT}.gateways[0].uuid: must be a lower-case uuid`,
  },
  {
    title: 'an e-mail address that is none',
    before: 'email: guard@harbour.example',
    after: 'email: guard',
    problem: 'accounts[0].users[1].email: must be an e-mail address',
  },
  {
    title: 'a short API token',
    before: 'token: demo-integration-token-0123456789abcdef',
    after: 'token: short',
    problem: 'accounts[0].api_tokens[0].token: must be 32 or more letters, digits, dots, dashes or underscores',
  },
  {
    title: 'an unknown currency',
    before: 'currency: EUR',
    after: 'currency: EURO',
    problem: 'accounts[0].tariffs[0].currency: must be a currency such as EUR',
  },
  {
    title: 'a price the currency has no coin for',
    before: 'price: 1.50',
    after: 'price: 1.505',
    problem: 'accounts[0].tariffs[0].price: EUR has 2 decimal digits',
  },
  {
    title: 'a coordinate outside the world',
    before: 'latitude: 43.5',
    after: 'latitude: 143.5',
    problem: `${LOT}.latitude: must be at most 90`,
  },
  {
    title: 'an address without its scheme',
    before: 'address: http://127.0.0.1:9001',
    after: 'address: 127.0.0.1:9001',
    problem: `${ZONE}.lpr_cameras[0].address: must be an address such as http://192.168.1.20`,
  },
  {
    title: 'a plate without a letter or digit',
    before: 'license_plate: ZG1234AB',
    after: 'license_plate: "--"',
    problem: 'accounts[0].members[0].license_plate: must hold letters or digits',
  },
  {
    title: 'a camera that opens a product that is not there',
    before: 'product: a4c138000001',
    after: 'product: a4c138000009',
    problem: `${ZONE}.lpr_cameras[0].product: there is no product a4c138000009 of this lot`,
  },
  {
    title: 'a camera at a gateway that is not there',
    before: 'gateway: Entrance Pi',
    after: 'gateway: Exit Pi',
    problem: `${ZONE}.lpr_cameras[0].gateway: there is no gateway Exit Pi of this lot`,
  },
  {
    title: 'a zone with a tariff that is not there',
    before: 'tariffs: [Public]\n            products',
    after: 'tariffs: [Public, Night]\n            products',
    problem: `${ZONE}.tariffs[1]: there is no tariff Night`,
  },
  {
    title: 'a group of a zone that is not there',
    before: 'zones: [Level 0]',
    after: 'zones: [Level 1]',
    problem: 'accounts[0].groups[0].zones[0]: there is no zone Level 1',
  },
  {
    title: 'a group with a tariff that is not there',
    before: 'zones: [Level 0], tariffs: [Public]',
    after: 'zones: [Level 0], tariffs: [Night]',
    problem: 'accounts[0].groups[0].tariffs[0]: there is no tariff Night',
  },
  {
    title: 'a member of a group that is not there',
    before: 'groups: [Residents]',
    after: 'groups: [Visitors]',
    problem: 'accounts[0].members[0].groups[0]: there is no group Visitors',
  },
  {
    title: 'a user of a lot that is not there',
    before: 'lots: [North]',
    after: 'lots: [South]',
    problem: 'accounts[0].users[1].lots[0]: there is no lot South',
  },
  {
    title: 'an e-mail address given twice, whatever its case',
    before: 'email: guard@harbour.example',
    after: 'email: OWNER@harbour.example',
    problem: 'accounts[0].users[1].email: another user has OWNER@harbour.example already',
  },
  {
    title: 'a device_id given twice',
    before: '{device_id: a4c138000002',
    after: '{device_id: a4c138000001',
    problem: `${ZONE}.products[1].device_id: another product has a4c138000001 already`,
  },
  {
    title: 'a plate bound twice, however it is written',
    before: '"ZG 888-CC"',
    after: '"zg 777-bb"',
    problem: `${ZONE}.products[0].bound_licenses[1]: another bound license has ZG777BB already`,
  },
  {
    title: 'a lot given twice',
    before: '    members:',
    after: '      - name: North # again\n    members:',
    problem: 'accounts[0].lots[1].name: another lot has North already',
    marker: '# again',
  },
  {
    title: 'a gateway name, uuid and code given twice',
    before: '        zones:\n',
    after: '          - {name: Entrance Pi, claim_code: OTHER-CODE-0001}\n        zones:\n',
    problem: `${LOT}.gateways[1].name: another gateway has Entrance Pi already`,
    marker: 'OTHER-CODE',
  },
  {
    title: 'a claim code given twice, without repeating it',
    before: '        zones:\n',
    after: '          - {name: Second Pi, claim_code: HARBOUR-NORTH-0001}\n        zones:\n',
    problem: `${LOT}.gateways[1].claim_code: another gateway has this already`,
    marker: 'Second Pi',
  },
  {
    title: 'a key given twice',
    before: '    members:',
    after: '    tariffs: []\n    members:',
    problem: 'the key tariffs is given twice',
    marker: '    tariffs: []',
  },
];

describe('a site file', () => {
  it('gives what it says when it is right, with defaults for the rest', () => {
    const { site } = readSiteFile('site.yaml', SITE_TEXT);
    const [account] = site.accounts;
    expect(account).toMatchObject({ remote_control: 1, public_key_requests: 0 });
    expect(account?.users[0]).toEqual({
      email: 'owner@harbour.example',
      password: 'long pass phrase',
      name: 'Olga',
      role: 'Super Admin',
      email_confirmed: 1,
    });
    expect(account?.tariffs[0]).toMatchObject({ vat: '', free_minutes: 0, step_minutes: 60 });
    expect(account?.lots[0]).toMatchObject({ address: '', offline_exit: 'open', autonomy_days: 31, longitude: null });
    expect(account?.lots[0]?.zones[0]).toMatchObject({ description: '', occupancy_max_hours: 72 });
    expect(account?.lots[0]?.zones[0]?.products[1]).toEqual({
      device_id: 'a4c138000002',
      name: 'Exit gate',
      type: 'gate',
      power_type: 'battery',
      is_autoclose: 0,
      autoclose_time: 10,
      bound_licenses: [],
    });
    expect(account?.lots[0]?.zones[0]?.lpr_cameras[0]).toMatchObject({
      username: '',
      timezone: 'UTC',
      plate_side: 'front',
      debounce_time: 15,
      direction_source: 'reported',
    });
  });

  it('is right for the demo', () => {
    expect(problemsOf(readFileSync('scripts/demo-site.yaml', 'utf8'))).toEqual([]);
  });

  it('may be as small as this', () => {
    expect(problemsOf('version: 1\n')).toEqual([]);
  });

  it.each(SPOILED)('is refused for $title, with the line', (spoiled) => expectProblem(SITE_TEXT, spoiled));

  it('tells all its problems at once, in their order', () => {
    let text = SITE_TEXT;
    for (const { before, after } of SPOILED.filter(({ title }) =>
      /type|time zone that|twice, whatever|tariff that/.test(title),
    )) {
      if (text.includes(before)) text = edit(text, before, after);
    }
    const problems = problemsOf(text);
    expect(problems.map((problem) => problem.split(': ').slice(1).join(': '))).toEqual([
      'accounts[0].users[1].email: another user has OWNER@harbour.example already',
      `${LOT}.timezone: must be a time zone such as Europe/Zagreb`,
      `${ZONE}.tariffs[1]: there is no tariff Night`,
      `${ZONE}.products[0].type: must be barrier, gate, chain, bollard or brain`,
      'accounts[0].groups[0].tariffs[0]: there is no tariff Night',
    ]);
    const lines = problems.map((problem) => Number(problem.split(':')[1]));
    expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  });

  it('is refused at the line where it breaks when it is no YAML', () => {
    expect(problemsOf('version: 1\naccounts: [\n')).toEqual([expect.stringMatching(/^site\.yaml:3: .*flow/i)]);
    expect(problemsOf('version: 1\n  accounts:\n\t- x\n').length).toBeGreaterThan(0);
  });

  it('is told by where it breaks first when it is no YAML, not by all that follows', () => {
    const problems = problemsOf(edit(SITE_TEXT, 'accounts:', 'accounts: ['));
    expect(problems).toHaveLength(3);
    expect(problems[0]).toMatch(/^site\.yaml:3: /);
  });

  it('whose aliases grow without end is refused', () => {
    const doubled = Array.from(
      { length: 12 },
      (_, level) => `a${level + 1}: &a${level + 1} [*a${level}, *a${level}]\n`,
    );
    expect(problemsOf(`version: 1\na0: &a0 [x, x]\n${doubled.join('')}`)).toEqual([
      expect.stringMatching(/^site\.yaml:1: .*alias/i),
    ]);
  });

  it('whose alias names nothing that was set before it is refused at its line', () => {
    expect(problemsOf('version: &v 1\naccounts:\n  - name: *v\n    users: *nobody\n')).toEqual([
      expect.stringMatching(/^site\.yaml:4: .*nobody/),
    ]);
  });

  it.each(['', '- 1\n', 'text\n', '42\n'])('is refused when it is something else (%j)', (text) => {
    expect(problemsOf(text)).toEqual([expect.stringMatching(/^site\.yaml:1: (must be a mapping|is required)/)]);
  });

  it('may use anchors, and is refused at the place that is wrong', () => {
    const camera = '&cam {device_id: c1, name: One, driver: axis}';
    const text = `version: 1\naccounts:\n  - name: A\n    lots:\n      - name: L\n        zones:\n          - {name: Z, lpr_cameras: [${camera}]}\n          - {name: Y, lpr_cameras: [*cam]}\n`;
    expect(problemsOf(text)).toEqual([
      'site.yaml:7: accounts[0].lots[0].zones[1].lpr_cameras[0].device_id: another camera has c1 already',
    ]);
  });

  describe('with two lots that both have a zone of one name', () => {
    const twoLots = edit(
      SITE_TEXT,
      '    members:',
      '      - name: South\n        zones: [{name: Level 0}, {name: Yard}]\n    members:',
    );

    it('names it with its lot in a group', () => {
      const problems = problemsOf(twoLots);
      expect(problems).toEqual([
        expect.stringContaining(
          'groups[0].zones[0]: several lots have a zone Level 0: write North/Level 0 or South/Level 0',
        ),
      ]);
      expect(problemsOf(edit(twoLots, 'zones: [Level 0], ', 'zones: [North/Level 0, Yard], '))).toEqual([]);
      expect(problemsOf(edit(twoLots, 'zones: [Level 0], ', 'zones: [North/Yard], '))).toHaveLength(1);
    });

    it('cannot use a product or gateway of the other lot', () => {
      const camera = '{device_id: c2, name: C, driver: axis, product: a4c138000001, gateway: Entrance Pi}';
      const text = edit(
        edit(twoLots, '{name: Yard}', `{name: Yard, lpr_cameras: [${camera}]}`),
        '[Level 0], ',
        '[Yard], ',
      );
      expect(problemsOf(text).map((problem) => problem.split(': ').at(-1))).toEqual([
        'there is no gateway Entrance Pi of this lot',
        'there is no product a4c138000001 of this lot',
      ]);
    });
  });
});
