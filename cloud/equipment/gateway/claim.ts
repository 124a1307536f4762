/** Enrolment of a gateway by a one-time code (REST contract, "claim body", "claim errors"). */
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import { HOUR_MS } from '../../../shared/durations.js';
import { ApiError, NOT_FOUND, VALIDATION } from '../../../shared/errors.js';
import type { ClaimAnswer, ConfigMessage } from '../../../shared/gateway-config.js';
import { gatewayUuidSchema, type GatewayUuid } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { canonicalCode } from '../../../shared/typed-code.js';
import { type Change, type Db, LOCKS, type Tx } from '../../kernel/store/entry.js';
import { hashToken, isWeakKey, type Secrets } from '../../kernel/secrets/entry.js';
import { appendBoundedAudit, type AuditBound, noteAudit } from '../../kernel/audit/entry.js';
import type { GatewayCredential } from '../broker/broker-accounts.js';
import type { ClaimRequest } from './claim-body.js';
import { consolePasswordColumns, newConsolePassword, type NewConsolePassword } from './console-password.js';
import { cloudKeyOf } from './cloud-key.js';
import { mqttPassword } from './mqtt-password.js';
import { replaceDevice } from './replace-device.js';
import { requireSigned } from './require-signed.js';
import { handSecretsOn } from './secret-holder-queries.js';
import { forgetRetired } from './retired-device-queries.js';
import { enrolGateway, findGatewayByClaimCode, type GatewayRow, isUuidUsed } from './gateway-queries.js';

export interface ClaimDeps {
  secrets: Pick<Secrets, 'derive' | 'seal'>;
  clock: Clock;
  logger: Logger;
  mqtt: { url: string; ca: string | null; passwordFor(credential: GatewayCredential): string };
  /** Builds the sections that the gateway starts with. */
  configOf: (gateway_id: number) => Promise<ConfigMessage[]>;
  /** Called after the commit of a first use: the lot has one more gateway, and an older device of the same row has to be disconnected. */
  onClaimed: (gateway: { id: number; uuid: GatewayUuid; lot_id: number | null }) => Promise<void>;
}

/** How long after the code's first use the same device gets the same answer again. */
const REPEAT_MS = 15 * 60_000;

/**
 * Claims a gateway. Throws ApiError: 422 naming `signature` when it does not fit, 404 code 6 for a code that is wrong, used or
 * expired, 422 naming `public_key` for a key of small order. A refused claim creates nothing; the caller logs it. `change` makes the change:
 * that of the request.
 */
export function claimGateway(deps: ClaimDeps): (claim: ClaimRequest, change: Change) => Promise<ClaimAnswer> {
  return async (claim, change) => {
    const text = `${claim.claim_code}.${claim.uuid}`;
    requireSigned(claim, { text, what: 'the claim code, the uuid' });
    const consolePassword = await newConsolePassword();
    const claimed = await change((tx) => enrol(deps, tx, { claim, consolePassword }));
    const { url, ca } = deps.mqtt;
    const { uuid } = claimed;
    return {
      mqtt: { url, username: uuid, password: deps.mqtt.passwordFor(claimed), ca },
      config: await deps.configOf(claimed.id),
    };
  };
}

/** A device that repeats its claim, or is refused, causes one entry an hour, which has the count. */
const oneEntryAnHour = (what: 'refused' | 'repeated', gateway_id: number | null): AuditBound => ({
  key: `claim ${what} ${gateway_id ?? 'of none'}`,
  max: 1,
  periodMs: HOUR_MS,
});

/** Adds to the audit log that a claim was refused: of the gateway that the code names, if it names one. */
export async function noteRefusedClaim(
  tx: Tx,
  { claim_code, uuid, address, now }: { claim_code: string; uuid: string; address: string; now: number },
): Promise<void> {
  const named = await findGatewayByClaimCode(tx, hashToken(canonicalCode(claim_code)));
  await appendBoundedAudit(tx, oneEntryAnHour('refused', named?.id ?? null), {
    account_id: named?.account_id ?? null,
    lot_id: named?.lot_id ?? null,
    actor_type: 'public',
    actor_id: null,
    action: 'gateway.claim_refused',
    target: named === undefined ? 'gateway' : `gateway ${named.id}`,
    details: { uuid, address },
    created_at: now,
  });
}

