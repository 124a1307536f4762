/** How the mails of an account look, at the time of sending. */
import type { Db } from '../../kernel/store/entry.js';
import { type AccountFace, facesOf, logosOf } from '../face/face-queries.js';

export interface MailFace extends Pick<AccountFace, 'colour' | 'contact'> {
  /** Stands for the logo, for who sees no pictures. */
  name: string;
  /** A PNG, which travels with the mail: mails load nothing from anywhere. null: there is none. */
  logo: Buffer | null;
}

export const PLAIN_FACE: MailFace = { name: '', colour: null, logo: null, contact: { name: '', email: '', phone: '' } };

export async function mailFacesOf(db: Db, accountIds: readonly number[]): Promise<ReadonlyMap<number, MailFace>> {
  const faces = await facesOf(db, accountIds);
  const withLogo = [...faces].flatMap(([id, { logo }]) => (logo === null ? [] : [id]));
  const logos = await logosOf(db, withLogo);
  return new Map([...faces].map(([id, face]) => [id, { ...face, logo: logos.get(id) ?? null }]));
}
