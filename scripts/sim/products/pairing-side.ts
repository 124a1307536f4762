/** A product's side of a pairing over PAIR: offer, answer, confirmation. */
import type { Clock } from '../../../shared/clock.js';
import { NO_REASSEMBLY, type Reassembly, receiveFragment } from '../../../shared/product-protocol/fragment-codec.js';
import { encodeRefuse } from '../../../shared/product-protocol/message-codec.js';
import {
  encodePairingConfirmation,
  encodePairingOffer,
  openPairingAnswer,
  type PairingOffer,
  pairingPublicKey,
} from '../../../shared/product-protocol/pairing.js';
import { identityOf } from './firmware/product-state.js';
import type { ProtocolCrypto } from '../../../shared/product-protocol/protocol-crypto.js';
import type { RunningMachine } from './product-runner.js';

const KEY_BYTES = 32;

export interface PairingSide {
  /** A gateway listens on PAIR. */
  subscribed(): void;
  /** A fragment came on PAIR. */
  write(fragment: Uint8Array): void;
  linkClosed(): void;
}

/** @param deps.send whole messages over PAIR */
export function createPairingSide(deps: {
  machine: () => Pick<RunningMachine, 'state' | 'input'>;
  labelSecret: Uint8Array;
  crypto: ProtocolCrypto;
  clock: Clock;
  randomBytes: (length: number) => Uint8Array;
  send: (message: Uint8Array) => void;
}): PairingSide {
  const { crypto, clock, labelSecret, send } = deps;
  let offered: { offer: PairingOffer; privateKey: Uint8Array } | null = null;
  let reassembly: Reassembly = NO_REASSEMBLY;

  /** The protocol's hint: type 1 when the product may not pair now, type 0 for an answer that is not for this product. */
  const refuse = (type: 0 | 1) => send(encodeRefuse({ type, rtcS: 0 }));

  function checkAnswer(answer: Uint8Array): void {
    const { state, input } = deps.machine();
    const made = offered;
    // An offer can be answered once, rightly or wrongly.
    offered = null;
    const isInTime = state.pairingUntilMs !== null && clock.monotonic() < state.pairingUntilMs;
    if (made === null || !isInTime) return refuse(1);
    const { pairingEpoch: storedPairingEpoch } = state.memory;
    const grant = openPairingAnswer(crypto, { answer, ...made, labelSecret, storedPairingEpoch });
    if (grant === null) return refuse(0);
    input({ type: 'paired', ...grant });
    const { keys, memory } = deps.machine().state;
    if (keys === null) throw new Error(`${memory.deviceId} was paired and has no keys`);
    return send(encodePairingConfirmation(crypto, { adminKey: keys.admin, identity: identityOf(memory) }));
  }

  return {
    subscribed() {
      const { input } = deps.machine();
      // The simulated person at the product presses its button in time; a paired product ignores it.
      input({ type: 'pairingButtonPressed' });
      input({ type: 'pairingOffered' });
      const { state } = deps.machine();
      if (state.pairingUntilMs === null) return refuse(1);
      const privateKey = deps.randomBytes(KEY_BYTES);
      const offer = { deviceId: state.memory.deviceId, publicKey: pairingPublicKey(crypto, privateKey) };
      offered = { offer, privateKey };
      return send(encodePairingOffer(offer));
    },
    write(fragment) {
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      if (received.message !== null) checkAnswer(received.message);
    },
    linkClosed() {
      offered = null;
      reassembly = NO_REASSEMBLY;
    },
  };
}
