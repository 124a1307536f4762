import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { canonicalCameraPlate, normalisePlate } from '../../../shared/plate/normalise-plate.js';

describe('normalisePlate', () => {
  it.each([
    ['ZG1234AB', 'ZG1234AB'],
    ['zg 1234-ab', 'ZG1234AB'],
    ['ＺＧ１２', 'ZG12'],
    ['ŠI-12·č', 'ŠI12Č'],
    ['S\u030cI 12', 'ŠI12'],
    ['straße', 'STRASSE'],
    ['皖A7XG66', '皖A7XG66'],
    ['12²', '122'],
    ['\u0627\u0628 \u0661\u0662\u0663\u0664', '\u0627\u06281234'],
    ['\u06f1\u06f2 \u0628 \u06f3\u06f4\u06f5', '12\u0628345'],
    ['\u0966\u0967\u096f', '019'],
    ['\u0e50\u0e59', '09'],
    ['\u{1d7ce}\u{1d7ff}', '09'],
    ['\u{1e950}\u{1e959}', '09'],
    ['B-NO 1234', 'BNO1234'],
    ['BN-O 1234', 'BNO1234'],
    // Arabic and Persian keyboards, fonts and cameras: one plate.
    ['12 \u06cc 345', '12\u064a345'],
    ['12 \u0649 345', '12\u064a345'],
    ['12 \u0626 345', '12\u064a345'],
    ['12 \u06a9 345', '12\u0643345'],
    ['12 \u0647\u0640 345', '12\u0647345'],
    ['12 \u0647\u200d 345', '12\u0647345'],
    ['12 \u06c1 345', '12\u0647345'],
    ['\u0623 \u0628 1234', '\u0627\u06281234'],
    ['\u0627\u0654 \u0628 1234', '\u0627\u06281234'],
    ['\u0622 \u0625 \u0671', '\u0627\u0627\u0627'],
    ['\u0624 12', '\u064812'],
    ['\u200f\u0633\u0645\u0639\u200f\u200e1234', '\u0633\u0645\u06391234'],
    ['\ufe8f 1234', '\u06281234'],
    ['\ufbfc \ufb8e \ufe83', '\u064a\u0643\u0627'],
    ['\u0640', ''],
    // A letter that looks like another one is another one.
    ['\u0410123', '\u0410123'],
    ['- . ?', ''],
  ])('compares %j as %j', (text, normalised) => {
    expect(normalisePlate(text)).toBe(normalised);
  });

  it('is idempotent, and blind to case and to what stands between the characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.anyCharacter, maxLength: 20 }), (text) => {
        const once = normalisePlate(text);
        expect(normalisePlate(once)).toBe(once);
      }),
    );
    const arabic = fc.string({
      unit: fc.integer({ min: 0x600, max: 0x6ff }).map((code) => String.fromCodePoint(code)),
      maxLength: 20,
    });
    fc.assert(
      fc.property(arabic, (text) => {
        const once = normalisePlate(text);
        expect(normalisePlate(once)).toBe(once);
        expect(once).not.toMatch(/[\u0621-\u0626\u0640\u0649\u0671\u06a9\u06aa\u06be\u06c0\u06c1\u06cc\u06d5]/);
      }),
    );
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z0-9]{1,12}$/), fc.nat({ max: 11 }), (plate, at) => {
        expect(normalisePlate(`${plate.slice(0, at)} - ${plate.slice(at)}`.toLowerCase())).toBe(plate);
      }),
    );
  });
});

describe('canonicalCameraPlate', () => {
  it.each([
    ['zg1234ab', 'ZG1234AB'],
    [' ZG 1234-AB ', 'ZG 1234-AB'],
    ['s\u030ci12', 'ŠI12'],
    ['0012345', '0012345'],
    ['蓝皖A7XG66', '皖A7XG66'],
    ['绿皖AD12345', '皖AD12345'],
    ['黄绿皖AD1234', '皖AD1234'],
    ['白WJ1234', 'WJ1234'],
    // 黑 is a colour, and a province where a letter follows.
    ['黑A12345', '黑A12345'],
    ['蓝黑A12345', '黑A12345'],
    ['黑使014578', '使014578'],
  ])('stores %j as %j', (raw, stored) => {
    expect(canonicalCameraPlate(raw)).toBe(stored);
  });

  it.each([
    '',
    ' ',
    '-',
    '---',
    '?',
    'unknown',
    'Unknown',
    'noPlate',
    'NO PLATE',
    'no_plate',
    '无车牌',
    '無車牌',
    '无牌车',
    '无牌',
    '未识别车牌',
    'Not defined',
    '未识别',
    '_无_',
    'NULL',
    'None',
    'N/A',
    'not detected',
    '車牌未識別',
    '车牌未识别',
    '車牌未辨識',
    '無牌車',
    '无牌车辆',
    '未检测到车牌',
    '没有车牌',
    '识别失败',
    '无法识别',
    'No plate detected',
    'NOT_RECOGNIZED',
    'plate unknown',
    'Unknown plate',
    'unreadable',
    'no number plate',
    'License plate not found',
    'Kein Kennzeichen',
    'NICHT LESBAR',
    'nema tablice',
    'sin placa',
    'senza targa',
    'номер не распознан',
    '번호 미인식',
    'ナンバープレートなし',
    'بدون لوحة',
    '0',
    '00000000',
    'B\ufffd1234',
    'X'.repeat(65),
  ])('finds no plate in %j', (raw) => {
    expect(canonicalCameraPlate(raw)).toBeNull();
  });

  it.each([
    'NO 1234',
    'NO',
    'NOT 1',
    'CAR 1',
    '无A12345',
    'SIN 12',
    'ME 12',
    'NONAME',
    'BEZ 77',
    'KNOWN 1',
    'NOPLATE1',
    '未',
  ])('finds a plate in %j, which says nothing else for certain', (raw) => {
    expect(canonicalCameraPlate(raw)).toBe(raw);
  });

  it('takes a text apart in no more steps than it is long', () => {
    const started = performance.now();
    for (const part of ['没有', '车牌', 'NO', 'NONE', 'READ', 'PLATE', 'НЕТ', '미인식'])
      expect(canonicalCameraPlate(`${part.repeat(64).slice(0, 63)}X`)).not.toBeNull();
    expect(performance.now() - started).toBeLessThan(1_000);
  });

  it('never throws, and stores only what can be compared and held', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.anyCharacter, maxLength: 80 }), (raw) => {
        const plate = canonicalCameraPlate(raw);
        if (plate === null) return;
        expect(normalisePlate(plate)).not.toBe('');
        expect(plate.length).toBeLessThanOrEqual(64);
      }),
    );
  });
});
