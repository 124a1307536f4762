import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type DisplayDriver, NotConfirmed } from '../../../agent/display/display.js';
import { createDisplays, type Displays, type WantedText } from '../../../agent/display/displays.js';
import type { DisplayItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import type { DisplayReport } from '../../../shared/uplink-reports.js';
import { FakeClock } from '../../world/fake-clock.js';

const ITEM: DisplayItem = {
  id: 7,
  name: 'Sign',
  zone_id: null,
  driver: 'http',
  address: 'http://sign.test/',
  template: '',
  stale_text: 'P',
  rules: [],
};

let clock: FakeClock;
let displays: Displays;
let wanted: WantedText;
let written: string[];
let reports: DisplayReport[][];
/** Answers the next writes; the display takes every text where there is none. */
let answer: (signal: AbortSignal) => Promise<void>;

beforeEach(() => {
  clock = new FakeClock();
  wanted = { text: '5 FREE', is_stale: false };
  written = [];
  reports = [];
  answer = () => Promise.resolve();
  const driver: DisplayDriver = {
    name: 'http',
    show: async (item, text, signal) => {
      await answer(signal);
      written.push(item.address === ITEM.address ? text : `${item.address} ${text}`);
    },
  };
  displays = createDisplays({
    drivers: new Map([
      ['http', driver],
      // Its device asks when it likes.
      ['zhenshi', { ...driver, name: 'zhenshi', patience_ms: 60_000 }],
    ]),
    wanted: () => wanted,
    clock,
    random: () => 1,
    logger: silentLogger,
    publish: (shown) => reports.push(shown),
  });
  displays.setDisplays([ITEM]);
});
afterEach(() => displays.close());

describe('the displays of a gateway', () => {
  it('show a changed text within two seconds, and each text again after a minute', async () => {
    await clock.advance(2_000);
    expect(written).toEqual(['5 FREE']);
    wanted = { text: '4 FREE', is_stale: false };
    await clock.advance(2_000);
    expect(written).toEqual(['5 FREE', '4 FREE']);
    await clock.advance(57_000);
    expect(written).toHaveLength(2);
    await clock.advance(4_000);
    expect(written).toEqual(['5 FREE', '4 FREE', '4 FREE']);
  });

  it('tell the cloud what they show, when it changes and each minute', async () => {
    await clock.advance(1_000);
    expect(reports).toEqual([[{ display_id: 7, text: '5 FREE', shown_ago_ms: 0, is_stale: false }]]);
    wanted = { text: 'P', is_stale: true };
    await clock.advance(1_000);
    expect(reports[1]).toEqual([{ display_id: 7, text: 'P', shown_ago_ms: 0, is_stale: true }]);
    await clock.advance(60_000);
    expect(reports.length).toBeGreaterThan(2);
  });

  it('try again what a display did not take, ever less often, and say why', async () => {
    let tries = 0;
    answer = () => {
      tries += 1;
      return Promise.reject(new Error('the display answered 500'));
    };
    await clock.advance(60_000);
    expect(tries).toBeGreaterThan(3);
    expect(tries).toBeLessThan(12);
    expect(displays.list()).toEqual([
      { name: 'Sign', driver: 'http', text: null, shown_ago_s: null, fault: 'the display answered 500' },
    ]);
    answer = () => Promise.resolve();
    await clock.advance(31_000);
    expect(displays.list()).toMatchObject([{ text: '5 FREE', fault: null }]);
  });

  it('do not write again at once what a display was sent and did not confirm, and say so', async () => {
    let tries = 0;
    answer = () => {
      tries += 1;
      return Promise.reject(new NotConfirmed(new Error('Expected HTTP/')));
    };
    await clock.advance(58_000);
    expect(tries).toBe(1);
    const fault = 'sent, not confirmed: its answer cannot be read (Expected HTTP/)';
    expect(displays.list()).toMatchObject([{ text: '5 FREE', fault }]);
    expect(reports[0]).toMatchObject([{ display_id: 7, text: '5 FREE' }]);
    await expect(displays.test('Sign', 'TEST')).rejects.toThrow(fault);
    answer = () => Promise.resolve();
    await clock.advance(12_000);
    expect(displays.list()).toMatchObject([{ text: '5 FREE', fault: null }]);
  });

  it('give up a display that does not answer, without waiting for it with the others', async () => {
    answer = (signal) =>
      written.length === 0
        ? new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
        : Promise.resolve();
    await clock.advance(4_000);
    expect(displays.list()).toMatchObject([{ text: null, fault: null }]);
    await clock.advance(3_000);
    expect(displays.list()).toMatchObject([{ fault: 'no answer within 5000 ms' }]);
  });

  it('name a setting or a driver that does not work', async () => {
    displays.setDisplays([
      { ...ITEM, address: 'wrong' },
      { ...ITEM, id: 8, name: 'Other', driver: 'led' },
    ]);
    await clock.advance(1_000);
    expect(displays.list()).toMatchObject([
      { fault: 'address must be that of the display, such as http://192.168.1.60/show' },
      { fault: 'this agent has no driver led' },
    ]);
  });

  it('show their stale text when the gateway stops', async () => {
    await clock.advance(1_000);
    await displays.close();
    expect(written).toEqual(['5 FREE', 'P']);
  });

  it('show a test text for a while', async () => {
    await clock.advance(1_000);
    await displays.test('Sign', 'TEST');
    await clock.advance(9_000);
    expect(written).toEqual(['5 FREE', 'TEST']);
    await clock.advance(2_000);
    expect(written).toEqual(['5 FREE', 'TEST', '5 FREE']);
    await expect(displays.test('None', 'TEST')).rejects.toThrow('no display None');
  });
});

describe('a display that changes', () => {
  /** A display that never answers. */
  const never = (signal: AbortSignal) =>
    new Promise<void>((_, reject) => {
      ended.push(false);
      const index = ended.length - 1;
      signal.addEventListener('abort', () => {
        ended[index] = true;
        reject(signal.reason as Error);
      });
    });
  let ended: boolean[];
  beforeEach(() => (ended = []));

  it('while it is written to is not written its old text any more', async () => {
    answer = never;
    await clock.advance(1_000);
    expect(ended).toEqual([false]);
    displays.setDisplays([{ ...ITEM, template: 'x{text}' }]);
    answer = () => Promise.resolve();
    await clock.advance(1_000);
    expect([ended, written]).toEqual([[true], ['5 FREE']]);
    expect(displays.list()).toMatchObject([{ text: '5 FREE', fault: null }]);
  });

  it('its address leaves its stale text at the old one, before the new one is written to', async () => {
    await clock.advance(1_000);
    displays.setDisplays([{ ...ITEM, address: 'http://new.test/' }]);
    await clock.advance(1_000);
    expect(written).toEqual(['5 FREE', 'P', 'http://new.test/ 5 FREE']);
  });

  it('its rules alone shows no stale text in between', async () => {
    await clock.advance(1_000);
    displays.setDisplays([{ ...ITEM, name: 'Entrance' }]);
    await clock.advance(1_000);
    expect(written).toEqual(['5 FREE', '5 FREE']);
  });

  it('shows its stale text when it is gone, if it ever showed another one', async () => {
    answer = () => Promise.reject(new Error('away'));
    await clock.advance(1_000);
    displays.setDisplays([]);
    await clock.advance(1_000);
    expect(written).toEqual([]);
    answer = () => Promise.resolve();
    displays.setDisplays([ITEM]);
    await clock.advance(1_000);
    displays.setDisplays([]);
    await displays.close();
    expect(written).toEqual(['5 FREE', 'P']);
  });

  it('is waited for by its driver’s patience, and given the newest text meanwhile', async () => {
    const screen = { ...ITEM, driver: 'zhenshi', address: 'zhenshi://key' };
    displays.setDisplays([screen]);
    answer = never;
    await clock.advance(20_000);
    expect(displays.list()).toMatchObject([{ text: null, fault: null }]);
    expect(ended).toEqual([false]);
    wanted = { text: '4 FREE', is_stale: false };
    answer = () => Promise.resolve();
    await clock.advance(1_500);
    expect(ended).toEqual([true]);
    expect(displays.list()).toMatchObject([{ text: '4 FREE', fault: null }]);
  });
});
