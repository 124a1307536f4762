/** Addresses and texts of every legal and illegal kind, made at random. */
import * as fc from '../../property.js';

const letters = (alphabet: string, min: number, max: number) =>
  fc.array(fc.constantFrom(...alphabet), { minLength: min, maxLength: max }).map((each) => each.join(''));
const LOWER = 'abcxyz0189';
const atom = letters(`${LOWER}!#$%&'*+/=?^_\`{|}~-`, 1, 12);
export const international = letters('žćđüßñåøжд中文ابé', 1, 8);
const quoted = letters(`${LOWER} .,;:@()[]`, 0, 20).map((text) => `"${text}"`);
const escaped = letters(LOWER, 0, 5).map((text) => `"${text}\\"\\\\${text}"`);
const dotted = fc
  .array(fc.oneof(atom, atom, international), { minLength: 1, maxLength: 4 })
  .map((parts) => parts.join('.'));
const local = fc.oneof(dotted, dotted, quoted, escaped, letters(LOWER, 64, 64));
const label = letters(`${LOWER}-`, 1, 20).filter((text) => !text.startsWith('-') && !text.endsWith('-'));
const top = fc.constantFrom('example', 'hr', 'de', 'xn--p1ai', 'museum');
const domain = fc
  .tuple(fc.array(label, { minLength: 1, maxLength: 4 }), top)
  .map(([labels, last]) => [...labels, last].join('.'));
const internationalDomain = fc.constantFrom('čakovec.hr', 'españa.example', '例子.中国', 'xn--e1afmkfd.example');
export const legalAddress = fc
  .tuple(local, fc.oneof(domain, domain, internationalDomain))
  .map(([name, at]) => `${name}@${at}`)
  .filter(
    (address) =>
      Buffer.byteLength(address) <= 254 && Buffer.byteLength(address.slice(0, address.lastIndexOf('@'))) <= 64,
  );

/** Those that the mail server of the tests can read: in quotes it knows no space, second @ or two dots, and it ends at 253. */
export const carriedAddress = legalAddress.filter(
  (address) => !/ |@.*@|\.\./.test(address) && Buffer.byteLength(address) <= 253,
);

/** What would begin something else in a command or a header. */
const POISON = [
  '\r',
  '\n',
  '\r\n',
  '\r\nBcc: eve@evil.example',
  '\r\nRCPT TO:<eve@evil.example>',
  '\0',
  '\u2028',
  '\u0085',
  '\u200b',
];
export const poisonedAddress = fc
  .tuple(legalAddress, fc.constantFrom(...POISON), fc.nat())
  .map(([address, poison, at]) => {
    const place = at % (address.length + 1);
    return address.slice(0, place) + poison + address.slice(place);
  });
export const brokenAddress = fc.oneof(
  legalAddress.map((address) => address.replace(/@[^@]*$/, '')),
  legalAddress.map((address) => `${address}.`),
  legalAddress.map((address) => `${address}, eve@evil.example`),
  legalAddress.map((address) => `Eve <${address}>`),
  fc
    .tuple(letters(LOWER, 0, 8), fc.constantFrom('<', '>', '\\<', '\\>'), domain)
    .map(([name, angle, at]) => `"${name}${angle}"@${at}`),
  legalAddress.map((address) => `${address} (eve)`),
  legalAddress.map((address) => `${address}${'a'.repeat(255)}`),
  domain.map((at) => `${'a'.repeat(65)}@${at}`),
  domain.map((at) => `.ana@${at}`),
  domain.map((at) => `ana..b@${at}`),
  fc.tuple(atom, label).map(([name, at]) => `${name}@-${at}.example`),
  fc.ipV4().map((ip) => `ana@${ip}`),
  fc.ipV4().map((ip) => `ana@[${ip}]`),
);

/** Lines that end a message for servers that are not strict, and go on with commands. */
const SMUGGLED = ['\r\n', '\n', '\r'].map((end) =>
  ['', '.', 'MAIL FROM:<eve@evil.example>', 'RCPT TO:<eve@evil.example>', 'DATA', 'Subject: Forged', '', '.', ''].join(
    end,
  ),
);

/** What people and cameras may write into names and plates. */
export const hostileText = fc.oneof(
  fc.string({ unit: fc.anyCharacter, maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc
    .array(fc.constantFrom(...POISON, ...SMUGGLED, '.', '..', '=?utf-8?Q?=0D=0A?=', '<', '"', 'Gate'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
  fc
    .tuple(fc.constantFrom('x', '.', '\n.', 'ž', '"'), fc.integer({ min: 900, max: 3_000 }))
    .map(([text, times]) => text.repeat(times)),
);

/** Whatever may be given as an address. */
export const anyAddress = fc.oneof(
  legalAddress,
  legalAddress,
  poisonedAddress,
  brokenAddress,
  fc.string({ unit: fc.anyCharacter, maxLength: 80 }),
  hostileText.map((text) => `${text}@parking.example`),
  hostileText.map((text) => `"${text}"@parking.example`),
);
