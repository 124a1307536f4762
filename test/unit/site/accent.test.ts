import { describe, expect, it } from 'vitest';
import { accentsOf, contrastOf } from '../../../shared/accent.js';

const LIGHT = ['#f4f5f2', '#ffffff', '#eceee9'];
const DARK = ['#10151a', '#1a2127', '#232c33'];

describe('the colour of an account', () => {
  it.each(['#000000', '#ffffff', '#ffff00', '#0b6b5d', '#ff0000', '#0000ff', '#808080', '#7f00ff', '#00ff7f'])(
    '%s can be read on every ground, and so can what stands on it',
    (colour) => {
      const { light, dark } = accentsOf(colour);
      for (const ground of LIGHT) expect(contrastOf(light.accent, ground)).toBeGreaterThanOrEqual(7);
      for (const ground of DARK) expect(contrastOf(dark.accent, ground)).toBeGreaterThanOrEqual(7);
      for (const { accent, ink } of [light, dark]) expect(contrastOf(accent, ink)).toBeGreaterThanOrEqual(7);
    },
  );

  it('stays as it was chosen where it can be read', () => {
    expect(accentsOf('#08403a').light.accent).toBe('#08403a');
    expect(accentsOf('#9fe8d8').dark.accent).toBe('#9fe8d8');
    expect(accentsOf('#9fe8d8').light.accent).not.toBe('#9fe8d8');
  });

  it('has the contrast of black and white, and of a colour with itself', () => {
    expect(contrastOf('#000000', '#ffffff')).toBeCloseTo(21);
    expect(contrastOf('#123456', '#123456')).toBe(1);
  });
});
