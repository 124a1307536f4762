/** Enrolment of a gateway by a one-time code (REST contract, "claim body", "claim errors"). */
import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { z } from 'zod';
import type { Clock } from '../../shared/clock.js';
import { ApiError } from '../../shared/errors.js';
import type { ClaimAnswer, ConfigMessage } from '../../shared/gateway-config.js';
import { gatewayUuidSchema, type GatewayUuid } from '../../shared/ids.js';
import type { Logger } from '../../shared/logger.js';
import { decodeBase64url } from '../../shared/product-protocol/base64url.js';
import { hashToken, type Secrets } from '../secrets/secrets.js';
import { noteAudit } from '../store/audit-scope.js';
import type { CloudStore, Db } from '../store/cloud-store.js';
import { enrolGateway, findGatewayByClaimCode, findGatewayByUuid, type GatewayRow } from '../store/queries/gateways.js';

export interface ClaimDeps {
  store: CloudStore;
  secrets: Pick<Secrets, 'derive'>;
  clock: Clock;
  logger: Logger;
  mqtt: { url: string; ca: string | null };
  /** The sections the gateway boots from. */
  configOf: (gateway_id: number) => Promise<ConfigMessage[]>;
  /** Called after a first use: the lot has one gateway more, and an older device of the same row has to be disconnected. */
  onClaimed: (gateway: { uuid: GatewayUuid; lot_id: number | null }) => Promise<void>;
}

/** How long the same device gets the same answer again, from the code's first use. */
const REPEAT_MS = 15 * 60_000;
const KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;
/** DER header of a raw Ed25519 public key (RFC 8410). */
const ED25519_SPKI_HEADER = Buffer.from('302a300506032b6570032100', 'hex');

const bytesOf = (length: number) =>
  z.string().transform((text, context) => {
    const bytes = decodeBase64url(text);
    if (bytes?.length === length) return bytes;
    context.addIssue({ code: 'custom', message: `must be ${length} bytes as base64url` });
    return z.NEVER;
  });

export const claimBodySchema = z.strictObject({
  claim_code: z.string().min(1).max(256),
  uuid: gatewayUuidSchema,
  public_key: bytesOf(KEY_BYTES),
  signature: bytesOf(SIGNATURE_BYTES),
});
type ClaimBody = z.infer<typeof claimBodySchema>;

/**
 * Claims a gateway. Throws ApiError: 422 naming the field for a body that is wrong or a signature that does not fit, 404 code 6
 * for a code that is wrong, used or expired. A refused claim creates nothing; the caller logs it.
 */
export function claimGateway(deps: ClaimDeps): (body: unknown) => Promise<ClaimAnswer> {
  return async (body) => {
    const claim = parseBody(body);
    checkSignature(claim);
    const claimed = await deps.store.change((tx) => enrol(deps, tx, claim));
    if (claimed.isFirstUse) {
      deps.logger.info({ uuid: claimed.uuid, gateway_id: claimed.id }, 'gateway claimed');
      await deps.onClaimed({ uuid: claimed.uuid, lot_id: claimed.lot_id });
    }
    const { url, ca } = deps.mqtt;
    return {
      mqtt: { url, username: claimed.uuid, password: claimed.password, ca },
      config: await deps.configOf(claimed.id),
    };
  };
}

function parseBody(body: unknown): ClaimBody {
  const parsed = claimBodySchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw ApiError.validation(
    parsed.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({ field: key, message: 'unknown key' }))
        : [{ field: issue.path.join('.') || 'body', message: issue.message }],
    ),
  );
}

function checkSignature({ claim_code, uuid, public_key, signature }: ClaimBody): void {
  const key = createPublicKey({
    key: Buffer.concat([ED25519_SPKI_HEADER, public_key]),
    format: 'der',
    type: 'spki',
  });
  if (verify(null, Buffer.from(`${claim_code}.${uuid}`, 'utf8'), key, signature)) return;
  throw new ApiError(23, { field: 'signature', message: 'does not fit the claim code, the uuid and the public key' });
}

interface Claimed {
  id: number;
  uuid: GatewayUuid;
  lot_id: number | null;
  password: string;
  isFirstUse: boolean;
}

async function enrol(deps: ClaimDeps, tx: Db, claim: ClaimBody): Promise<Claimed> {
  const now = deps.clock.now();
  const code_hash = hashToken(claim.claim_code);
  const public_key = Buffer.from(claim.public_key).toString('base64url');
  const gateway = await findGatewayByClaimCode(tx, code_hash);
  if (gateway === undefined) throw new ApiError(6);
  noteAudit({ account_id: gateway.account_id, target: `gateway ${gateway.id}` });
  const passwordOf = (uuid: string) =>
    deps.secrets.derive('mqtt_password', String(gateway.id), uuid, public_key, code_hash).toString('base64url');
  const { id, lot_id } = gateway;

  if (gateway.claimed_at !== null) {
    const uuid = gatewayUuidSchema.safeParse(gateway.uuid);
    const isRepeat = gateway.public_key === public_key && now - gateway.claimed_at <= REPEAT_MS;
    if (!isRepeat || !uuid.success) throw new ApiError(6);
    return { id, lot_id, uuid: uuid.data, password: passwordOf(uuid.data), isFirstUse: false };
  }
  if (gateway.claim_expires_at !== null && gateway.claim_expires_at <= now) throw new ApiError(6);
  const uuid = await uuidFor(tx, gateway, claim.uuid);
  const password = passwordOf(uuid);
  await enrolGateway(tx, { id, uuid, public_key, mqtt_password_hash: hashToken(password), now });
  return { id, lot_id, uuid, password, isFirstUse: true };
}

/** The row's own if it was given one, else the device's, unless another gateway has it already (a cloned card, a device sold on). */
async function uuidFor(tx: Db, gateway: GatewayRow, uuidOfDevice: GatewayUuid): Promise<GatewayUuid> {
  const given = gatewayUuidSchema.safeParse(gateway.uuid);
  if (given.success) return given.data;
  const taken = await findGatewayByUuid(tx, uuidOfDevice);
  return taken === undefined ? uuidOfDevice : gatewayUuidSchema.parse(randomUUID());
}
