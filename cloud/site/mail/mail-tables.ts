import type { JsonColumn, Tables, TablesOf, Text } from '../../kernel/store/entry.js';
import type { MailContent, MailKind } from './mail-content.js';

declare module '../../kernel/store/schema.js' {
  interface Database extends TablesOf<typeof MAIL_BASELINE> {}
}

export const MAIL_BASELINE = {
  /** A mail to one receiver, kept for a while after its end. */
  mails: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      /** The lot of what it is about; null: it is in none. A mail outlives its lot: the id refers to nothing. */
      lot_id: 'integer null',
      kind: 'text' as Text<MailKind>,
      receiver_email: 'text',
      /** The receiver's language as a BCP 47 tag; null: not known. */
      locale: 'text null',
      /** What the mail says. Its text is written when it is sent, because links in it are stored nowhere. */
      content: 'text' as Text<JsonColumn<MailContent>>,
      /** The header by which mail programs recognise a repeat. It is set at the first attempt and never changed; null: there was none. */
      message_id: 'text null',
      status: 'text' as Text<'queued' | 'sent' | 'failed'>,
      attempts: 'integer',
      last_error: 'text null',
      tries_began_at: 'bigint null',
      next_attempt_at: 'bigint',
      lease_ends_at: 'bigint null',
      /** When the last attempt began. */
      tried_at: 'bigint null',
      ended_at: 'bigint null',
      created_at: 'bigint',
      updated_at: 'bigint',
    },
    indices: [
      ['account_id', 'updated_at'],
      ['tried_at'],
      ['receiver_email', 'tried_at'],
      ['ended_at'],
      { columns: ['next_attempt_at'], where: 'ended_at is null' },
      { columns: ['account_id', 'next_attempt_at'], where: 'ended_at is null' },
    ],
  },
} satisfies Tables;
