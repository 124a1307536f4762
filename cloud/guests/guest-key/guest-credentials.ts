/** Mints the credentials of operation tokens, with which a guest's phone operates a product directly. Credentials are not stored. */
import type { Credential } from '../../../shared/gateway-config.js';
import { productDeviceIdSchema } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/logger.js';
import { deriveProductKeys, type ProductKeys } from '../../../shared/product-protocol/keys.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { mintCredential, NO_EXPIRY_S, SLOTS, type TokenOp } from '../../../shared/product-protocol/token-codec.js';
import type { Row } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';

/** The credentials that a phone needs, one for each operation. */
export type TokenCredentials = Record<'token_open' | 'token_close' | 'token_status', Credential>;

const NONE: Credential = { token: '', status_key: '', challenge_key: '' };
const NO_CREDENTIALS: TokenCredentials = { token_open: NONE, token_close: NONE, token_status: NONE };

type MintedToken = Pick<Row<'operation_tokens'>, 'status' | 'credential_id' | 'start_time' | 'end_time'>;
type MintingProduct = Pick<
  Row<'products'>,
  'id' | 'device_id' | 'pairing_epoch' | 'master_key_sealed' | 'guest_generation'
>;

/** Mints the credentials of one token. The keys of a product are derived once, however many of its tokens are minted. */
export type MintCredentials = (token: MintedToken, product: MintingProduct | null) => TokenCredentials;

export interface GuestCredentialsDeps {
  secrets: Pick<Secrets, 'open'>;
  crypto: ProtocolCrypto;
  logger: Logger;
}

/** Creates the function that mints all credentials of one answer. */
export function mintingCredentials({ secrets, crypto, logger }: GuestCredentialsDeps): MintCredentials {
  const keysOf = new Map<number, ProductKeys | null>();

  function deriveKeys({ id, device_id, pairing_epoch, master_key_sealed }: MintingProduct): ProductKeys | null {
    if (master_key_sealed === null) return null;
    try {
      const masterKey = secrets.open('product_master_key', master_key_sealed);
      const deviceId = productDeviceIdSchema.parse(device_id);
      return deriveProductKeys(crypto, { masterKey, deviceId, pairingEpoch: pairing_epoch });
    } catch (error) {
      logger.error({ err: error, product_id: id }, 'the credentials of a key cannot be minted');
      return null;
    }
  }

  return (token, product) => {
    if (token.status !== 'active' || product === null) return NO_CREDENTIALS;
    const known = keysOf.get(product.id);
    const keys = known === undefined ? deriveKeys(product) : known;
    keysOf.set(product.id, keys);
    if (keys === null) return NO_CREDENTIALS;
    const mint = (op: TokenOp) =>
      mintCredential(crypto, keys, {
        op,
        slot: SLOTS.guests,
        gen: product.guest_generation,
        id: token.credential_id,
        notBeforeS: Math.floor(token.start_time / 1_000),
        expiresS: token.end_time === null ? NO_EXPIRY_S : Math.floor(token.end_time / 1_000),
      });
    return { token_open: mint('open'), token_close: mint('close'), token_status: mint('status') };
  };
}
