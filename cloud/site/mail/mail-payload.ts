/** Mails as REST shows them. */
import { z } from '@hono/zod-openapi';
import { datetime, id, iso, isoOrNull } from '../../rest/field/answer-schemas.js';
import type { Mail } from './mail-queue-queries.js';

export const MAIL_KINDS = ['key', 'alert', 'reset'] as const;
export const MAIL_STATES = ['queued', 'sent', 'failed'] as const;

export const mailSchema = z
  .strictObject({
    id,
    kind: z
      .enum(MAIL_KINDS)
      .describe(
        'What it is about: `key`, a key for a guest; `alert`, a plate of a license plate alert; `reset`, a new password of an account user.',
      ),
    receiver_email: z.string(),
    status: z
      .enum(MAIL_STATES)
      .describe('`queued`: it is tried; `sent`: the mail server accepted it; `failed`: it is not tried any more.'),
    attempts: z.number().int().describe('How often it was tried so far.'),
    /** null: none failed, or it was sent. */
    last_error: z.string().nullable(),
    next_attempt_at: datetime.nullable().describe('When it is tried next; null when it is not tried any more.'),
    sent_at: datetime.nullable(),
    created_at: datetime,
  })
  .openapi('Mail');

export function representMail(row: Mail): z.infer<typeof mailSchema> {
  const { kind, receiver_email, status, attempts, last_error, ended_at } = row;
  return {
    id: row.id,
    kind,
    receiver_email,
    status,
    attempts,
    last_error,
    next_attempt_at: status === 'queued' ? iso(row.next_attempt_at) : null,
    sent_at: isoOrNull(status === 'sent' ? ended_at : null),
    created_at: iso(row.created_at),
  };
}
