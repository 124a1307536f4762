/** A gateway as far as products see one: the real central on the emulated radio, and the client's machine. */
import { randomBytes } from 'node:crypto';
import type { HciChoice, HciInProcess } from '../../../agent/product/hci/hci-choice.js';
import type { Radio, RadioLink } from '../../../agent/product/radio.js';
import type { EventId } from '../../../shared/ids.js';
import {
  CLIENT_IDLE,
  type ClientInput,
  type ClientOutcome,
  nextClient,
} from '../../../shared/product-protocol/client-machine.js';
import { type ProtocolCommand, requiredOp } from '../../../shared/product-protocol/commands.js';
import { NO_REASSEMBLY, receiveFragment, splitMessage } from '../../../shared/product-protocol/fragment-codec.js';
import { deriveProductKeys } from '../../../shared/product-protocol/keys.js';
import { CLIENT_NONCE_LENGTH } from '../../../shared/product-protocol/message-codec.js';
import { mintCredentialBytes, NO_EXPIRY_S } from '../../../shared/product-protocol/token-codec.js';
import { systemClock } from '../../../shared/system-clock.js';
import type { CarParkProduct } from '../../../scripts/sim/car-park.js';
import { crypto } from '../../unit/product-protocol/protocol-fixture.js';
import { nobleRadio } from '../../world/test-radios.js';

export interface TestGateway {
  radio: Radio;
  /** One link, one exchange. Rejects with RadioError when there is no link. */
  run(product: CarParkProduct, command: ProtocolCommand, eventId: string): Promise<ClientOutcome>;
}

const CONNECT_TIMEOUT_MS = 30_000;

/** Resolves when its radio is on. */
export async function startTestGateway(hci: HciChoice | HciInProcess): Promise<TestGateway> {
  const radio = nobleRadio(hci);
  await new Promise<void>((resolve) => {
    radio.onStateChange((state) => state === 'on' && resolve());
    if (radio.state === 'on') resolve();
  });
  return {
    radio,
    async run(product, command, eventId) {
      const link = await radio.connect(product.device_id, { timeoutMs: CONNECT_TIMEOUT_MS });
      try {
        return await exchange(link, product, command, eventId as EventId);
      } finally {
        await link.close();
      }
    },
  };
}

function exchange(link: RadioLink, product: CarParkProduct, command: ProtocolCommand, eventId: EventId) {
  return new Promise<ClientOutcome>((resolve, reject) => {
    let state = CLIENT_IDLE;
    let reassembly = NO_REASSEMBLY;
    const send = async (message: Uint8Array) => {
      for (const fragment of splitMessage(message, link.mtu)) await link.write(fragment);
    };
    const step = (input: ClientInput) => {
      const next = nextClient(crypto, state, input);
      state = next.state;
      for (const effect of next.effects) {
        if (effect.type === 'send') send(effect.message).catch(reject);
        if (effect.type === 'finish') resolve(effect.outcome);
      }
    };
    link.onNotification((fragment) => {
      const received = receiveFragment(reassembly, fragment, systemClock.monotonic());
      reassembly = received.reassembly;
      if (received.message !== null) step({ type: 'message', bytes: received.message });
    });
    void link.closed.then(() => step({ type: 'linkClosed' }));
    const { master_key: masterKey, device_id: deviceId } = product;
    if (masterKey === null) throw new Error(`${deviceId} is not paired: nobody can command it`);
    const keys = deriveProductKeys(crypto, { masterKey, deviceId, pairingEpoch: 1 });
    const grant = { op: requiredOp(command.name), slot: 1, gen: 0, id: 1, notBeforeS: 0, expiresS: NO_EXPIRY_S };
    const credential = mintCredentialBytes(crypto, keys, grant);
    const clientNonce = randomBytes(CLIENT_NONCE_LENGTH);
    step({ type: 'started', exchange: { credential, command, eventId, clientNonce } });
  });
}
