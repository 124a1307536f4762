/** Keys of guests, over REST and in site files. A key is a key log and its operation token, which holds the window. */
import {
  type AnswerOf,
  type Columns,
  defineResource,
  endsAfterStart,
  representationOf,
  rule,
  type Values,
} from '../../rest/entry.js';
import { representProduct } from '../../equipment/entry.js';
import type { TokenCredentials } from './guest-credentials.js';
import {
  KEY_INVITATION,
  KEY_LOG_FIELDS,
  KEY_PERSON,
  KEY_SENDER,
  OPERATION_KEY_FIELDS,
  RECEIVERS,
} from './key-log-fields.js';
import type { KeyLogDetails, OperationKeyDetails } from './key-log-queries.js';
import { OPERATION_TOKEN_ANSWER, OPERATION_TOKEN_FIELDS } from './operation-token-fields.js';
import { declaredKeyLogs, declaredTokens, removeKeyLog } from './key-queries.js';

export const KEY_LOG_ANSWER = representationOf('KeyLog', KEY_LOG_FIELDS);
export const OPERATION_KEY_ANSWER = representationOf('OperationKey', OPERATION_KEY_FIELDS);

export const representKeyLog = (
  { log, token, product, sender, invitation }: KeyLogDetails,
  credentials: TokenCredentials,
): AnswerOf<typeof KEY_LOG_FIELDS> =>
  KEY_LOG_ANSWER.of(log, {
    product: product === null ? null : representProduct(product),
    operation_token: OPERATION_TOKEN_ANSWER.of(token, credentials),
    sender: sender === null ? null : KEY_SENDER.of(sender),
    invitation: invitation === null ? null : KEY_INVITATION.of(invitation),
  });

export function representOperationKey(
  { key, token, product, sender, receiver }: OperationKeyDetails,
  credentials: TokenCredentials,
): AnswerOf<typeof OPERATION_KEY_FIELDS> {
  return OPERATION_KEY_ANSWER.of(key, {
    receiver: KEY_PERSON.of(receiver),
    sender: sender === null ? null : KEY_PERSON.of(sender),
    product: product === null ? null : productOfKey(product.product),
    operation_token: OPERATION_TOKEN_ANSWER.of(token, credentials),
  });
}

function productOfKey(row: NonNullable<OperationKeyDetails['product']>['product']) {
  const { device_id, latitude, longitude, product_type_id, lot_id, zone_id } = row;
  return { device_id, latitude, longitude, product_type_id, lot_id, zone_id, id: row.id };
}

const receiverIsOfItsType = rule(
  KEY_LOG_FIELDS,
  ['receiver_identifier', 'receiver_identifier_type'],
  ({ receiver_identifier, receiver_identifier_type }) => {
    const { error } = RECEIVERS[receiver_identifier_type].safeParse(receiver_identifier);
    return (error?.issues ?? []).map(({ message }) => ({ field: 'receiver_identifier', reason: message }));
  },
);

/** The first status of a key, which depends on its window. */
const firstStatus = ({ end_time }: Values, now: number): Columns => ({
  status: typeof end_time === 'number' && end_time <= now ? 'expired' : 'active',
});

export const KEY_LOG = defineResource({
  table: 'key_logs',
  one: 'key',
  many: 'keys',
  fields: KEY_LOG_FIELDS,
  rules: [endsAfterStart, receiverIsOfItsType],
  unique: [{ field: 'name', within: 'account' }],
  file: {
    at: ['key_logs'],
    declare: (item, { now }) => ({ initially: firstStatus(item, now) }),
    rows: declaredKeyLogs,
    /** The row remains, marked as deleted. */
    remove: (tx, { id, now }) => removeKeyLog(tx, { id: Number(id), now }),
  },
});

export const OPERATION_TOKEN = defineResource({
  table: 'operation_tokens',
  one: 'token',
  many: 'tokens',
  fields: OPERATION_TOKEN_FIELDS,
  unique: [],
  file: {
    at: ['key_logs'],
    isSameItem: true,
    isPart: true,
    ownerColumn: 'operation_token_id',
    reportedAs: { credential_id: null },
    declare: (item, { now, generateCredentialId }) => ({
      initially: {
        start_time: now,
        used_count: 0,
        is_unlimited: 1,
        credential_id: generateCredentialId(),
        ...firstStatus(item, now),
      },
    }),
    rows: declaredTokens,
  },
});
