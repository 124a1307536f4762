import type { DeliveryColumns } from '../../kernel/delivery/entry.js';
import type { JsonColumn, Tables, Timestamps } from '../../kernel/store/entry.js';
import type { MailContent, MailKind } from './mail-content.js';

/** A mail to one receiver, kept for a while after its end. */
interface MailsTable extends DeliveryColumns, Timestamps {
  account_id: number;
  /** The lot of what it is about; null: it is in none. */
  lot_id: number | null;
  kind: MailKind;
  receiver_email: string;
  /** The receiver's language as a BCP 47 tag; null: not known. */
  locale: string | null;
  /** What the mail says. Its text is written when it is sent, because links in it are stored nowhere. */
  content: JsonColumn<MailContent>;
  /** The header by which mail programs recognise a repeat. It is set at the first attempt and never changed; null: there was none. */
  message_id: string | null;
  status: 'queued' | 'sent' | 'failed';
  /** When the last attempt began. */
  tried_at: number | null;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    mails: MailsTable;
  }
}

export const MAIL_BASELINE: Tables = {
  mails: {
    columns: {
      id: 'id',
      account_id: { partOf: 'accounts' },
      // A mail outlives its lot: the id refers to nothing.
      lot_id: 'integer null',
      kind: 'text',
      receiver_email: 'text',
      locale: 'text null',
      content: 'text',
      message_id: 'text null',
      status: 'text',
      attempts: 'integer',
      last_error: 'text null',
      tries_began_at: 'bigint null',
      next_attempt_at: 'bigint',
      lease_ends_at: 'bigint null',
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
};
