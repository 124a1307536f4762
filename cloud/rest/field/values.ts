/**
 * The values of fields: their limits and messages, shared by REST bodies and site files. Messages begin in lower case and leave out the
 * field's name, because site files put `accounts[0].name: ` before them; REST capitalises them.
 */
import { z } from '@hono/zod-openapi';
import { mailAddressSchema } from '../../../shared/mail-address.js';
import { zoneNamed } from '../../../shared/zone-names.js';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  judgePlate,
  PLATE_SIGNS_MAX,
  type PlateFault,
  TYPED_PLATE_LENGTH_MAX,
} from '../../../shared/plate/typed-plate.js';
import { isDate, parseMoment, parseTime } from './iso-time-codec.js';

/** The longest list. */
export const LIST_MAX = 10_000;

export const NAME_LENGTH_MAX = 200;
const TEXT_LENGTH_MAX = 2_000;

/** The longest password: whatever can be set can sign in. */
export const PASSWORD_LENGTH_MAX = 1_024;

/** Refuses half a surrogate pair: UTF-8 cannot hold it, so that different texts would be stored as the same one. */
const wellFormed = (text: z.ZodString) => text.refine((given) => !/\p{Cs}/u.test(given), 'must be well-formed text');

/** The text is one line. PostgreSQL cannot store NUL, and other control characters break logs, mails and terminals. */
export const oneLine = (text: z.ZodString) =>
  wellFormed(text).refine((given) => !/\p{Cc}/u.test(given), 'must not hold control characters');

/** A name is kept in one form (NFC), so that a composed and a decomposed é are the same name. */
export const nameForm = (text: z.ZodString) => text.normalize('NFC').trim();

/** The name of a thing: one line, not empty, trimmed. */
export const nameValueOf = (charsMax: number) => oneLine(nameForm(z.string()).min(1).max(charsMax));
export const nameValue = nameValueOf(NAME_LENGTH_MAX);
/** Why somebody did what they did, in their own words: for the audit log. */
export const reasonValue = nameValueOf(500);
/** A name that may be empty. */
export const optionalNameValue = oneLine(nameForm(z.string()).max(NAME_LENGTH_MAX));

/** Text of any number of lines. Tabs and line breaks are the only control characters. */
export const textValue = wellFormed(z.string().max(TEXT_LENGTH_MAX)).refine(
  (text) => !/[^\P{Cc}\t\r\n]/u.test(text),
  'must not hold control characters but line breaks and tabs',
);

/** What a device is given to sign in: a user name or a secret. */
export const credentialValue = oneLine(z.string().max(TEXT_LENGTH_MAX));

export const idValue = z.number().int().positive();
/** Ids; a repeated one counts once. */
export const idsValue = z.array(idValue).max(LIST_MAX);

export const wholeValue = (min: number, max: number) => z.number().int().min(min).max(max);
export const latitudeValue = z.number().min(-90).max(90).nullable();
export const longitudeValue = z.number().min(-180).max(180).nullable();

/** Accepts 0, 1, true or false; the value is 0 or 1. */
export const flagValue = z
  .union([z.boolean(), z.literal(0), z.literal(1)], 'must be 0, 1, true or false')
  .transform(Number);

/** Whether stored secrets go along to another device: a Super Admin says so. */
export const keepSecretsValue = flagValue.describe(
  'Whether the stored secrets go along to another gateway: 1 or 0. Only a Super Admin who is signed in may say so; without it they stay behind, and `problem` says that they are wanted.',
);

