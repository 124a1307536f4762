/**
 * `/v2/gateways/last-records`: a device that another one has replaced, or that was reset, hands over what it recorded while it was cut off,
 * before it erases itself. The records are of its gateway, and are taken as if its broker had brought them: none counts twice.
 *
 * A device that was stolen has the same key. So the time in which it is believed is bounded, once.
 */
import { addressNetwork } from '../../../shared/address-seats.js';
import type { Clock } from '../../../shared/clock.js';
import { DAY_MS } from '../../../shared/durations.js';
import {
  LAST_RECORDS_BODY_BYTES_MAX,
  type LastRecords,
  lastRecordsAnswerSchema,
  lastRecordsAnswerText,
  lastRecordsSchema,
  lastRecordsText,
} from '../../../shared/gateway-standing.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Ack } from '../../../shared/uplink.js';
import type { CloudStore } from '../../kernel/store/entry.js';
import type { FailureLimiter } from '../../kernel/limit/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import { type Endpoint, publicEndpoint } from '../../rest/entry.js';
import { cloudKeyOf } from './cloud-key.js';
import { findGatewayByUuid } from './gateway-queries.js';
import { requireSigned } from './require-signed.js';
import { findAutonomyDays, findRetired, type RetiredDevice } from './retired-device-queries.js';

/** A device hands over what it has as soon as it has been told, in minutes, and goes on after a restart. */
const AFTER_NOTICE_MS = DAY_MS;
/** So many days longer than its lot's autonomy a device may have been without its cloud (Uplink contract, "Standing"). */
const LATE_DAYS_MAX = 7;
/** What a new lot has; it counts for a device of none. */
const AUTONOMY_DAYS = 31;

export interface LastRecordsDeps {
  store: Pick<CloudStore, 'reader'>;
  clock: Clock;
  secrets: Pick<Secrets, 'derive'>;
  /** Commits a batch of a device that was this gateway. */
  applyFormer: (uuid: GatewayUuid, json: Uint8Array) => Promise<Ack | null>;
}

/** @param refusals counts batches that no device handed over, per address */
export function gatewayLastRecordsEndpoint(deps: LastRecordsDeps, refusals: FailureLimiter): Endpoint {
  const key = cloudKeyOf(deps.secrets);
  const endpoint = publicEndpoint({
    method: 'post',
    path: '/v2/gateways/last-records',
    summary: 'What a device recorded before it knew that it is the gateway no more',
    tag: 'Gateways',
    body: lastRecordsSchema,
    bodyBytesMax: LAST_RECORDS_BODY_BYTES_MAX,
    answer: lastRecordsAnswerSchema,
    repeats: 'by itself',
    auditValues: ['uuid'],
    refusals,
    handle({ body, address }) {
      return refusals.attempt({ owner: addressNetwork(address) }, async () => {
        requireSigned(body, { text: lastRecordsText(body), what: 'the records' });
        const ack = await ackOf(deps, body);
        return { ack, signature: key.sign(lastRecordsAnswerText(body, ack)) };
      });
    },
  });
  return { ...endpoint, isInternal: true };
}

/** A gateway that was deleted has nothing that records could be of. */
async function ackOf({ store, clock, applyFormer }: LastRecordsDeps, of: LastRecords): Promise<Ack | null> {
  const { uuid, batch } = of;
  const retired = await findRetired(store.reader, of);
  if (retired === undefined) return null;
  const autonomy_days = (await findAutonomyDays(store.reader, retired.lot_id)) ?? AUTONOMY_DAYS;
  if (!isInTime(retired, { autonomy_days, now: clock.now() })) return null;
  const gateway = await findGatewayByUuid(store.reader, uuid);
  // Its uuid may have come to another gateway since.
  if (gateway?.id !== retired.gateway_id || gateway.account_id !== retired.account_id) return null;
  return applyFormer(uuid, Buffer.from(batch));
}

function isInTime(
  { retired_at, told_at }: RetiredDevice,
  { autonomy_days, now }: { autonomy_days: number; now: number },
): boolean {
  const isNoticeNew = told_at !== null && now - told_at <= AFTER_NOTICE_MS;
  return isNoticeNew && now - retired_at <= (autonomy_days + LATE_DAYS_MAX) * DAY_MS;
}
