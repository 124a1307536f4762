import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { DisplayDriver } from '../../../agent/display/display.js';
import { createDisplays, type Displays, type WantedText } from '../../../agent/display/displays.js';
import type { DisplayItem } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import type { DisplayReport } from '../../../shared/uplink-reports.js';
import { FakeClock } from '../../sim/world/fake-clock.js';

const ITEM: DisplayItem = {
  id: 7,
  name: 'Sign',
  zone_id: null,
  driver: 'fake',
  address: '',
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
    name: 'fake',
    settingsFault: ({ address }) => (address === 'wrong' ? 'address is wrong' : null),
    show: async (_item, text, signal) => {
      await answer(signal);
      written.push(text);
    },
  };
  displays = createDisplays({
    drivers: new Map([['fake', driver]]),
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
      { name: 'Sign', driver: 'fake', text: null, shown_ago_s: null, fault: 'the display answered 500' },
    ]);
    answer = () => Promise.resolve();
    await clock.advance(31_000);
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
    expect(displays.list()).toMatchObject([{ fault: 'address is wrong' }, { fault: 'this agent has no driver led' }]);
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
