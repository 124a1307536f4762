/** A guest's phone: a Bluetooth central of its own in the simulated car park, which has the credentials of a key and nothing else. */
import * as nodeCrypto from 'node:crypto';
import { runExchange } from '../../agent/product/exchange.js';
import type { Credential } from '../../shared/gateway-config.js';
import { eventIdSchema } from '../../shared/ids.js';
import type { ClientOutcome } from '../../shared/product-protocol/client-machine.js';
import { CLIENT_NONCE_LENGTH } from '../../shared/product-protocol/message-codec.js';
import { createProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import { decodeCredential } from '../../shared/product-protocol/token-codec.js';
import { systemClock } from '../../shared/system-clock.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { World } from './world.js';

/** How the radio knows it. */
const PHONE = '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7cff';
const CONNECT_TIMEOUT_MS = 20_000;

export interface Phone {
  /** Asks the product for one operation, over a link of its own. */
  operate(device_id: string, name: 'open' | 'close' | 'status', credential: Credential): Promise<ClientOutcome>;
  close(): Promise<void>;
}

export function createPhone({ radioOf }: Pick<World, 'radioOf'>): Phone {
  const crypto = createProtocolCrypto(nodeCrypto);
  const radio = radioOf(PHONE);
  return {
    async operate(device_id, name, text) {
      const credential = decodeCredential(text);
      if (credential === null) throw new Error('the credential cannot be read');
      await waitUntil('the phone to have Bluetooth', () => radio.state === 'on');
      const link = await waitUntil('the phone to be connected', () =>
        // A product serves one client at a time.
        radio.connect(device_id, { timeoutMs: CONNECT_TIMEOUT_MS }).catch(() => null),
      );
      try {
        return await runExchange({
          link,
          exchange: {
            credential,
            command: { name },
            eventId: eventIdSchema.parse(nodeCrypto.randomBytes(4).toString('hex')),
            clientNonce: nodeCrypto.randomBytes(CLIENT_NONCE_LENGTH),
          },
          crypto,
          clock: systemClock,
          deadlineMonoMs: systemClock.monotonic() + CONNECT_TIMEOUT_MS,
          onProgress: () => {},
        });
      } finally {
        await link.close();
      }
    },
    close: () => radio.close(),
  };
}
