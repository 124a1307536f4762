/** Port: hands a mail over. Drivers: `smtp-mail-sender.ts`, `file-mail-sender.ts`. */
export interface MailSender {
  /**
   * Never throws: every problem is an answer. It ends within a minute.
   * @param signal breaks it off; the mail server may have accepted the mail nevertheless
   */
  send(mail: OutgoingMail, signal: AbortSignal): Promise<SendingAnswer>;
}

/** The sender of the mails. */
export interface MailFrom {
  /** Empty: none. */
  name: string;
  address: string;
}

/** A mail as it leaves. */
export interface OutgoingMail {
  /** With its angle brackets. A repeat has the same. */
  message_id: string;
  /** The one receiver. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** When it was queued, wall milliseconds. */
  date: number;
  /** A PNG that its HTML shows (`LOGO_CID`); null: none. */
  logo: Buffer | null;
  /** Further headers, by their names. */
  headers: Readonly<Record<string, string>>;
}

/**
 * `accepted`: the mail was handed over for delivery. `refused`: this mail is not accepted; if that is final, it never will be. `barred`: the
 * server was reached, and accepts no mail of this service now. `unreached`: no mail is accepted now. The reasons are for people.
 */
export type SendingAnswer =
  | { end: 'accepted' }
  | {
      end: 'refused';
      isFinal: boolean;
      reason: string;
      /** What other mails would be answered if it were not about this one; null: it is. */
      words: string | null;
    }
  | { end: 'barred' | 'unreached'; reason: string };
