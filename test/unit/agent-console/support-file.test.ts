import { describe, expect, it } from 'vitest';
import { supportFileText, type SupportSources } from '../../../agent/console/view/support-file.js';
import { camera } from '../lpr/plate-world.js';
import { BARRIER, productItem } from '../product/product-item.js';
import { GATEWAY, rulesOf, statusOf } from './view-world.js';

/** Every text of the configuration that must not leave the gateway, each of which is a word of its own. */
const SECRETS = {
  password: 'cam pass "word"/ä',
  pushKey: 'push-key-7f3a',
  ofAddress: 'broker:pass-in-address',
  salt: 'salt-of-console',
  hash: 'hash-of-console',
  broker: 'mqtt-password-of-gateway',
  plate: 'ZG777SECRET',
};
const credential = (name: string) => ({
  token: `token_${name}`,
  status_key: `status_${name}`,
  challenge_key: `key_${name}`,
});
const PAIRING = {
  epoch: 3,
  advertisement_key: 'advertisement_key_bytes',
  token_open: credential('open'),
  token_close: credential('close'),
  token_status: credential('status'),
  expires_ms: Date.UTC(2026, 1, 1),
};
const KEYS = [
  PAIRING.advertisement_key,
  ...[PAIRING.token_open, PAIRING.token_close, PAIRING.token_status].flatMap((each) => Object.values(each)),
];

function sources(changed: Partial<SupportSources> = {}): SupportSources {
  const address = `mqtt://gateway:${encodeURIComponent(SECRETS.ofAddress)}@10.0.0.9:1883`;
  const rules = rulesOf({
    gateway: { self: { ...GATEWAY, console_password: { salt: SECRETS.salt, hash: SECRETS.hash } } },
    cameras: {
      'cam-in': {
        ...camera('cam-in'),
        name: 'Lane 1',
        username: 'admin',
        password: SECRETS.password,
        push_key: SECRETS.pushKey,
      },
    },
    products: { [BARRIER]: { ...productItem(BARRIER), name: 'Entry barrier', pairing: PAIRING } },
    plates: { [SECRETS.plate]: { zone_ids: [1], product_ids: [] } },
    sensors: {
      1: {
        id: 1,
        name: 'Deck',
        driver: 'lora',
        address,
        unit: null,
        poll_ms: 1_000,
        heartbeat_s: 60,
        register: null,
        application: 'parking',
        places: [],
      },
    },
    displays: {
      1: {
        id: 1,
        name: 'Sign',
        zone_id: null,
        driver: 'http',
        address: address.replace('mqtt', 'http'),
        template: '{free}',
        stale_text: '--',
        rules: [],
      },
    },
  });
  return {
    made_at: '2026-01-15T12:00:00.000Z',
    machine: { node: 'v20.0.0' },
    status: statusOf(),
    rules,
    doctor: { findings: [] },
    logs: [],
    quarantine: [],
    secrets: [SECRETS.broker],
    ...changed,
  };
}

describe('the file for support', () => {
  it('says what the gateway is, and no secret of its configuration, wherever that stands', () => {
    const all = [...Object.values(SECRETS), ...KEYS];
    const spilt = all.flatMap((secret) => (secret === SECRETS.plate ? [] : [secret, encodeURIComponent(secret)]));
    // A camera, a driver and a library may say anything: here all of it.
    const text = supportFileText(
      sources({
        logs: [{ message: 'refused', fields: { reason: spilt.join(' ') } }],
        status: statusOf({ store: { path: `/x/${spilt.join('/')}`, bytes: 1, quarantined: null, failed: null } }),
        doctor: { findings: [{ facts: { problem: spilt.join(',') } }] },
      }),
    );
    for (const secret of all) {
      for (const form of [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)])
        expect([form, text.includes(form)]).toEqual([form, false]);
    }
    const file = JSON.parse(text) as { configuration: Record<string, { name: string; address?: string }[]> };
    expect(file).toMatchObject({
      machine: { node: 'v20.0.0' },
      status: { name: 'Entrance Pi' },
      configuration: {
        gateway: { name: 'Entrance Pi', lot_name: 'North' },
        cameras: [{ name: 'Lane 1', has_account: true }],
        products: [{ name: 'Entry barrier', pairing: { epoch: 3, expires_at: '2026-02-01T00:00:00.000Z' } }],
        sensors: [{ name: 'Deck', address: 'mqtt://10.0.0.9:1883' }],
        displays: [{ name: 'Sign', address: 'http://10.0.0.9:1883' }],
      },
    });
  });

  it('is bounded: of many lines it has the newest, of many things the first', () => {
    const rules = rulesOf({
      zones: Object.fromEntries(
        Array.from({ length: 500 }, (_, at) => [
          at + 1,
          { id: at + 1, name: `Zone ${at}`, spot_count: 1, has_tariff: false, occupancy_max_hours: 24 },
        ]),
      ),
    });
    const logs = Array.from({ length: 2_000 }, (_, seq) => ({ seq, message: 'x'.repeat(2_000) }));
    const text = supportFileText(sources({ rules, logs }));
    expect(text.length).toBeLessThan(1.5 * 1024 * 1024);
    const file = JSON.parse(text) as { log: { seq: number }[]; configuration: { zones: object[] } };
    expect(file.log.at(-1)?.seq).toBe(1_999);
    expect(file.log.length).toBeGreaterThan(400);
    expect(file.configuration.zones).toHaveLength(201);
    expect(file.configuration.zones.at(-1)).toEqual({ left_out: 300 });
  });
});
