import { describe, expect, it } from 'vitest';
import { type SignalHour, signalLines, signalY } from '../../../cloud/console/wording/signal-lines.js';

const FROM = Date.parse('2026-03-01T00:00:00Z');
const frame = { from: FROM, to: FROM + 10 * 3_600_000, width: 100, height: 70 };
const hour = (at: number, gateway_id: number, median: number, spread = 5): SignalHour => ({
  hour: new Date(FROM + at * 3_600_000).toISOString(),
  gateway_id,
  min_rssi: median - spread,
  median_rssi: median,
  max_rssi: median + spread,
});

describe('the lines of a signal plot', () => {
  it('puts the strongest on top, and what is beyond the edges at them', () => {
    expect([-30, -65, -100, -20, -127].map((rssi) => signalY(rssi, frame))).toEqual([0, 35, 70, 0, 70]);
  });

  it('breaks a line where hours are missing, and makes a dot of a lone hour', () => {
    const [line] = signalLines([hour(2, 7, -60), hour(0, 7, -50), hour(1, 7, -50), hour(5, 7, -65)], frame);
    expect(line?.line).toBe('M5 20L15 20L25 30M55 35h0');
    expect(line?.band.match(/Z/g)).toHaveLength(2);
    expect(line).toMatchObject({ gateway_id: 7, median: -50, weakest: -70, hours_count: 4 });
  });

  it('has one line for each gateway, the best first', () => {
    const lines = signalLines([hour(0, 1, -80), hour(0, 2, -55), hour(1, 1, -81)], frame);
    expect(lines.map(({ gateway_id, hours_count }) => [gateway_id, hours_count])).toEqual([
      [2, 1],
      [1, 2],
    ]);
  });

  it('has none when nobody heard anything', () => {
    expect(signalLines([], frame)).toEqual([]);
  });
});