/** Invisible characters are named by their number. */
const shownSign = (sign: string): string =>
  /[\p{C}\p{Z}\p{M}]/u.test(sign)
    ? `U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    : `"${sign}"`;

function plateReason(fault: PlateFault): string {
  switch (fault.kind) {
    case 'empty':
      return 'must not be empty';
    case 'noLetters':
      return 'must hold letters or digits';
    case 'tooLong':
      return `must have at most ${PLATE_SIGNS_MAX} letters and digits`;
    case 'several':
      return `must be one plate, not ${fault.plates.length}: send each by itself`;
    case 'sign':
      return `must be letters and digits, between them only blanks, "-", "." and "·": not ${shownSign(fault.sign)}`;
  }
}

/** One plate, as people type it and programs send it (`typed-plate.ts`). */
export const plateValue = z
  .string()
  .trim()
  .superRefine((text, context) => {
    const { fault } = judgePlate(text);
    if (fault !== null) context.addIssue({ code: 'custom', message: plateReason(fault) });
  })
  .min(1)
  .max(TYPED_PLATE_LENGTH_MAX)
  .regex(/[\p{L}\p{Nd}]/u, 'must hold letters or digits');

/** Several plates, of which no two are the same. */
export const platesValue = (countMax: number) =>
  z
    .array(plateValue)
    .max(countMax)
    .superRefine((given, context) => {
      for (const at of repeated(given.map(normalisePlate))) {
        context.addIssue({ code: 'custom', path: [at], message: 'is the same plate as an earlier one' });
      }
    });

/** Returns the indexes of texts that occur earlier in the list. */
export function repeated(texts: readonly string[]): number[] {
  const first = new Map<string, number>();
  for (const [at, text] of texts.entries()) if (!first.has(text)) first.set(text, at);
  return texts.flatMap((text, at) => (first.get(text) === at ? [] : [at]));
}

export const emailValue = mailAddressSchema.openapi({ format: 'email' });
/** Empty: none. */
export const optionalEmailValue = z.union([z.literal(''), emailValue], 'must be an e-mail address');

/** The name of a time zone, in any case; the value is as the IANA database writes it. */
export const timezoneValue = z
  .string()
  .refine((text) => zoneNamed(text) !== null, 'must be a time zone such as Europe/Zagreb')
  .overwrite((text) => zoneNamed(text) ?? text);

/** The address of a device; empty: it has none. URLs are parsed without their control characters, so that these are looked for first. */
export const addressValue = oneLine(z.string().max(500)).refine(
  isAddress,
  'must be an address such as http://192.168.1.20',
);

export const macValue = z
  .string()
  .regex(/^([0-9a-fA-F]{2}:){5}[0-9a-fA-F]{2}$/, 'must be an address such as "02:00:00:00:00:01"')
  .toLowerCase();

/** Products count seconds in 32 bits, so that later times cannot be stored in them. */
const TIME_END_MS = 2 ** 32 * 1_000;

const timeParsedBy = (parse: (text: string) => number | undefined) =>
  z
    .string()
    .transform((text, context): number => {
      const at = parse(text);
      if (at !== undefined) return at;
      context.addIssue({ code: 'custom', message: 'must be a time such as 2026-01-01T00:00:00Z' });
      return z.NEVER;
    })
    .openapi({ type: 'string', format: 'date-time' })
    .refine((ms) => ms >= 0 && ms < TIME_END_MS, 'must be between the years 1970 and 2106');

/** What `timeParsedBy` says of the type to the document hides the null, so that it is said anew. */
const orNullTime = (time: typeof timeValue) =>
  time.nullable().openapi({ type: ['string', 'null'], format: 'date-time' });

/** Accepts a date, or ISO 8601 with Z or an offset; the value is wall milliseconds. */
export const timeValue = timeParsedBy(parseTime);
export const timeOrNullValue = orNullTime(timeValue);

/** A moment that is neither a beginning nor an end, or null: a bare date names none. */
export const momentOrNullValue = orNullTime(
  timeParsedBy((text) => (isDate(parseMoment(text)) ? undefined : parseTime(text))),
);

function isAddress(value: string): boolean {
  return value === '' || (/^(?!file:)[a-z]+:\/\//.test(value) && URL.canParse(value));
}
