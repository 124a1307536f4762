/** Mails as REST shows them. */
import { z } from '@hono/zod-openapi';
import { datetime, id, iso, isoOrNull } from '../../rest/http/answer-schemas.js';
import type { Mail } from './mail-queue-queries.js';

export const MAIL_KINDS = ['key', 'alert'] as const;
export const MAIL_STATES = ['queued', 'sent', 'failed'] as const;

export const mailSchema = z
  .strictObject({
    id,
    kind: z.enum(MAIL_KINDS),
    receiver_email: z.string(),
    status: z.enum(MAIL_STATES),
    attempts: z.number().int(),
    /** null: none failed, or it was sent. */
    last_error: z.string().nullable(),
    /** null: it is not tried any more. */
    next_attempt_at: datetime.nullable(),
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