interface Claimed extends GatewayCredential {
  id: number;
}

async function enrol(
  deps: ClaimDeps,
  tx: Tx,
  { claim, consolePassword }: { claim: ClaimRequest; consolePassword: NewConsolePassword },
): Promise<Claimed> {
  const now = deps.clock.now();
  const { claim_code, public_key } = claim;
  await tx.lock(LOCKS.claims);
  const gateway = await findGatewayByClaimCode(tx, hashToken(canonicalCode(claim_code)));
  const code_hash = gateway?.claim_code_hash ?? null;
  if (gateway === undefined || code_hash === null) throw new ApiError(NOT_FOUND);
  noteAudit(tx, { account_id: gateway.account_id, lot_id: gateway.lot_id, target: `gateway ${gateway.id}` });
  const { id, lot_id } = gateway;
  const passwordOf = (uuid: string) =>
    mqttPassword(deps.secrets, { id, uuid, public_key, claimed_code_hash: code_hash });

  if (gateway.claimed_at !== null) {
    const uuid = gatewayUuidSchema.safeParse(gateway.uuid);
    const isRepeat = gateway.public_key === public_key && now - gateway.claimed_at <= REPEAT_MS;
    if (!isRepeat || !uuid.success) throw new ApiError(NOT_FOUND);
    noteAudit(tx, { bound: oneEntryAnHour('repeated', id), details: { is_repeated: true } });
    return { id, uuid: uuid.data, password: passwordOf(uuid.data) };
  }
  if (gateway.claim_expires_at !== null && gateway.claim_expires_at <= now) throw new ApiError(NOT_FOUND);
  checkAgain(deps, claim, gateway);
  // A wrong code is 404 whatever the key is, so this comes after the code.
  if (isWeakKey(Buffer.from(public_key, 'base64url'))) {
    throw new ApiError(VALIDATION, { field: 'public_key', message: 'Must be a key of full order' });
  }
  const uuid = await uuidFor(tx, gateway, claim.uuid);
  const isSameDevice = gateway.public_key === public_key;
  const slot = isSameDevice ? {} : await replaceDevice(tx, gateway, { why: 'replaced', now });
  if (!isSameDevice) await handSecretsOn(tx, gateway, { public_key });
  await forgetRetired(tx, public_key);
  const password = passwordOf(uuid);
  await enrolGateway(tx, {
    id,
    uuid,
    public_key,
    mqtt_password_hash: hashToken(password),
    claimed_code_hash: code_hash,
    ...slot,
    ...consolePasswordColumns(consolePassword, { secrets: deps.secrets, now }),
    // What the device recorded before this claim is still its own.
    device_since: (isSameDevice ? gateway.device_since : null) ?? now,
    now,
  });
  tx.onCommit(async () => {
    deps.logger.info({ uuid, gateway_id: id }, 'a gateway was claimed');
    await deps.onClaimed({ id, uuid, lot_id });
  });
  return { id, uuid, password };
}

/** A device that keeps what it has is claimed as the gateway that it is, or not at all: its records must not reach another account. */
function checkAgain({ secrets }: ClaimDeps, { again, public_key }: ClaimRequest, gateway: GatewayRow): void {
  if (again === undefined) return;
  const isSame = again.uuid === gateway.uuid && public_key === gateway.public_key;
  if (isSame && again.cloud_key === cloudKeyOf(secrets).publicKey) return;
  throw new ApiError(VALIDATION, {
    field: 'again',
    message: 'The code is for another gateway, or this is another cloud',
  });
}

/**
 * Uses the row's uuid if it has one, else the device's, unless another gateway was claimed under it (a cloned card, a resold device, or
 * somebody who knows another account's uuid): the other gateway goes on working, and the claim succeeds under a new uuid.
 */
async function uuidFor(tx: Db, { id, account_id, uuid }: GatewayRow, uuidOfDevice: GatewayUuid): Promise<GatewayUuid> {
  const given = gatewayUuidSchema.safeParse(uuid);
  const wanted = given.success ? given.data : uuidOfDevice;
  return (await isUuidUsed(tx, { id, account_id, uuid: wanted })) ? gatewayUuidSchema.parse(randomUUID()) : wanted;
}
