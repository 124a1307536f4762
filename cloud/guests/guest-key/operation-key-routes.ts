/** /v2/operation-keys: lists keys by mail, and creates them on request. A request may come without a bearer token. */
import { z } from '@hono/zod-openapi';
import type { Clock } from '../../../shared/clock.js';
import { ApiError, NO_PERMISSION, NOT_FOUND, TOO_MANY_REQUESTS, UNAUTHORIZED } from '../../../shared/errors.js';
import type { Caller } from '../../kernel/auth/entry.js';
import type { Change, CloudStore, Db } from '../../kernel/store/entry.js';
import { createRequestLimiter, type ShareCounts } from '../../kernel/limit/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  choiceField,
  type ConfigChanged,
  emailValue,
  type Endpoint,
  endsAfterStart,
  type FieldError,
  flagValue,
  integerField,
  listEndpoint,
  listTable,
  MANAGERS,
  openEndpoint,
  personField,
  personIdField,
  timeOrNullValue,
  timeValue,
} from '../../rest/entry.js';
import { acceptedLanguages, knownLanguageOf } from '../../../shared/languages.js';
import { type GuestCredentialsDeps, mintingCredentials } from './guest-credentials.js';
import { issueKeys, type NewKey } from './issue-keys.js';
import type { NamedProduct } from './issue-queries.js';
import { OPERATION_KEY_FIELDS } from './key-log-fields.js';
import { liveOperationKeys, type OperationKeyDetails, operationKeysByIds } from './key-log-queries.js';
import { OPERATION_KEY_ANSWER, representOperationKey } from './key-log-resource.js';
import { TOKEN_STATUSES } from './operation-token-fields.js';
import { requestedProducts } from './requested-products.js';

const PATH = '/v2/operation-keys';
const TAG = 'Operation keys';
/** The maximum number of keys (products times receivers) of one request. */
const KEYS_MAX = 1_000;
/** The same for a request without a bearer token. It is low because each key causes a mail to a stranger. */
const PUBLIC_KEYS_MAX = 20;
/** The maximum duration of a key that was requested without a bearer token. */
const PUBLIC_KEY_MS = 24 * 3_600_000;

const LIST = listTable<OperationKeyDetails, number>({
  from: liveOperationKeys,
  id: 'operation_keys.id',
  datedBy: 'operation_tokens.start_time',
  scope: { account_id: 'operation_keys.account_id', lot_id: 'products.lot_id', lotless: true },
  fields: OPERATION_KEY_FIELDS,
  filters: {
    account_id: integerField('operation_keys.account_id'),
    lot_id: integerField('products.lot_id'),
    zone_id: integerField('products.zone_id'),
    receiver_id: personIdField('operation_keys.receiver_id'),
    receiver_email: personField('key_receivers.email'),
    sender_id: personIdField('operation_keys.sender_id'),
    sender_email: personField('account_users.email'),
    status: choiceField('operation_tokens.status', TOKEN_STATUSES),
  },
  rows: operationKeysByIds,
});

const productText = z.string().min(1).max(40);

const requestBody = z
  .strictObject({
    start_time: timeValue,
    end_time: timeOrNullValue
      .default(null)
      .describe('When the keys end; null for never. Without a bearer they end after 24 hours at the latest.'),
    products: z
      .array(productText)
      .min(1, 'must name a product')
      .max(KEYS_MAX)
      .describe('The products, each by its `device_id`, or by its id as text.'),
    receiver_emails: z
      .array(emailValue)
      .min(1, 'must name a receiver')
      .max(KEYS_MAX)
      .describe('The email addresses of the receivers.'),
    is_unlimited: flagValue
      .default(1)
      .describe('Whether the keys may be used any number of times: 1, the default, or 0.'),
  })
  .superRefine((body, context) => {
    for (const { field, reason } of endsAfterStart.problems(body)) {
      context.addIssue({ code: 'custom', path: [field], message: reason });
    }
    if (body.products.length * body.receiver_emails.length > KEYS_MAX) {
      const message = `makes more than ${KEYS_MAX} keys, one for each product and receiver: send several requests`;
      context.addIssue({ code: 'custom', path: ['receiver_emails'], message });
    }
  });

const invitedSchema = z.strictObject({
  email: z.string().describe('The receivers, joined by commas.'),
  invited: z.boolean().describe('Whether the receivers are mailed: not when the keys have ended already.'),
});

type KeyRequest = z.output<typeof requestBody>;

