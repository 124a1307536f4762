import { describe, expect, it } from 'vitest';
import { isMailAddress, mailAddressSchema } from '../../shared/mail-address.js';

const LONG_LOCAL = 'a'.repeat(64);
/** 254 bytes in all. */
const LONGEST = `${LONG_LOCAL}@${`${'b'.repeat(61)}.`.repeat(3)}hr`;

const LEGAL = [
  'ana@parking.example',
  'ana.horvat+gate@sub.parking.example',
  "o'brien!#$%&*/=?^_`{|}~-@parking.example",
  '"ana horvat"@parking.example',
  '"a@b"@parking.example',
  String.raw`"a\"b\\c"@parking.example`,
  '""@parking.example',
  'žana@parking.example',
  'josé@españa.example',
  '用户@例子.中国',
  'ana@xn--e1afmkfd.example',
  'ana@1a.2b.example',
  `${LONG_LOCAL}@parking.example`,
  LONGEST,
];

const ILLEGAL = [
  '',
  'ana',
  '@parking.example',
  'ana@',
  'ana@localhost',
  'ana@@parking.example',
  '.ana@parking.example',
  'ana.@parking.example',
  'ana..horvat@parking.example',
  'ana horvat@parking.example',
  '"ana<horvat"@parking.example',
  '"ana>"@parking.example',
  String.raw`"ana\>"@parking.example`,
  String.raw`"ana\<"@parking.example`,
  'Ana Horvat <ana@parking.example>',
  'ana@parking.example, eve@parking.example',
  'ana(comment)@parking.example',
  '"ana@parking.example',
  '"a"b"@parking.example',
  'ana@-parking.example',
  'ana@parking-.example',
  'ana@parking..example',
  'ana@parking.example.',
  'ana@[192.0.2.1]',
  'ana@192.0.2.1',
  'ana@par king.example',
  'ana@parking.example/x',
  `ana@${'b'.repeat(64)}.example`,
  `${LONG_LOCAL}a@parking.example`,
  `ž${'a'.repeat(63)}@parking.example`,
  `x${LONGEST}`,
  'ana@parking.example\r\nBcc: eve@parking.example',
  'ana\n@parking.example',
  '"ana\r\nBcc: eve"@parking.example',
  'ana\u0000@parking.example',
  // Composed it is a semicolon.
  '\u037e@parking.example',
  'ana\u2028@parking.example',
  'ana\u00a0@parking.example',
  'ana\ud800@parking.example',
  'ana@parking\u200b.example',
];

describe('a mail address', () => {
  it.each(LEGAL)('is %j', (address) => {
    expect(mailAddressSchema.safeParse(address)).toMatchObject({ success: true });
  });

  it.each(ILLEGAL)('is not %j', (address) => {
    expect(mailAddressSchema.safeParse(address)).toMatchObject({ success: false });
  });

  it('counts the composed form of a text that was not composed', () => {
    expect([isMailAddress('\u037e@parking.example'), isMailAddress('jose\u0301@parking.example')]).toEqual([
      false,
      true,
    ]);
  });

  it.each(['"ana<b>"@parking.example', 'Ana Horvat <ana@parking.example>'])('says what is wrong with %j', (address) => {
    const { error } = mailAddressSchema.safeParse(address);
    expect(error?.issues.map(({ message }) => message)).toEqual(['must be an e-mail address alone, without < and >']);
  });

  it('is kept in one form, whatever its case and however its letters are composed', () => {
    expect(mailAddressSchema.parse('ANA@Parking.Example')).toBe('ana@parking.example');
    expect(mailAddressSchema.parse('jose\u0301@parking.example')).toBe(
      mailAddressSchema.parse('jos\u00e9@parking.example'),
    );
  });
});
