/** The links by which receivers of alerts end their mails. Nobody can make one up: each holds a signature of the server key. */
import { timingSafeEqual } from 'node:crypto';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** On its way a link may get a full stop, a bracket or what newsletters add behind it. */
const LINK = /^([1-9]\d{0,14})\.([\w-]{43})(?![A-Za-z0-9])/;

const signatureOf = ({ derive }: Pick<Secrets, 'derive'>, receiver_id: number): Buffer =>
  derive('unsubscribe', String(receiver_id));

export function unsubscribeUrl(secrets: Pick<Secrets, 'derive'>, baseUrl: string, receiver_id: number): string {
  return `${baseUrl}/mails/unsubscribe/${receiver_id}.${signatureOf(secrets, receiver_id).toString('base64url')}`;
}

/** @param token the last step of the address. @returns the receiver; null: the link was changed */
export function receiverOfToken(secrets: Pick<Secrets, 'derive'>, token: string): number | null {
  const [, id = '', signature = ''] = LINK.exec(token) ?? [];
  const receiver_id = Number(id);
  const given = Buffer.from(signature, 'base64url');
  const expected = signatureOf(secrets, receiver_id);
  return given.length === expected.length && timingSafeEqual(given, expected) ? receiver_id : null;
}