export interface OperationKeyDeps extends GuestCredentialsDeps {
  store: CloudStore;
  clock: Clock;
  configChanged: ConfigChanged;
  limits: {
    /** RATE_PUBLIC_PER_MIN: how many requests without a bearer token an address may make; 0: no limit. */
    publicPerMin: number;
  };
  shareCounts: ShareCounts;
}

export function operationKeyEndpoints(deps: OperationKeyDeps): Endpoint[] {
  const { store, clock, limits, shareCounts } = deps;
  return [
    listEndpoint({
      path: PATH,
      summary: 'List the keys that were mailed',
      tag: TAG,
      roles: MANAGERS,
      store,
      clock,
      table: LIST,
      item: OPERATION_KEY_ANSWER.schema,
      items(rows) {
        const mint = mintingCredentials(deps);
        return rows.map((row) => representOperationKey(row, mint(row.token, row.product?.product ?? null)));
      },
    }),
    openEndpoint({
      method: 'post',
      path: PATH,
      summary: 'Mail keys of products to receivers',
      tag: TAG,
      roles: MANAGERS,
      strangers: createRequestLimiter({
        requestsPerMin: limits.publicPerMin,
        clock,
        shared: shareCounts('key requests'),
      }),
      body: requestBody,
      auditValues: ['products'],
      answer: invitedSchema,
      errors: [UNAUTHORIZED, NO_PERMISSION, NOT_FOUND, TOO_MANY_REQUESTS],
      checkIds: ({ products }, caller) => problemsOfProducts(store.reader, products, caller),
      handle: (call) => inviteAll(deps, call),
    }),
  ];
}

/** @throws ApiError UNAUTHORIZED when there is no bearer token and one of the products belongs to an account without public key requests */
async function problemsOfProducts(db: Db, products: unknown, caller: Caller | null): Promise<FieldError[]> {
  const texts = z.array(productText).min(1).max(KEYS_MAX).safeParse(products).data ?? [];
  const found = await requestedProducts(db, texts, caller);
  if (caller === null && (found.length === 0 || found.includes(null))) throw new ApiError(UNAUTHORIZED);
  return found.flatMap((product, at) =>
    product === null ? [{ field: `products.${at}`, message: 'There is no such thing' }] : [],
  );
}

async function inviteAll(
  deps: OperationKeyDeps,
  call: { caller: Caller | null; body: KeyRequest; acceptLanguage: string | undefined; change: Change },
) {
  const { caller, body, acceptLanguage, change } = call;
  const { clock, configChanged } = deps;
  const now = clock.now();
  const emails = [...new Set(body.receiver_emails)];
  const { start_time, is_unlimited } = body;
  const end_time = caller === null ? publicEnd(body) : body.end_time;
  await change(async (tx) => {
    const gone = await problemsOfProducts(tx, body.products, caller);
    if (gone.length > 0) throw ApiError.validation(gone);
    const found = await requestedProducts(tx, body.products, caller);
    const products = [...new Map(found.flatMap((each) => (each === null ? [] : [[each.id, each] as const]))).values()];
    if (caller === null && products.length * emails.length > PUBLIC_KEYS_MAX) {
      const message = `Without a bearer at most ${PUBLIC_KEYS_MAX} keys are made at once, one for each product and receiver`;
      throw ApiError.validation([{ field: 'receiver_emails', message }]);
    }
    await issueKeys(tx, {
      keys: emails.flatMap((email) => products.map((product) => newKey(product, email))),
      start_time,
      end_time,
      is_unlimited,
      operations: caller === null ? ['open'] : ['open', 'close'],
      // Without a bearer token, people request keys for themselves. With one, the caller's language may differ from that of the guests.
      locale: caller === null ? knownLanguageOf(acceptedLanguages(acceptLanguage)) : null,
      sender_id: caller?.user_id ?? null,
      now,
      configChanged,
    });
    const [first] = products;
    if (caller === null && first !== undefined) noteAudit(tx, { account_id: first.account_id });
  });
  return { email: emails.join(','), invited: end_time === null || end_time > now };
}

/** Returns the end of keys that are requested without a bearer token. */
function publicEnd({ start_time, end_time }: Pick<KeyRequest, 'start_time' | 'end_time'>): number {
  const latest = start_time + PUBLIC_KEY_MS;
  return Math.min(end_time ?? latest, latest);
}

const newKey = (product: NamedProduct, email: string): NewKey => ({
  product_id: product.id,
  name: email,
  receiver_identifier: email,
  receiver_identifier_type: 'email',
  plate_normalised: null,
});
