/** Mail addresses as SMTP carries them (RFC 5321, and RFC 6531 for characters beyond ASCII). */
import { z } from 'zod';

/** The longest address, in bytes of UTF-8. */
const MAIL_ADDRESS_BYTES_MAX = 254;
const LOCAL_BYTES_MAX = 64;
const DOMAIN_LENGTH_MAX = 253;
const LABEL_LENGTH_MAX = 63;

/** Any visible character beyond ASCII: no control characters, spaces or lone surrogates. */
const BEYOND_ASCII = String.raw`[^\p{ASCII}\p{C}\p{Z}]`;
const ATOM = `(?:[A-Za-z0-9!#$%&'*+/=?^_\`{|}~-]|${BEYOND_ASCII})+`;
const DOT_ATOM = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*$`, 'u');
const QUOTED = new RegExp(
  String.raw`^"(?:[\x20\x21\x23-\x3b\x3d\x3f-\x5b\x5d-\x7e]|\\[\x20-\x3b\x3d\x3f-\x7e]|${BEYOND_ASCII})*"$`,
  'u',
);
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

/**
 * Says whether mail can be sent to this address over the internet: `name@domain`, where the name may be quoted and both
 * parts may contain letters of any script. The domain must contain a dot. Address literals (`[192.0.2.1]`), comments
 * and display names are not accepted. `<` and `>` are not accepted in a quoted name, although RFC 5321 allows them:
 * SMTP delimits addresses by them, and few servers look for quotes.
 */
export function isMailAddress(text: string): boolean {
  // Checks the composed form, because composing may yield forbidden characters: the Greek question mark becomes a semicolon.
  const composed = text.normalize('NFC');
  const at = composed.lastIndexOf('@');
  const [local, domain] = [composed.slice(0, Math.max(0, at)), composed.slice(at + 1)];
  if (at < 1 || bytesOf(text) > MAIL_ADDRESS_BYTES_MAX || bytesOf(local) > LOCAL_BYTES_MAX) return false;
  return (DOT_ATOM.test(local) || QUOTED.test(local)) && isDomain(domain);
}

function isDomain(domain: string): boolean {
  const ascii = asciiDomain(domain);
  if (ascii === null || ascii.length > DOMAIN_LENGTH_MAX) return false;
  const labels = ascii.split('.');
  const isNumber = /^\d+$/.test(labels.at(-1) ?? '');
  return labels.length > 1 && !isNumber && labels.every((each) => LABEL.test(each) && each.length <= LABEL_LENGTH_MAX);
}

/** Returns the domain as DNS carries it (`xn--...`); null when there is no such form. */
function asciiDomain(domain: string): string | null {
  if (/^\p{ASCII}*$/u.test(domain)) return domain;
  if (!new RegExp(`^(?:[A-Za-z0-9.-]|${BEYOND_ASCII})+$`, 'u').test(domain)) return null;
  const url = `http://${domain}`;
  return URL.canParse(url) ? new URL(url).hostname : null;
}

const MEANT = 'must be an e-mail address';

/** Accepts an address in any case. The value is in lower case and composed (NFC), so that equal addresses are equal texts. */
export const mailAddressSchema = z
  .string(MEANT)
  .max(MAIL_ADDRESS_BYTES_MAX)
  .toLowerCase()
  .normalize('NFC')
  .refine((text) => !/[<>]/.test(text), { error: 'must be an e-mail address alone, without < and >', abort: true })
  .refine(isMailAddress, MEANT)
  .meta({ format: 'email' });
