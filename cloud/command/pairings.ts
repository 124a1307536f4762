/**
 * The cloud's part in pairings. A new master key is kept as pending before its answer leaves, and becomes the product's when the
 * product confirms it. A confirmation that was lost locks nobody out: the product's advertisements prove which key it holds.
 */
import { randomBytes } from 'node:crypto';
import type { Clock } from '../../shared/clock.js';
import { type EventId, productDeviceIdSchema } from '../../shared/ids.js';
import { decodeAdvertisement, isAdvertisementGenuine } from '../../shared/product-protocol/advertisement-codec.js';
import { decodeBase64url, encodeBase64url } from '../../shared/product-protocol/base64url.js';
import { hexToBytes } from '../../shared/product-protocol/bytes.js';
import { deriveProductKeys } from '../../shared/product-protocol/keys.js';
import { answerPairing, decodePairingOffer, isPairingConfirmation } from '../../shared/product-protocol/pairing.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { Secrets } from '../secrets/secrets.js';
import type { Db } from '../store/cloud-store.js';
import {
  deletePendingPairings,
  insertPendingPairing,
  pendingPairingsOf,
  savePairing,
  unconfirmedPairingsOf,
} from '../store/queries/pairings.js';
import type { Row } from '../store/schema.js';

const KEY_BYTES = 32;
const EPOCH_MAX = 0xffff;
/** A product takes one key and then no other, so only an attempt of long ago is forgotten by this. */
const PENDING_MAX = 16;

type Product = Pick<Row<'products'>, 'id' | 'device_id' | 'pairing_epoch'>;

export interface Pairings {
  /** Keeps a label's secret, in memory only, until its command ends. */
  hold(event_id: EventId, labelSecret: Uint8Array): void;
  forget(event_id: EventId): void;
  /** Makes a master key for who made this offer, and the answer that brings it, base64url; null: it is no offer of the product. */
  answer(tx: Db, asked: { event_id: EventId; product: Product; offer: string }): Promise<string | null>;
  /** Whether the product confirms a key that this command offered it; it is the product's from then on. */
  confirm(tx: Db, told: { event_id: string; product: Product; confirmation: string }): Promise<boolean>;
  /** The same by an advertisement (hex), once nobody waits for the confirmation any more. */
  adoptSeen(tx: Db, seen: { product: Product; advertisement: string }): Promise<boolean>;
}

export function createPairings(deps: {
  crypto: ProtocolCrypto;
  secrets: Pick<Secrets, 'seal' | 'open'>;
  clock: Clock;
}): Pairings {
  const { crypto, secrets, clock } = deps;
  const labelSecrets = new Map<EventId, Uint8Array>();

  function keysOf({ device_id }: Product, { epoch, master_key_sealed }: Row<'pending_pairings'>) {
    const identity = { deviceId: productDeviceIdSchema.parse(device_id), epoch };
    const masterKey = secrets.open('product_master_key', master_key_sealed);
    return { identity, keys: deriveProductKeys(crypto, { masterKey, ...identity }) };
  }

  return {
    hold: (event_id, labelSecret) => void labelSecrets.set(event_id, labelSecret),
    forget: (event_id) => void labelSecrets.delete(event_id),
    async answer(tx, { event_id, product, offer: text }) {
      const labelSecret = labelSecrets.get(event_id);
      const bytes = decodeBase64url(text);
      const offer = bytes === null ? null : decodePairingOffer(bytes);
      if (labelSecret === undefined || offer === null || offer.deviceId !== product.device_id) return null;
      const pending = await pendingPairingsOf(tx, product.id);
      const epoch = Math.max(product.pairing_epoch, ...pending.map((each) => each.epoch)) + 1;
      if (epoch > EPOCH_MAX) return null;
      const masterKey = randomBytes(KEY_BYTES);
      const timeS = Math.floor(clock.now() / 1_000);
      const answer = answerPairing(crypto, {
        offer,
        labelSecret,
        cloudPrivateKey: randomBytes(KEY_BYTES),
        grant: { masterKey, epoch, timeS },
      });
      if (answer === null) return null;
      const oldest = pending.slice(0, Math.max(0, pending.length + 1 - PENDING_MAX));
      await deletePendingPairings(tx, { product_id: product.id, epochs: oldest.map((each) => each.epoch) });
      await insertPendingPairing(tx, {
        product_id: product.id,
        epoch,
        event_id,
        master_key_sealed: secrets.seal('product_master_key', masterKey),
        created_at: clock.now(),
      });
      return encodeBase64url(answer);
    },
    async confirm(tx, { event_id, product, confirmation }) {
      const bytes = decodeBase64url(confirmation);
      if (bytes === null) return false;
      for (const pairing of await pendingPairingsOf(tx, product.id)) {
        if (pairing.event_id !== event_id) continue;
        const { identity, keys } = keysOf(product, pairing);
        if (!isPairingConfirmation(crypto, { bytes, adminKey: keys.admin, identity })) continue;
        await savePairing(tx, { pairing, now: clock.now() });
        return true;
      }
      return false;
    },
    async adoptSeen(tx, { product, advertisement }) {
      if (!/^([0-9a-f]{2})*$/.test(advertisement)) return false;
      const bytes = hexToBytes(advertisement);
      const content = decodeAdvertisement(bytes);
      if (content?.deviceId !== product.device_id) return false;
      for (const pairing of await unconfirmedPairingsOf(tx, product.id)) {
        if ((pairing.epoch & 0xff) !== content.epochLow) continue;
        const { keys } = keysOf(product, pairing);
        if (!isAdvertisementGenuine(crypto, { advertisementKey: keys.adv, bytes })) continue;
        await savePairing(tx, { pairing, now: clock.now() });
        return true;
      }
      return false;
    },
  };
}
