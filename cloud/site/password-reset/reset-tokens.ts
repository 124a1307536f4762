/**
 * The tokens of the links by which a person sets a new password. They are stored nowhere: each is derived from the user, from when it ends, and
 * from the password and the mail address that the user has. So it works once, and no more after either was changed.
 */
import { hash, timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** The values that a link is derived from. */
export interface ResetLink {
  user_id: number;
  /** Wall milliseconds. */
  expires_at: number;
  /** Of the password and the mail address, when the link was asked for. */
  fingerprint: string;
}

/** Says of a password and a mail address whether they are the same as before, and nothing else. */
export const fingerprintOf = ({ email, password_hash }: { email: string; password_hash: string }): string =>
  hash('sha256', `${email}\n${password_hash}`, 'base64url');

const proofOf = ({ derive }: Pick<Secrets, 'derive'>, { user_id, expires_at, fingerprint }: ResetLink): Buffer =>
  derive('password-reset', String(user_id), String(expires_at), fingerprint);

export const resetToken = (secrets: Pick<Secrets, 'derive'>, link: ResetLink): string =>
  [link.user_id, link.expires_at, proofOf(secrets, link).toString('base64url')].join('.');

/** The token is in the fragment, which browsers do not send to servers. */
export const resetUrl = (secrets: Pick<Secrets, 'derive'>, baseUrl: string, link: ResetLink): string =>
  `${baseUrl}/reset#${resetToken(secrets, link)}`;

const TOKEN = /^([1-9]\d{0,14})\.([1-9]\d{0,15})\.([\w-]{43})$/;

/** What a token says of itself, which nothing has proven; null: it is none. */
export function parseResetToken(token: string): { user_id: number; expires_at: number; proof: Buffer } | null {
  const [, user_id, expires_at, proof] = TOKEN.exec(token) ?? [];
  if (user_id === undefined || expires_at === undefined || proof === undefined) return null;
  return { user_id: Number(user_id), expires_at: Number(expires_at), proof: Buffer.from(proof, 'base64url') };
}

/** Whether the link's token has this proof. Compares in constant time. */
export function isProven(secrets: Pick<Secrets, 'derive'>, link: ResetLink, proof: Buffer): boolean {
  const expected = proofOf(secrets, link);
  return proof.length === expected.length && timingSafeEqual(proof, expected);
}
