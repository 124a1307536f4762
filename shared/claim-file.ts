/**
 * The file `claim.json`, which a new device reads at its first start, from the boot partition of its card. The console
 * makes it for a gateway that was added, `scripts/flash` writes it, and an installer may write it by hand: so its
 * faults are described in words.
 */
import { z } from 'zod';
import { errorText } from './error-text.js';
import { parseHandEditedJson } from './hand-edited-json-parser.js';
import { isBaseAddress } from './server-address.js';

export const CLAIM_FILE_NAME = 'claim.json';
/** A certificate of an authority is about 2 KB; whatever is much larger is no claim file. */
export const CLAIM_FILE_BYTES_MAX = 65_536;

const SSID_BYTES_MAX = 32;
const IPV4 = String.raw`(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)`;
const PREFIX_MAX = 32;

/** Without control characters: it is written into files of the system. */
const ONE_LINE = /^[^\p{Cc}\p{Zl}\p{Zp}]*$/u;
const line = (most: number) =>
  z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(most, `must be at most ${most} characters`)
    .regex(ONE_LINE, 'must be one line');
const bytesOf = (text: string): number => new TextEncoder().encode(text).length;

const ipv4Schema = z
  .string()
  .trim()
  .regex(new RegExp(`^${IPV4}$`), 'must be an IPv4 address, such as 192.168.1.1');

/** A line's end that was copied with it; blanks may belong to a name or a password. */
const withoutLineEnds = (text: string): string => text.replace(/^[\r\n\t]+|[\r\n\t]+$/g, '');

/** Names of countries as people write them where ISO 3166 has another. */
const COUNTRIES: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

const wifiSchema = z.strictObject({
  ssid: z
    .string()
    .overwrite(withoutLineEnds)
    .min(1, 'must not be empty')
    .regex(ONE_LINE, 'must be one line')
    .refine((text) => bytesOf(text) <= SSID_BYTES_MAX, `must be at most ${SSID_BYTES_MAX} bytes`),
  /** WPA passphrase, or its 64 hex digits; left out: the network is open. */
  password: z
    .string()
    .overwrite(withoutLineEnds)
    .regex(
      /^([\x20-\x7e]{8,63}|[0-9a-fA-F]{64})$/,
      'must be 8 to 63 plain characters, or 64 hex digits (a mail program or word processor may have changed a quote or a dash in it)',
    )
    .exactOptional(),
  /** The transmissions allowed to a radio depend on it: without it the Wi-Fi of a Raspberry Pi stays off. */
  country: z
    .string()
    .trim()
    .toUpperCase()
    .overwrite((text) => COUNTRIES[text] ?? text)
    .regex(/^[A-Z]{2}$/, 'must be the two letters of a country, such as HR'),
});

const staticSchema = z.strictObject({
  /** Whose address it is. */
  on: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['cable', 'wifi']))
    .default('cable'),
  /** With the length of its prefix. */
  address: z
    .string()
    .trim()
    .regex(new RegExp(`^${IPV4}/\\d{1,2}$`), 'must be an IPv4 address with its prefix, such as 192.168.1.20/24')
    .refine((text) => Number(text.split('/')[1]) <= PREFIX_MAX, `the prefix must be at most ${PREFIX_MAX}`),
  gateway: ipv4Schema.exactOptional(),
  dns: z.array(ipv4Schema).max(3).default([]),
});

const networkSchema = z
  .strictObject({ wifi: wifiSchema.exactOptional(), static: staticSchema.exactOptional() })
  .refine(({ wifi, static: fixed }) => fixed?.on !== 'wifi' || wifi !== undefined, {
    path: ['static', 'on'],
    message: 'wifi needs the network under wifi',
  });

export const claimFileSchema = z.strictObject({
  cloud_url: line(2_048).refine(
    (text) => isBaseAddress(text, ['http', 'https']),
    'must be an address that begins with https:// or http://, without a query or fragment',
  ),
  /** As typed, or the link of its QR code. */
  claim_code: line(512).regex(/^(\s*\S){4,}$/, 'must be the one-time code: 4 characters or more'),
  /** PEM of the authority behind the cloud's certificate, where that is a private one. */
  ca: z
    .string()
    .max(32_768)
    .regex(
      /^\s*(-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*)+$/,
      'must be certificates in PEM form',
    )
    .exactOptional(),
  network: networkSchema.exactOptional(),
  /** Whoever has its other half may log in by SSH. */
  ssh_key: line(8_192)
    .regex(
      /^(ssh-(ed25519|rsa)|ecdsa-sha2-nistp(256|384|521)|sk-(ssh-ed25519|ecdsa-sha2-nistp256)@openssh\.com) [A-Za-z0-9+/]+={0,3}( .*)?$/,
      'must be one line of an OpenSSH public key, such as ssh-ed25519 AAAA...',
    )
    .exactOptional(),
});
export type ClaimFile = z.infer<typeof claimFileSchema>;
export type ClaimFileNetwork = z.infer<typeof networkSchema>;

/** Keys as people write them in place of ours: `Cloud URL`, `claimCode`, `wi-fi`. */
const keyOf = (key: string): string =>
  key
    .trim()
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .replace(/[\s-]+/g, '_')
    .toLowerCase()
    .replace(/^wi_fi$/, 'wifi');

/** @throws Error for a key that stands there twice */
function withOurKeys(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const entries = Object.entries(value).map(([key, each]) => [keyOf(key), withOurKeys(each)] as const);
  const twice = entries.find(([key], at) => entries.findIndex(([other]) => other === key) !== at);
  if (twice !== undefined) throw new Error(`${twice[0]} stands there twice`);
  return Object.fromEntries(entries);
}

/**
 * Takes a file as people's editors and mail programs leave it: in UTF-16, with curly quotes, commas too many, keys in capital letters.
 * @param content its bytes, or its text
 * @returns `problem`: its fault, without its secrets
 */
export function parseClaimFile(content: string | Uint8Array): { file: ClaimFile } | { problem: string } {
  let value: unknown;
  try {
    value = withOurKeys(parseHandEditedJson(content));
  } catch (error) {
    return { problem: `${errorText(error)}: download it again from the console, or write it anew` };
  }
  const checked = claimFileSchema.safeParse(value);
  if (checked.success) return { file: checked.data };
  const issues = checked.error.issues.map(({ path, message }) =>
    path.length === 0 ? message : `${path.join('.')}: ${message}`,
  );
  return { problem: issues.join('; ') };
}
