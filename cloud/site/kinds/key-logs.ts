/** Keys of guests: what they open, from when to when. Each is a key log and the operation token behind it. */
import { z } from 'zod';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import type { SiteAccount, SitePath } from '../site-schema.js';
import { descend, field, items, refer, type Report, type Spot, textsOf, unique } from '../site-spots.js';
import { declare, type DeclaredSecrets, type DeclaredThing, thingNames } from '../site-things.js';
import { email, END_BEFORE_START, endsAfterStart, mapping, name, plate, validity } from '../site-values.js';

const RECEIVERS = {
  email,
  phone: z.string().regex(/^\+?\d[\d ()/-]{3,30}$/, 'must be a telephone number in quotes, such as "+385 21 123456"'),
  license_plate: plate,
} as const;
type ReceiverType = keyof typeof RECEIVERS;

export const keyLogSchema = mapping({
  name,
  product: z.string(),
  receiver_identifier: z.string().trim().min(1).max(254),
  receiver_identifier_type: z.enum(Object.keys(RECEIVERS) as [ReceiverType, ...ReceiverType[]]),
  ...validity,
})
  .refine(endsAfterStart, END_BEFORE_START)
  .superRefine(({ receiver_identifier, receiver_identifier_type }, context) => {
    const { error } = RECEIVERS[receiver_identifier_type].safeParse(receiver_identifier);
    for (const { message } of error?.issues ?? []) {
      context.addIssue({ code: 'custom', path: ['receiver_identifier'], message });
    }
  });

export function checkKeyLogs(account: Spot, report: Report): void {
  const keyLogs = items(account, 'key_logs');
  unique(keyLogs, 'name', 'key', report);
  const products = textsOf(descend([account], 'lots', 'zones', 'products'), 'device_id');
  for (const keyLog of keyLogs) refer([field(keyLog, 'product')], 'product', products, report, ' of this account');
}

/** A key's window decides what its token is; what people do to the key later stays. */
export function declareKeyLogs(account: SiteAccount, path: SitePath, secrets: DeclaredSecrets): DeclaredThing[] {
  const { now } = secrets;
  return account.key_logs.flatMap((keyLog, index) => {
    const keyLogName = thingNames.key_logs(account.name, keyLog.name);
    const tokenName = thingNames.operation_tokens(keyLogName);
    const status = keyLog.end_time !== null && keyLog.end_time <= now ? 'expired' : 'active';
    const references = {
      account_id: thingNames.accounts(account.name).key,
      product_id: thingNames.products(keyLog.product).key,
    };
    const keyLogPath = [...path, 'key_logs', index];
    const token = declare({
      table: 'operation_tokens',
      ...tokenName,
      path: keyLogPath,
      values: {
        end_time: keyLog.end_time,
        ...(keyLog.start_time === undefined ? {} : { start_time: keyLog.start_time }),
      },
      initially: {
        start_time: now,
        status,
        used_count: 0,
        is_unlimited: 1,
        credential_id: secrets.makeCredentialId(),
      },
      references,
      partOf: keyLogName.key,
    });
    const log = declare({
      table: 'key_logs',
      ...keyLogName,
      path: keyLogPath,
      values: { name: keyLog.name, ...receiverOf(keyLog) },
      initially: { status },
      references: { ...references, operation_token_id: tokenName.key },
    });
    return [token, log];
  });
}

function receiverOf({ receiver_identifier, receiver_identifier_type }: SiteAccount['key_logs'][number]) {
  const isPlate = receiver_identifier_type === 'license_plate';
  return {
    receiver_identifier: receiver_identifier_type === 'email' ? receiver_identifier.toLowerCase() : receiver_identifier,
    receiver_identifier_type,
    plate_normalised: isPlate ? normalisePlate(receiver_identifier) : null,
  };
}
