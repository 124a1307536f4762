import { describe, expect, it } from 'vitest';
import { COUNTRY_FORMATS, fitsCountry } from '../../../shared/plate/country-formats.js';

describe('the forms of plates', () => {
  it.each([
    ['AT', 'W12345A'],
    ['BE', '1ABC123'],
    ['BG', 'CB1234AB'],
    ['CH', 'ZH123456'],
    ['CZ', '1AB2345'],
    ['DE', 'MAB1234'],
    ['DE', 'BE123H'],
    ['DK', 'AB12345'],
    ['ES', '1234BCD'],
    ['FI', 'ABC123'],
    ['FR', 'AB123CD'],
    ['GB', 'AB12CDE'],
    ['GR', 'IKA1234'],
    ['HR', 'ZG1234AB'],
    ['HR', 'ŠI123A'],
    ['HU', 'AABC123'],
    ['IE', '231D12345'],
    ['IT', 'AB123CD'],
    ['LU', 'AB1234'],
    ['NL', 'GB123C'],
    ['NO', 'AB12345'],
    ['PL', 'WA12345'],
    ['PT', 'AA12BB'],
    ['RO', 'B123ABC'],
    ['RS', 'BG1234AB'],
    ['SE', 'ABC12D'],
    ['SI', 'LJAB123'],
    ['SK', 'BA123AB'],
    ['TR', '34ABC123'],
    ['UA', 'АА1234ВВ'],
    ['RU', 'А123ВС777'],
    ['VA', 'SCV1234'],
    ['GI', 'G1234A'],
    ['FO', 'AB123'],
    ['IM', 'PMN123A'],
    ['JE', 'J12345'],
    ['GG', '12345'],
  ])('for %s fit %s', (country, plate) => {
    expect(fitsCountry(plate, country)).toBe(true);
  });

  it.each([
    ['HR', 'ZG12B4AB'],
    ['HR', '2G1234AB'],
    ['IT', 'AB12CD3'],
    ['NO', 'A123456'],
    ['FR', 'AB123C8'],
  ])('for %s do not fit %s', (country, plate) => {
    expect(fitsCountry(plate, country)).toBe(false);
  });

  it('are not known for other countries', () => {
    expect(fitsCountry('ABC123', 'NZ')).toBeNull();
    expect(fitsCountry('ABC123', 'constructor')).toBeNull();
    expect(fitsCountry('ABC123', '')).toBeNull();
  });

  it('are written so that each can be read, with where they come from', () => {
    for (const [country, { forms, source }] of Object.entries(COUNTRY_FORMATS)) {
      expect(country).toMatch(/^[A-Z]{2}$/);
      expect(source.length, country).toBeGreaterThan(3);
      expect(new Set(forms).size, country).toBe(forms.length);
      for (const form of forms) expect(form, country).toMatch(/^(?:[LD](?:\d(?:-\d)?)?)+$/);
    }
  });
});
