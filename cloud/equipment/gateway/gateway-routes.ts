/** POST /v2/gateways, POST and DELETE /v2/gateways/{id}/claim-code: only the call that generates a claim code shows it. POST /v2/gateways/{id}/reset. */
import { z } from '@hono/zod-openapi';
import { DAY_MS } from '../../../shared/durations.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import { generateCode, hashToken } from '../../kernel/secrets/entry.js';
import { insertRow, LOCKS, updateRow } from '../../kernel/store/entry.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import {
  checkIds,
  type Endpoint,
  idValue,
  keepSecretsValue,
  MANAGERS,
  protectedEndpoint,
  referencesOf,
  refusingConflicts,
  requireOwner,
  type ResourceDeps,
  visibleRow,
  wholeValue,
} from '../../rest/entry.js';
import { gatewaysByIds } from './gateway-queries.js';
import { GATEWAY, GATEWAY_ANSWER, GATEWAY_LIST, hasOpenCode, representGateway, slotIn } from './gateway-resource.js';
import { resetGateway, unclaimed, withdrawn } from './replace-device.js';

const CODE_LIFETIME_MS = 15 * 60_000;
const FILE_CODE_DAYS_MAX = 30;
const TAG = 'Gateways';
const { name, uuid } = GATEWAY.fields;
const newGatewayBody = z.strictObject({
  name: name.value,
  lot_id: idValue.nullable().default(null),
  uuid: uuid.value.nullable().default(null),
});

const codeBody = z
  .strictObject({
    expires_in_days: wholeValue(1, FILE_CODE_DAYS_MAX).describe(
      'How many days the code of a claim file is good for; 15 minutes when it is left out.',
    ),
    keep_secrets: keepSecretsValue,
  })
  .partial();
const resetBody = z.strictObject({
  confirm: z.string().describe('The name of what is erased, so that nothing else is.'),
});

/** The only answer that shows the code; null when the answer is repeated. */
export const gatewayWithCodeSchema = z
  .strictObject({
    ...GATEWAY_ANSWER.schema.shape,
    claim_code: z
      .string()
      .nullable()
      .describe(
        'The code by which a device becomes this gateway: it works once, until `claim_code_expires_at`; null when the answer is repeated.',
      ),
    claim_qr: z
      .string()
      .nullable()
      .describe('The text for a QR code that holds the claim code; shown only when the code is made.'),
  })
  .openapi('GatewayWithClaimCode');

type CodeDeps = ResourceDeps & { baseUrl(): string };

export function gatewayEndpoints(deps: CodeDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    protectedEndpoint({
      method: 'post',
      path: '/v2/gateways',
      summary: 'Create a gateway, with the one-time code that a device claims it by',
      tag: TAG,
      roles: MANAGERS,
      body: newGatewayBody,
      checkIds: checkIds(store, referencesOf(deps.lists, GATEWAY)),
      answer: gatewayWithCodeSchema,
      shownOnce: ['claim_code', 'claim_qr'],
      async handle({ caller: { account_id }, body, change }) {
        const now = clock.now();
        const claim_code = generateCode();
        const row = await refusingConflicts(GATEWAY, () =>
          change(async (tx) => {
            const id = await insertRow(tx, 'gateways', {
              ...body,
              ...unclaimed,
              ...codeColumns(claim_code, now),
              account_id,
              ...(await slotIn(tx, body.lot_id)),
              created_at: now,
              updated_at: now,
            });
            noteAudit(tx, { made: id, lot_id: body.lot_id });
            return (await gatewaysByIds(tx, [id]))[0];
          }),
        );
        return withCode(deps, row, claim_code);
      },
    }),
    codeEndpoint(deps),
    withdrawEndpoint(deps),
    resetEndpoint(deps),
  ];
}

