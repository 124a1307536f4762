import { describe, expect, it } from 'vitest';
import { decodeText } from '../../../agent/lpr/formats/charset-parser.js';
import { canonicalCameraPlate } from '../../../shared/plate/normalise-plate.js';

/** `<p>` with a province and A88888, in bytes of a character set. */
const GB = { guangdong: [0xd4, 0xc1], beijing: [0xbe, 0xa9] };
const xml = (encoding: string, letters: number[]) =>
  Buffer.concat([
    Buffer.from(`<?xml version="1.0" encoding="${encoding}"?>\n<p>`),
    Buffer.from(letters),
    Buffer.from('A88888</p>'),
  ]);
const plateIn = (bytes: Uint8Array, contentType = '') => /<p>([^]*)<\/p>/.exec(decodeText(bytes, contentType))?.[1];

describe('text of a camera', () => {
  it.each([
    ['GB2312', GB.guangdong, '粤A88888'],
    ['GB2312', GB.beijing, '京A88888'],
    ['gbk', GB.guangdong, '粤A88888'],
    ['GB18030', GB.guangdong, '粤A88888'],
    ['Big5', [0xb8, 0x66], '粵A88888'],
    ['windows-1250', [0x8a], 'ŠA88888'],
    ['Windows-1251', [0xc6], 'ЖA88888'],
    ['cp1252', [0xc4], 'ÄA88888'],
    ['ISO-8859-2', [0xa9], 'ŠA88888'],
    ['ISO-8859-5', [0xb6], 'ЖA88888'],
    ['ISO-8859-6', [0xc8], 'بA88888'],
    ['UTF-8', [0xc4, 0x8c], 'ČA88888'],
  ])('in %s is read as it declares', (encoding, letters, plate) => {
    expect(plateIn(xml(encoding, letters))).toBe(plate);
    const bare = xml('UTF-8', letters).subarray('<?xml version="1.0" encoding="UTF-8"?>\n'.length);
    expect(plateIn(bare, `text/xml; charset="${encoding}"`)).toBe(plate);
    // What a camera writes at the top by habit counts less than what the bytes are.
    expect(plateIn(xml('UTF-8', letters), `text/xml; charset=${encoding}`)).toBe(plate);
  });

  it.each([
    ['little-endian with its mark', Buffer.from('\ufeff<p>粤A1</p>', 'utf16le')],
    ['big-endian with its mark', Buffer.from('\ufeff<p>粤A1</p>', 'utf16le').swap16()],
    ['little-endian by its declaration', Buffer.from('<?xml encoding="UTF-16"?><p>粤A1</p>', 'utf16le')],
    ['big-endian by its declaration', Buffer.from('<?xml encoding="UTF-16"?><p>粤A1</p>', 'utf16le').swap16()],
  ])('in UTF-16, %s, is read', (_, bytes) => {
    expect(plateIn(bytes)).toBe('粤A1');
  });

  it.each([
    ['nothing', Buffer.concat([Buffer.from('<p>'), Buffer.from(GB.guangdong), Buffer.from('B71234</p>')]), ''],
    ['UTF-8', xml('UTF-8', GB.guangdong), 'text/xml; charset=utf-8'],
    ['a character set that nobody knows', xml('X-CAMERA', GB.guangdong), ''],
    ['one that has no letters there', xml('us-ascii-7', GB.beijing), ''],
  ])('has no plate when it declares %s', (_, bytes, contentType) => {
    expect(canonicalCameraPlate(plateIn(bytes, contentType) ?? 'lost')).toBeNull();
  });
});
