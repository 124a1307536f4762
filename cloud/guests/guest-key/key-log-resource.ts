/** Keys of guests, over REST and in site files. A key is a key log and its operation token, which holds the window. */
import { z } from 'zod';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import {
  type Columns,
  defineResource,
  emailValue,
  endsAfterStart,
  keptElsewhere,
  nameValue,
  oneLine,
  plateValue,
  required,
  rule,
  timeValue,
  type Values,
} from '../../rest/entry.js';
import { OPERATION_TOKEN_FIELDS } from './operation-token-fields.js';
import { declaredKeyLogs, declaredTokens, removeKeyLog } from './key-queries.js';

const RECEIVERS = {
  email: emailValue,
  phone: z.string().regex(/^\+?\d[\d ()/-]{3,30}$/, 'must be a telephone number such as "+385 21 123456"'),
  license_plate: plateValue,
} as const;
type ReceiverType = keyof typeof RECEIVERS;

const fields = {
  name: required(nameValue),
  product: OPERATION_TOKEN_FIELDS.product,
  receiver_identifier: required(oneLine(z.string().trim().min(1).max(254)), {
    columns: {
      receiver_identifier: {
        from: (identifier: string, { receiver_identifier_type: type }: Values) =>
          type === 'email' ? emailValue.parse(identifier) : identifier,
      },
      plate_normalised: {
        from: (identifier: string, { receiver_identifier_type: type }: Values) =>
          type === 'license_plate' ? normalisePlate(identifier) : null,
      },
    },
    dependsOn: ['receiver_identifier_type'],
  }),
  receiver_identifier_type: required(z.enum(Object.keys(RECEIVERS) as [ReceiverType, ...ReceiverType[]])),
  start_time: keptElsewhere(OPERATION_TOKEN_FIELDS.start_time),
  end_time: keptElsewhere(OPERATION_TOKEN_FIELDS.end_time),
};

const receiverIsOfItsType = rule(
  fields,
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
  fields,
  restFields: { start_time: required(timeValue, { columns: {} }) },
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