/** @param deps.baseUrl where a device claims */
function codeEndpoint(deps: CodeDeps): Endpoint {
  const { store, clock } = deps;
  return protectedEndpoint({
    method: 'post',
    path: '/v2/gateways/{id}/claim-code',
    summary: 'Make a new one-time code, for another device or the same one anew',
    tag: TAG,
    roles: MANAGERS,
    body: codeBody,
    auditValues: ['expires_in_days', 'keep_secrets'],
    answer: gatewayWithCodeSchema,
    shownOnce: ['claim_code', 'claim_qr'],
    find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
    async handle({ caller, found: { id }, body: { expires_in_days, keep_secrets }, change }) {
      if (keep_secrets === 1) requireOwner(caller);
      const now = clock.now();
      const claim_code = generateCode();
      const lifetimeMs = expires_in_days === undefined ? CODE_LIFETIME_MS : expires_in_days * DAY_MS;
      const code = { ...codeColumns(claim_code, now, lifetimeMs), claim_keeps_secrets: keep_secrets ?? 0 };
      const row = await change(async (tx) => {
        // The present device goes on working until the gateway is claimed again.
        await updateRow(tx, 'gateways', { id, set: { ...code, updated_at: now } });
        return (await gatewaysByIds(tx, [id]))[0];
      });
      return withCode(deps, row, claim_code);
    },
  });
}

function withCode(
  { baseUrl, clock }: CodeDeps,
  row: Parameters<typeof representGateway>[0] | undefined,
  claim_code: string,
) {
  if (row === undefined) throw new ApiError(NOT_FOUND);
  // A phone or a device's camera reads this link. The code is in the fragment, so that no server log ever holds it.
  const claim_qr = `${baseUrl()}/v2/gateways/claim#${claim_code}`;
  return { ...representGateway(row, clock.now()), claim_code, claim_qr };
}

const codeColumns = (claim_code: string, now: number, lifetimeMs = CODE_LIFETIME_MS) => ({
  claim_code_hash: hashToken(claim_code),
  claim_expires_at: now + lifetimeMs,
  claimed_at: null,
});

function withdrawEndpoint({ store, clock }: ResourceDeps): Endpoint {
  return protectedEndpoint({
    method: 'delete',
    path: '/v2/gateways/{id}/claim-code',
    summary: 'Withdraw the one-time code of a gateway: no device can claim it any more; harmless when there is none',
    tag: TAG,
    roles: MANAGERS,
    answer: GATEWAY_ANSWER.schema,
    find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
    async handle({ found: { id }, change }) {
      const now = clock.now();
      const row = await change(async (tx) => {
        await tx.lock(LOCKS.claims);
        const [gateway] = await gatewaysByIds(tx, [id]);
        if (gateway !== undefined && hasOpenCode(gateway)) {
          // The present device is what it was before the code was made.
          const set = { ...withdrawn, claimed_at: gateway.device_since, updated_at: now };
          await updateRow(tx, 'gateways', { id, set });
        }
        return (await gatewaysByIds(tx, [id]))[0];
      });
      if (row === undefined) throw new ApiError(NOT_FOUND);
      return representGateway(row, now);
    },
  });
}

function resetEndpoint(deps: ResourceDeps): Endpoint {
  const { store, clock } = deps;
  return protectedEndpoint({
    method: 'post',
    path: '/v2/gateways/{id}/reset',
    summary: 'Have the device of a gateway erased, and let it in no more',
    tag: TAG,
    roles: MANAGERS,
    body: resetBody,
    answer: GATEWAY_ANSWER.schema,
    find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
    async handle({ found, body, change }) {
      if (body.confirm !== found.name)
        throw new ApiError(VALIDATION, { field: 'confirm', message: 'Must be the name of the gateway' });
      const now = clock.now();
      const row = await change(async (tx) => {
        const [gateway] = await gatewaysByIds(tx, [found.id]);
        if (gateway === undefined) throw new ApiError(NOT_FOUND);
        const { id, lot_id } = gateway;
        await resetGateway(tx, gateway, now);
        tx.onCommit(async () => {
          deps.configChanged({ lot_id });
          if (gateway.uuid !== null) await deps.services.cutOffGateway({ id, uuid: gateway.uuid });
        });
        return (await gatewaysByIds(tx, [id]))[0];
      });
      if (row === undefined) throw new ApiError(NOT_FOUND);
      return representGateway(row, now);
    },
  });
}
