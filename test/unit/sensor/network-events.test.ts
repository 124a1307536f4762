/** What network servers pass on, mutated: it is a measurement only with a port and a payload of its own, whatever else it holds. */
import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { parsePush } from '../../../agent/sensor/http/push-parser.js';
import { pushMappingSchema } from '../../../shared/drivers/sensor-mapping.js';
import { frameOf } from '../../../agent/sensor/frame-count-machine.js';
import { CHIRPSTACK } from '../../../agent/sensor/lora/chirpstack-uplink-parser.js';
import { TTN } from '../../../agent/sensor/lora/ttn-uplink-parser.js';
import { mutate } from '../../attack/mutated-bytes.js';
import { runs } from '../../depth.js';
import { NETWORK_MESSAGES } from '../../../scripts/sim/sensors/lora-payloads.js';

const DEV_EUI = '647fda000000a001';
const SENT = { devEui: DEV_EUI, application: 'parking', sent_ms: 1_768_478_400_000, count: 1 };
const NETWORKS = { chirpstack: CHIRPSTACK, chirpstack3: CHIRPSTACK, ttn: TTN };
const NAMES = ['chirpstack', 'chirpstack3', 'ttn'] as const;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe.each(NAMES)('what %s passes on', (name) => {
  const network = NETWORKS[name];
  const messageOf = (port: number, bytes: Uint8Array): object =>
    NETWORK_MESSAGES[name]({ ...SENT, port, bytes }).message;

  it('is a payload, unless its port is 0 or it is empty', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 255 }), fc.uint8Array({ maxLength: 60 }), (port, bytes) => {
        const uplink = network.parse(messageOf(port, bytes), 'up');
        expect(uplink?.devEui).toBe(DEV_EUI);
        expect(uplink?.payload).toEqual(port === 0 || bytes.length === 0 ? null : { port, bytes: Buffer.from(bytes) });
      }),
      { numRuns: runs(200) },
    );
  });

  it('is never one without a port and bytes, nor of another event, however it was mutated', () => {
    const bytes = Buffer.from(JSON.stringify(messageOf(1, Uint8Array.of(1))));
    fc.assert(
      fc.property(mutate(bytes), fc.constantFrom('up', 'join', 'status', 'txack', 'constructor'), (sent, event) => {
        const uplink = network.parse(parsed(sent.bytes.toString('utf8')), event);
        if (uplink === null) return;
        expect(['up', 'join', 'status']).toContain(event);
        expect(uplink.devEui).toMatch(/^[0-9a-f]{16}$/);
        if (event !== 'up') expect(uplink.payload).toBeNull();
        if (uplink.payload === null) return;
        expect(uplink.payload.port).toBeGreaterThan(0);
        expect(uplink.payload.bytes.length).toBeGreaterThan(0);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('ChirpStack 3', () => {
  const { message } = NETWORK_MESSAGES.chirpstack3({ ...SENT, port: 1, bytes: Uint8Array.of(1) });
  const payload = { port: 1, bytes: Buffer.of(1) };

  it.each([
    ['in base64', 'ZH/aAAAAoAE='],
    ['in hexadecimal', DEV_EUI],
    ['in capitals', DEV_EUI.toUpperCase()],
  ])('is read like ChirpStack 4, its devEUI %s', (_, devEUI) => {
    expect(CHIRPSTACK.parse({ ...message, devEUI }, 'up')).toEqual({
      devEui: DEV_EUI,
      applications: ['12', 'parking'],
      frame: frameOf(message),
      measured_ms: SENT.sent_ms,
      payload,
    });
    expect(CHIRPSTACK.parse({ devEUI, applicationID: 12, margin: 6 }, 'status')).toEqual({
      devEui: DEV_EUI,
      applications: ['12', ''],
      measured_ms: null,
      payload: null,
    });
  });

  it('has its own time where no gateway has a clock, or none', () => {
    const of = (rest: object) => CHIRPSTACK.parse({ ...message, ...rest }, 'up')?.measured_ms;
    const publishedAt = new Date(SENT.sent_ms).toISOString();
    expect([of({ rxInfo: [], publishedAt }), of({ rxInfo: null })]).toEqual([SENT.sent_ms, null]);
  });

  it.each([undefined, null, 7, '', 'AQ==', 'one'])('without a devEUI is nobody: %j', (devEUI) => {
    expect(CHIRPSTACK.parse({ ...message, devEUI }, 'up')).toBeNull();
  });

  it.each([
    { sensor: 'deviceInfo.devEui', state: 'object.occupied', time: 'time' },
    { sensor: 'devEUI', state: 'objectJSON.occupied', time: null },
  ])('is pushed in the words of either version: %j', (mapping) => {
    const of = { mapping: pushMappingSchema.parse(mapping), event: 'up' };
    expect(parsePush(message, of)).toMatchObject([{ sensor: DEV_EUI, occupancy: 'occupied', isHeard: true }]);
    const [broken] = parsePush({ ...message, objectJSON: '{"occupied": tr' }, of);
    expect(broken).toMatchObject({ sensor: DEV_EUI, occupancy: null });
  });
});
