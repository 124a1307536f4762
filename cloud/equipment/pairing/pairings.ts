/**
 * The cloud's part in pairings. A new master key is stored as pending before its answer leaves, and becomes the product's when the
 * product confirms it. A lost confirmation locks nobody out: the product's advertisements prove which key it holds.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../../shared/clock.js';
import type { ConfigChanged } from '../../rest/entry.js';
import { type EventId, productDeviceIdSchema } from '../../../shared/ids.js';
import { decodeAdvertisement, isAdvertisementGenuine } from '../../../shared/product-protocol/advertisement-codec.js';
import { decodeBase64url, encodeBase64url } from '../../../shared/product-protocol/base64url.js';
import { hexToBytes } from '../../../shared/product-protocol/bytes.js';
import { deriveProductKeys, type PairingIdentity, type ProductKeys } from '../../../shared/product-protocol/keys.js';
import {
  answerPairing,
  decodePairingOffer,
  isPairingConfirmation,
  type PairingOffer,
} from '../../../shared/product-protocol/pairing.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { LOCKS, type Row, type Tx } from '../../kernel/store/entry.js';
import type { Secrets } from '../../kernel/secrets/entry.js';
import {
  deletePendingPairings,
  insertPendingPairing,
  pendingPairingsOf,
  savePairing,
  unconfirmedPairingsOf,
} from './pairing-queries.js';
import { DAY_MS } from '../../../shared/durations.js';

const KEY_BYTES = 32;
const PAIRING_EPOCH_MAX = 0xffff;
/**
 * A product refuses an epoch that is not above its own, which may come from another account, or from before the product was deleted here.
 * The number of days since this time is above any such epoch, and reveals nothing of it.
 */
const EPOCHS_BEGIN_MS = Date.UTC(2020, 0, 1);
/** How many pending keys are kept. A product accepts one key and then no other, so only very old attempts are forgotten. */
const PENDING_MAX = 16;

type Product = Pick<Row<'products'>, 'id' | 'lot_id' | 'device_id' | 'pairing_epoch'>;

export interface Pairings {
  /** Keeps a label's secret until its command ends, in memory only. */
  hold(event_id: EventId, labelSecret: Uint8Array): void;
  forget(event_id: EventId): void;
  /** Whether this process keeps the label's secret of a command. */
  holds(event_id: EventId): boolean;
  /** Generates a master key for the sender of this offer. @returns the answer with it, base64url; null: it is no offer of the product */
  answer(tx: Tx, asked: { event_id: EventId; product: Product; offer: string }): Promise<string | null>;
  /** Makes a key the product's if this command offered it and the product confirms it. @returns whether it does */
  confirm(tx: Tx, received: { event_id: string; product: Product; confirmation: string }): Promise<boolean>;
  /** Does the same by an advertisement (hex), once no command waits for the confirmation any more. */
  adoptSeen(tx: Tx, seen: { product: Product; advertisement: string }): Promise<boolean>;
}

interface PairingDeps {
  crypto: ProtocolCrypto;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  clock: Clock;
  configChanged: ConfigChanged;
}

