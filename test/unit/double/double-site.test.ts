import { describe, expect, it } from 'vitest';
import { readSiteFile } from '../../../cloud/doors/site-file/read-site-file.js';
import { moveDevicesToFreePorts } from '../../../scripts/sim/double/double-site.js';

const REGISTER = '{function: 3, base: 0, occupied: {mask: 1}}';
const SITE = `version: 1
accounts:
  - name: A
    lots:
      - name: North
        zones:
          - {name: Level 0}
        parking_gateways:
          - {name: Tcp, driver: modbus-tcp, address: "127.0.0.1:1502", register: ${REGISTER}}
          - {name: Line 1, driver: modbus-rtu, address: "/dev/ttyUSB0?baud=19200", register: ${REGISTER}}
          - {name: Line 2, driver: modbus-rtu, address: /dev/ttyUSB0, unit: 2, register: ${REGISTER}}
          - {name: LoRa 1, driver: chirpstack, address: "mqtt://127.0.0.1:1885", application: a}
          - {name: LoRa 2, driver: ttn, address: "mqtt://127.0.0.1:1885", application: b}
          - {name: Pushed, driver: http, application: a-key-of-some-length}
    rgb_displays:
      - {name: Sign, zone: Level 0, driver: http, address: "http://127.0.0.1:9301/line?text={text}"}
      - {name: Screen, zone: Level 0, driver: zhenshi, address: "zhenshi://key"}
`;

describe('the devices of the double, each at a port that nobody uses', () => {
  it('keep what is not their place, and what they share', async () => {
    const { site } = readSiteFile('site.yaml', SITE);
    await moveDevicesToFreePorts(site);
    const [account] = site.accounts;
    const [tcp, line1 = '', line2 = '', lora1, lora2, pushed] =
      account?.lots[0]?.parking_gateways.map(({ address }) => address) ?? [];
    const [sign, screen] = account?.rgb_displays.map(({ address }) => address) ?? [];
    expect(tcp).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(line1).toMatch(/^\/.*\/parking-serial-[\w-]+\?baud=19200$/);
    expect(line1).toBe(`${line2}?baud=19200`);
    expect(lora1).toMatch(/^mqtt:\/\/127\.0\.0\.1:\d+$/);
    expect(lora2).toBe(lora1);
    expect(sign).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/line\?text=\{text\}$/);
    expect([tcp, lora1, sign].join()).not.toMatch(/:(1502|1885|9301)\b/);
    expect([pushed, screen]).toEqual(['', 'zhenshi://key']);
  });
});
