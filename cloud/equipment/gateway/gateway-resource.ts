/** Gateways. Over REST, `gateway-routes.ts` creates one with its claim code, and it may be in no lot. */
import { DAY_MS } from '../../../shared/durations.js';
import { ApiError, VALIDATION } from '../../../shared/errors.js';
import { canonicalCode } from '../../../shared/typed-code.js';
import { noteAudit } from '../../kernel/audit/entry.js';
import type { Row, Tx } from '../../kernel/store/entry.js';
import {
  type AnswerOf,
  type Columns,
  defineResource,
  type FileRow,
  isoOrNull,
  listTable,
  representationOf,
} from '../../rest/entry.js';
import { cutOffGateway } from './gateway-deletion.js';
import { GATEWAY_FIELDS } from './gateway-fields.js';
import { gatewaysByIds } from './gateway-queries.js';
import { assignGatewaySlot, revokeGatewaySlot } from './slot-revocation-queries.js';

const SLOTS_MAX = 15;
/** For how long a code of a site file can be used: devices are built in a while after the file was written. Another apply renews it. */
const FILE_CODE_MS = 90 * DAY_MS;

export const GATEWAY_LIST = listTable({
  from: 'gateways',
  id: 'gateways.id',
  scope: { account_id: 'gateways.account_id', lot_id: 'gateways.lot_id', lotless: 'Super Admin' },
  fields: GATEWAY_FIELDS,
  rows: gatewaysByIds,
  scopeOf: (row) => row,
});

export const GATEWAY_ANSWER = representationOf('Gateway', GATEWAY_FIELDS);

/** Whether the gateway has a code that no device has used. */
export const hasOpenCode = ({ claim_code_hash, claimed_at }: Row<'gateways'>): boolean =>
  claim_code_hash !== null && claimed_at === null;

/** @param now wall milliseconds */
export function representGateway(row: Row<'gateways'>, now: number): AnswerOf<typeof GATEWAY_FIELDS> {
  const ends = hasOpenCode(row) && Number(row.claim_expires_at) > now ? row.claim_expires_at : null;
  return GATEWAY_ANSWER.of(row, { claim_code_expires_at: isoOrNull(ends) });
}

export const GATEWAY = defineResource({
  table: 'gateways',
  one: 'gateway',
  many: 'gateways',
  fields: GATEWAY_FIELDS,
  initially: () => ({ status: 'offline' }),
  unique: [
    { field: 'name', within: 'lot' },
    { field: 'uuid', within: 'account', column: 'uuid' },
    { field: 'claim_code', within: 'everywhere', column: 'claim_code_hash', isSecret: true },
  ],
  deletion: { before: cutOffGateway },
  rest: {
    path: '/v2/gateways',
    isMadeElsewhere: true,
    tag: 'Gateways',
    list: GATEWAY_LIST,
    item: GATEWAY_ANSWER.schema,
    items: (rows, { now }) => rows.map((row) => representGateway(row, now)),
    gatewaysOf: ({ lot_id }) => [lot_id],
    async beforeUpdate(tx, { row, given, now }): Promise<Columns> {
      if (given.uuid !== undefined && given.uuid !== row.uuid && row.public_key !== null) {
        throw new ApiError(VALIDATION, {
          field: 'uuid',
          message: 'A device has claimed this gateway under its uuid',
        });
      }
      if (given.lot === undefined || given.lot === row.lot_id) return {};
      // For weeks the device holds valid credentials for the products of the lot that it leaves.
      const products_untold = await revokeGatewaySlot(tx, row, now);
      if (products_untold.length > 0) noteAudit(tx, { details: { products_untold } });
      return { ...(await slotIn(tx, given.lot as number | null)) };
    },
  },
  file: {
    at: ['lots', 'gateways'],
    identity: 'uuid',
    reportedAs: { claim_expires_at: 'claim_code', claim_keeps_secrets: null, slot: null, slot_generation: null },
    declare({ claim_code }, { hashToken, generateClaimCode, now }) {
      const claim_expires_at = now + FILE_CODE_MS;
      if (typeof claim_code === 'string') {
        return {
          values: { claim_code_hash: hashToken(canonicalCode(claim_code)) },
          initially: { claim_expires_at },
        };
      }
      const secret = generateClaimCode();
      return {
        initially: { claim_code_hash: hashToken(secret), claim_expires_at },
        made: { what: 'claim code', secret },
      };
    },
    // A claimed gateway keeps its claim.
    settled: ({ claimed_at }) => (claimed_at === null ? [] : ['claim_code_hash', 'claim_expires_at']),
  },
});

/**
 * When a code that a file declares ends next: that of a new code, and of one that is over, while no device has claimed the gateway. null:
 * as it is.
 * @param next when a code of this apply ends
 */
export function renewedCodeEnd(row: FileRow, { next, isNew }: { next: number; isNew: boolean }): number | null {
  const { claimed_at, claim_expires_at } = row;
  if (claimed_at !== null) return null;
  return isNew || Number(claim_expires_at) <= next - FILE_CODE_MS ? next : null;
}

/** Assigns a slot of the lot; a gateway in no lot needs none. @throws ApiError VALIDATION when all are used */
export async function slotIn(tx: Tx, lot_id: number | null): Promise<{ slot: number; slot_generation: number }> {
  if (lot_id === null) return { slot: 1, slot_generation: 0 };
  const assigned = await assignGatewaySlot(tx, lot_id);
  if (assigned === null) {
    throw new ApiError(VALIDATION, { field: 'lot_id', message: `A lot has ${SLOTS_MAX} gateways at most` });
  }
  return { slot: assigned.slot, slot_generation: assigned.generation };
}