export function createPairings(deps: PairingDeps): Pairings {
  const { crypto } = deps;
  const labelSecrets = new Map<EventId, Uint8Array>();

  return {
    hold: (event_id, labelSecret) => void labelSecrets.set(event_id, labelSecret),
    forget: (event_id) => void labelSecrets.delete(event_id),
    holds: (event_id) => labelSecrets.has(event_id),
    async answer(tx, { event_id, product, offer: text }) {
      const labelSecret = labelSecrets.get(event_id);
      const bytes = decodeBase64url(text);
      const offer = bytes === null ? null : decodePairingOffer(bytes);
      if (labelSecret === undefined || offer === null || offer.deviceId !== product.device_id) return null;
      return answerOffer(deps, tx, { event_id, product, offer, labelSecret });
    },
    async confirm(tx, { event_id, product, confirmation }) {
      const bytes = decodeBase64url(confirmation);
      if (bytes === null) return false;
      await tx.lock(LOCKS.pairing(product.id));
      const offered = (await pendingPairingsOf(tx, product.id)).filter((pairing) => pairing.event_id === event_id);
      const isProven = ({ admin: adminKey }: ProductKeys, identity: PairingIdentity) =>
        isPairingConfirmation(crypto, { bytes, adminKey, identity });
      return adoptProven(deps, tx, { product, pairings: offered, isProven });
    },
    async adoptSeen(tx, { product, advertisement }) {
      if (!/^([0-9a-f]{2})*$/.test(advertisement)) return false;
      const bytes = hexToBytes(advertisement);
      const content = decodeAdvertisement(bytes);
      if (content?.deviceId !== product.device_id) return false;
      await tx.lock(LOCKS.pairing(product.id));
      const unconfirmed = await unconfirmedPairingsOf(tx, product.id);
      const named = unconfirmed.filter(({ epoch }) => (epoch & 0xff) === content.pairingEpochLow);
      const isProven = ({ adv: advertisementKey }: ProductKeys) =>
        isAdvertisementGenuine(crypto, { advertisementKey, bytes });
      return adoptProven(deps, tx, { product, pairings: named, isProven });
    },
  };
}

/** Stores a new master key as pending. @returns the answer that brings it to the product, base64url; null: there can be none */
async function answerOffer(
  { crypto, secrets, clock }: PairingDeps,
  tx: Tx,
  asked: { event_id: EventId; product: Product; offer: PairingOffer; labelSecret: Uint8Array },
): Promise<string | null> {
  const { event_id, product, offer, labelSecret } = asked;
  await tx.lock(LOCKS.pairing(product.id));
  const pending = await pendingPairingsOf(tx, product.id);
  const days = Math.floor((clock.now() - EPOCHS_BEGIN_MS) / DAY_MS);
  const pairingEpoch = Math.max(days, product.pairing_epoch, ...pending.map((each) => each.epoch)) + 1;
  if (pairingEpoch > PAIRING_EPOCH_MAX) return null;
  const masterKey = randomBytes(KEY_BYTES);
  const timeS = Math.floor(clock.now() / 1_000);
  const answer = answerPairing(crypto, {
    offer,
    labelSecret,
    cloudPrivateKey: randomBytes(KEY_BYTES),
    grant: { masterKey, pairingEpoch, timeS },
  });
  if (answer === null) return null;
  const oldest = pending.slice(0, Math.max(0, pending.length + 1 - PENDING_MAX));
  await deletePendingPairings(tx, { product_id: product.id, pairingEpochs: oldest.map((each) => each.epoch) });
  await insertPendingPairing(tx, {
    product_id: product.id,
    epoch: pairingEpoch,
    event_id,
    master_key_sealed: secrets.seal('product_master_key', masterKey),
    created_at: clock.now(),
  });
  return encodeBase64url(answer);
}

interface Candidates {
  product: Product;
  pairings: readonly Row<'pending_pairings'>[];
  /** Whether the product has shown that it holds these keys. */
  isProven: (keys: ProductKeys, identity: PairingIdentity) => boolean;
}

/** Makes the first proven key the product's. @returns whether there is one */
async function adoptProven(deps: PairingDeps, tx: Tx, { product, pairings, isProven }: Candidates): Promise<boolean> {
  const { crypto, secrets, clock, configChanged } = deps;
  const { device_id, lot_id } = product;
  const proven = pairings.find(({ epoch, master_key_sealed }) => {
    const identity = { deviceId: productDeviceIdSchema.parse(device_id), pairingEpoch: epoch };
    const masterKey = secrets.open('product_master_key', master_key_sealed);
    return isProven(deriveProductKeys(crypto, { masterKey, ...identity }), identity);
  });
  if (proven === undefined) return false;
  await savePairing(tx, { pairing: proven, now: clock.now() });
  tx.onCommit(() => configChanged({ lot_id }, ['products', 'plates']));
  return true;
}
