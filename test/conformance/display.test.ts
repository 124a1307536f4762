/** What every display driver promises, each with its simulated device. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDisplayDrivers } from '../../agent/display/display-drivers.js';
import { createScreenPolls } from '../../agent/display/screen-polls.js';
import { DISPLAY_DRIVER_NAMES, displaySettingProblems } from '../../shared/drivers/display-drivers.js';
import type { DisplayItem } from '../../shared/gateway-config.js';
import { systemClock } from '../../shared/system-clock.js';
import { type SimDisplay, startDisplay } from '../../scripts/sim/displays/sim-display.js';
import { type HttpListener, listenHttp } from '../../scripts/sim/http-listener.js';
import { freePorts } from '../world/free-ports.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { printsTable } from './conformance-table.js';

const HOST = '127.0.0.1';

interface Kind {
  name: string;
  driver: string;
  settings(port: number): { address: string; template: string };
  text: string;
  shown?: string;
}

const KINDS: Kind[] = [
  {
    name: 'http by GET',
    driver: 'http',
    settings: (port) => ({ address: `http://${HOST}:${port}/show?text={text}`, template: '' }),
    text: '5 FREE & more →',
  },
  {
    name: 'http by POST of JSON',
    driver: 'http',
    settings: (port) => ({ address: `http://${HOST}:${port}/lines`, template: '{"line": "{text}"}' }),
    text: '5 "FREE"\nmore',
  },
  {
    name: 'http by POST of a template that only looks like JSON',
    driver: 'http',
    settings: (port) => ({ address: `http://${HOST}:${port}/lines`, template: '{text}' }),
    text: '5 "FREE"',
  },
  {
    name: 'http by POST of the text',
    driver: 'http',
    settings: (port) => ({ address: `http://${HOST}:${port}/`, template: '' }),
    text: '5 FREE',
  },
  {
    name: 'modbus, as text',
    driver: 'modbus',
    settings: (port) => ({ address: `modbus://${HOST}:${port}/3?register=40&length=6`, template: '' }),
    text: '12 FREE',
  },
  {
    name: 'modbus, as a number',
    driver: 'modbus',
    settings: (port) => ({ address: `modbus://${HOST}:${port}/3?register=40&mode=number`, template: '' }),
    text: '12 FREE',
    shown: '12',
  },
  {
    name: 'zhenshi',
    driver: 'zhenshi',
    settings: () => ({ address: 'zhenshi://screen-key?channel=1', template: '00 64 ff ff 6e {length} {text} {crc}' }),
    text: '5 FREE',
  },
  {
    name: 'zhenshi, in Chinese',
    driver: 'zhenshi',
    settings: () => ({ address: 'zhenshi://screen-key?channel=1', template: '00 64 ff ff 6e {length} {text} {crc}' }),
    text: '余位 12 / 满',
  },
];

printsTable('display driver', (note) => {
  describe.each(KINDS)('display driver: $name', ({ name: kind, driver: name, settings, text, shown = text }) => {
    note(kind);
    const polls = createScreenPolls();
    const driver = createDisplayDrivers({ polls }).get(name);
    let item: DisplayItem;
    let device: SimDisplay | null;
    let agent: HttpListener;

    beforeEach(async () => {
      const [port = 0] = await freePorts(1);
      item = { id: 1, name: 'Sign', zone_id: null, driver: name, stale_text: '', rules: [], ...settings(port) };
      agent = await listenHttp(polls.app.fetch, { host: HOST, port: 0 });
      device = null;
    });
    afterEach(async () => {
      await device?.close();
      await agent.close();
    });
    const start = async () => {
      const agentUrl = () => `http://${HOST}:${agent.port}`;
      device = await startDisplay({ ...item, gateway_uuid: null }, { agentUrl, clock: systemClock });
    };
    const show = (written: string, limitMs = 5_000) => driver?.show(item, written, AbortSignal.timeout(limitMs));

    it('shows a text, and the next one', async () => {
      await start();
      expect(displaySettingProblems(name, item)).toEqual([]);
      await show('OLD');
      await show(text);
      await waitUntil('the text', () => device?.view().text === shown || device?.view().text?.startsWith(shown));
    });

    it('rejects when nobody takes it, at the latest when it is told to', async () => {
      await expect(show(text, 300)).rejects.toThrow();
      await start();
      await show(text);
    });

    it('is in the list of drivers, which names a wrong address', () => {
      expect(DISPLAY_DRIVER_NAMES).toContain(driver?.name);
      expect(displaySettingProblems(name, { ...item, address: 'ftp://x' })).toMatchObject([
        { field: 'address', reason: expect.stringMatching(/^must be/) },
      ]);
    });
  });
});
