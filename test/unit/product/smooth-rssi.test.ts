import { describe, expect, it } from 'vitest';
import { smoothRssi } from '../../../agent/product/smooth-rssi.js';

/** The smoothed strength after each of these, heard once a second. */
function heard(strengths: readonly number[]): number[] {
  let smoothed: number | null = null;
  return strengths.map((rssi) => {
    smoothed = smoothRssi(smoothed, rssi, 1_000);
    return Math.round(smoothed);
  });
}

describe('the smoothed signal of a product', () => {
  it('is the first one heard at first', () => {
    expect(smoothRssi(null, -71, 0)).toBe(-71);
  });

  it('follows a change within seconds, and does not jump with one packet', () => {
    const after = heard([-60, -90, ...Array.from({ length: 20 }, () => -90)]);
    expect(after[1]).toBe(-65);
    expect(after.at(-1)).toBe(-90);
  });

  it('lets a gateway that hears a little better win, whatever single packets say', () => {
    const near = [-60, -51, -68, -56, -70, -53, -63, -50, -66, -58];
    const far = [-70, -63, -62, -76, -61, -73, -77, -68, -60, -74];
    const winsFar = (ours: readonly number[], theirs: readonly number[]) =>
      ours.filter((rssi, index) => rssi <= (theirs[index] ?? 0)).length;
    expect(winsFar(near, far)).toBe(3);
    expect(winsFar(heard(near), heard(far))).toBe(0);
  });

  it('counts for nothing when it is old', () => {
    expect(Math.round(smoothRssi(-40, -90, 59_000))).toBe(-90);
  });
});
