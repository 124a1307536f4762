import { z } from '@hono/zod-openapi';
import { ApiError } from '../../../shared/errors.js';
import { gatewayUuidSchema } from '../../../shared/ids.js';
import { makeClaimCode } from '../../secrets/made-secrets.js';
import { hashToken } from '../../secrets/secrets.js';
import { noteAudit } from '../../store/audit-scope.js';
import type { Db } from '../../store/cloud-store.js';
import { visibleRow } from '../../store/lists/list-table.js';
import { GATEWAY_LIST, LOT_LIST } from '../../store/lists/lot-lists.js';
import { insertRow, slotsOfLot, updateRow } from '../../store/queries/rows.js';
import { gatewaysByIds } from '../../store/queries/site-records.js';
import { type Endpoint, protectedEndpoint } from '../endpoint.js';
import { idField, nameField } from '../fields.js';
import { changing, checkIds, existingEndpoints, MANAGERS, type ResourceDeps } from '../resource-endpoints.js';
import { gatewayRecord } from '../site-records.js';
import { gatewaySchema, gatewayWithCodeSchema } from '../site-resources.js';

export interface GatewayDeps extends ResourceDeps {
  /** Ends the connection of a gateway that is no longer known. */
  disconnectGateway(uuid: string): Promise<void>;
  baseUrl(): string;
}

const CODE_LIFETIME_MS = 15 * 60_000;
const SLOTS_MAX = 15;
const TAG = 'Gateways';

const fields = { name: nameField, lot_id: idField.nullable(), uuid: gatewayUuidSchema };
const references = { lot_id: LOT_LIST };

/** /v2/gateways; a claim code is shown once, by the call that makes it. */
export function gatewayEndpoints(deps: GatewayDeps): Endpoint[] {
  const { store, clock } = deps;
  return [
    ...existingEndpoints(deps, {
      path: '/v2/gateways',
      one: 'a gateway',
      many: 'gateways',
      tag: TAG,
      table: GATEWAY_LIST,
      item: gatewaySchema,
      items: (rows) => rows.map(gatewayRecord),
      changeBody: z.strictObject(fields).partial(),
      references,
      async update(tx, { row, body, now }) {
        if (body.uuid !== undefined && body.uuid !== row.uuid && row.public_key !== null) {
          throw new ApiError(23, { field: 'uuid', message: 'A device has claimed this gateway under its uuid' });
        }
        const isMove = body.lot_id !== undefined && body.lot_id !== row.lot_id;
        const slot = isMove ? await freeSlot(tx, body.lot_id ?? null) : row.slot;
        await updateRow(tx, 'gateways', { id: row.id, set: { ...body, slot, updated_at: now } });
      },
      managed: 'gateways',
      lots: ({ lot_id }) => [lot_id],
      uniqueField: 'uuid',
      async removed({ uuid }) {
        if (uuid !== null) await deps.disconnectGateway(uuid);
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/gateways',
      summary: 'Create a gateway, with the one-time code that a device claims it by',
      tag: TAG,
      roles: MANAGERS,
      body: z.strictObject({
        ...fields,
        lot_id: fields.lot_id.default(null),
        uuid: fields.uuid.nullable().default(null),
      }),
      checkIds: checkIds(store, references),
      answer: gatewayWithCodeSchema,
      shownOnce: ['claim_code', 'claim_qr'],
      async handle({ caller: { account_id }, body }) {
        const now = clock.now();
        const claim_code = makeClaimCode();
        const row = await changing({ uniqueField: 'uuid' }, () =>
          store.change(async (tx) => {
            const id = await insertRow(tx, 'gateways', {
              ...body,
              ...unclaimed,
              ...codeColumns(claim_code, now),
              account_id,
              slot: await freeSlot(tx, body.lot_id),
              created_at: now,
              updated_at: now,
            });
            noteAudit({ made: id });
            return (await gatewaysByIds(tx, [id]))[0];
          }),
        );
        return withCode(row, claim_code);
      },
    }),
    protectedEndpoint({
      method: 'post',
      path: '/v2/gateways/{id}/claim-code',
      summary: 'Make a new one-time code, for another device or the same one anew',
      tag: TAG,
      roles: MANAGERS,
      answer: gatewayWithCodeSchema,
      shownOnce: ['claim_code', 'claim_qr'],
      find: ({ caller, ids }) => visibleRow(store.reader, GATEWAY_LIST, { caller, id: ids.id }),
      async handle({ found: { id } }) {
        const now = clock.now();
        const claim_code = makeClaimCode();
        const row = await store.change(async (tx) => {
          // Until it is claimed anew, the device that has it goes on working.
          await updateRow(tx, 'gateways', { id, set: { ...codeColumns(claim_code, now), updated_at: now } });
          return (await gatewaysByIds(tx, [id]))[0];
        });
        return withCode(row, claim_code);
      },
    }),
  ];

  function withCode(row: Parameters<typeof gatewayRecord>[0] | undefined, claim_code: string) {
    if (row === undefined) throw new ApiError(6);
    // What a phone or a device's camera reads: where to claim, and the code, which no server log ever holds.
    return { ...gatewayRecord(row), claim_code, claim_qr: `${deps.baseUrl()}/v2/gateways/claim#${claim_code}` };
  }
}

const unclaimed = {
  status: 'offline',
  agent_version: null,
  last_seen: null,
  public_key: null,
  mqtt_password_hash: null,
  slot_generation: 0,
  presence_boot_id: null,
  presence_connection: null,
} as const;

const codeColumns = (claim_code: string, now: number) => ({
  claim_code_hash: hashToken(claim_code),
  claim_expires_at: now + CODE_LIFETIME_MS,
  claimed_at: null,
});

/** The lowest slot at the lot's products that no gateway has; those in no lot need none. */
async function freeSlot(tx: Db, lot_id: number | null): Promise<number> {
  if (lot_id === null) return 1;
  const taken = await slotsOfLot(tx, lot_id);
  for (let slot = 1; slot <= SLOTS_MAX; slot++) if (!taken.has(slot)) return slot;
  throw new ApiError(23, { field: 'lot_id', message: `A lot has ${SLOTS_MAX} gateways at most` });
}
