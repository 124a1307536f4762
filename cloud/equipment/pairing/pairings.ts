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
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { answerPairing, decodePairingOffer, isPairingConfirmation } from '../../../shared/product-protocol/pairing.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import { LOCKS, type Row, type Secrets, type Tx } from '../../kernel/entry.js';
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
 * A product refuses an epoch that is not above the one that it has, which it may have from another account, or from before it was deleted
 * here: what the day says is above it, and tells nothing of it.
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

export function createPairings(deps: {
  crypto: ProtocolCrypto;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  clock: Clock;
  configChanged: ConfigChanged;
}): Pairings {
  const { crypto, secrets, clock } = deps;
  const labelSecrets = new Map<EventId, Uint8Array>();

  function keysOf({ device_id }: Product, { epoch, master_key_sealed }: Row<'pending_pairings'>) {
    const identity = { deviceId: productDeviceIdSchema.parse(device_id), pairingEpoch: epoch };
    const masterKey = secrets.open('product_master_key', master_key_sealed);
    return { identity, keys: deriveProductKeys(crypto, { masterKey, ...identity }) };
  }

  async function adopt(tx: Tx, product: Product, pairing: Row<'pending_pairings'>): Promise<void> {
    await savePairing(tx, { pairing, now: clock.now() });
    const { lot_id } = product;
    tx.onCommit(() => deps.configChanged({ lot_id }, ['products', 'plates']));
  }

  return {
    hold: (event_id, labelSecret) => void labelSecrets.set(event_id, labelSecret),
    forget: (event_id) => void labelSecrets.delete(event_id),
    holds: (event_id) => labelSecrets.has(event_id),
    async answer(tx, { event_id, product, offer: text }) {
      const labelSecret = labelSecrets.get(event_id);
      const bytes = decodeBase64url(text);
      const offer = bytes === null ? null : decodePairingOffer(bytes);
      if (labelSecret === undefined || offer === null || offer.deviceId !== product.device_id) return null;
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
    },
    async confirm(tx, { event_id, product, confirmation }) {
      const bytes = decodeBase64url(confirmation);
      if (bytes === null) return false;
      await tx.lock(LOCKS.pairing(product.id));
      for (const pairing of await pendingPairingsOf(tx, product.id)) {
        if (pairing.event_id !== event_id) continue;
        const { identity, keys } = keysOf(product, pairing);
        if (!isPairingConfirmation(crypto, { bytes, adminKey: keys.admin, identity })) continue;
        await adopt(tx, product, pairing);
        return true;
      }
      return false;
    },
    async adoptSeen(tx, { product, advertisement }) {
      if (!/^([0-9a-f]{2})*$/.test(advertisement)) return false;
      const bytes = hexToBytes(advertisement);
      const content = decodeAdvertisement(bytes);
      if (content?.deviceId !== product.device_id) return false;
      await tx.lock(LOCKS.pairing(product.id));
      for (const pairing of await unconfirmedPairingsOf(tx, product.id)) {
        if ((pairing.epoch & 0xff) !== content.pairingEpochLow) continue;
        const { keys } = keysOf(product, pairing);
        if (!isAdvertisementGenuine(crypto, { advertisementKey: keys.adv, bytes })) continue;
        await adopt(tx, product, pairing);
        return true;
      }
      return false;
    },
  };
}
