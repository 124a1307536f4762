import type { Generated } from 'kysely';
import type { Timestamps } from '../../kernel/entry.js';

/**
 * An operation token says until when a key is valid. Each backs one key log, and one operation key if the key was sent to a receiver;
 * both refer to it. The credentials are stored nowhere: they are derived from the product's master key when they are shown.
 * There is no foreign key to the product, because a token outlives it as `invalid`.
 */
interface OperationTokensTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  product_id: number;
  start_time: number;
  /** null: open-ended. */
  end_time: number | null;
  status: 'active' | 'expired' | 'blocked' | 'invalid';
  used_count: number;
  is_unlimited: number;
  /**
   * The id in the product's credentials, 31 random bits, by which a product denies it. A key gets a new one with another window, with
   * another product, and when it is given again.
   */
  credential_id: number;
  deleted_at: number | null;
}

/** A credential that its product has to refuse, although it has not ended: its key was blocked, deleted or given anew. */
interface TokenDenialsTable extends Timestamps {
  id: Generated<number>;
  operation_token_id: number;
  product_id: number;
  /** Of the token at that time: it may have another one now. */
  credential_id: number;
  /** When the credential ends by itself; null: never. */
  ends_at: number | null;
  /** The generation of the guests' slot that the product is to be raised to instead, because it can deny no further id; null: it denies the id. */
  generation: number | null;
  /** The serial of the last admin record that was sent for it; null: none was, or the product refused that one. */
  sent_serial: number | null;
  sent_at: number | null;
  /** How many records were sent for it. */
  sent_count: number;
  /** When the product had confirmed it; null: it is pending. */
  delivered_at: number | null;
}

interface KeyLogsTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  /** null: the key was created without a user (by a site file or a public request). */
  sender_id: number | null;
  product_id: number;
  operation_token_id: number;
  receiver_identifier: string;
  receiver_identifier_type: 'email' | 'phone' | 'license_plate';
  /** The receiver's license plate, which cameras of the product admit; null for any other receiver. */
  plate_normalised: string | null;
  /** It never contradicts the status of the token. */
  status: 'active' | 'reactived' | 'blocked' | 'invalid' | 'deleted' | 'depleted' | 'expired';
  deleted_at: number | null;
  /** The mail by which it was sent last; null: none was sent. */
  invitation_mail_id: Generated<number | null>;
}

/** A key that was sent to a receiver. Its key log is that of the same operation token. */
interface OperationKeysTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  name: string;
  sender_id: number | null;
  product_id: number;
  operation_token_id: number;
  receiver_id: number;
  deleted_at: number | null;
}

/** People to whom an account has sent keys. */
interface KeyReceiversTable extends Timestamps {
  id: Generated<number>;
  account_id: number;
  /** Lower case. */
  email: string;
  name: string;
  /** The receiver's language (BCP 47), as a browser of theirs has said it; null: not known. */
  locale: Generated<string | null>;
}

declare module '../../kernel/store/schema.js' {
  interface Database {
    operation_tokens: OperationTokensTable;
    token_denials: TokenDenialsTable;
    key_logs: KeyLogsTable;
    operation_keys: OperationKeysTable;
    key_receivers: KeyReceiversTable;
  }
}
