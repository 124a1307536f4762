import type { DeliveryColumns, JsonColumn, Timestamps } from '../../kernel/entry.js';
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
