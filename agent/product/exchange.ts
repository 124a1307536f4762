import type { Clock, Timer } from '../../shared/clock.js';
import {
  CLIENT_IDLE,
  type ClientEffect,
  type ClientInput,
  type ClientOutcome,
  type ClientState,
  type Exchange,
  nextClient,
} from '../../shared/product-protocol/client-machine.js';
import {
  NO_REASSEMBLY,
  type Reassembly,
  receiveFragment,
  splitMessage,
} from '../../shared/product-protocol/fragment-codec.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { StatusBlock } from '../../shared/product-protocol/status-block.js';
import { RadioError, type RadioLink } from './radio.js';

/** A product answers HELLO and REQUEST from memory; this is patience with a lossy link, not with its motor. */
const ANSWER_WITHIN_MS = 5_000;
/** From one in-progress block to the next word. */
const MOVEMENT_WITHIN_MS = 25_000;

export interface ExchangeOptions {
  link: RadioLink;
  exchange: Exchange;
  crypto: ProtocolCrypto;
  clock: Clock;
  /** On the monotonic clock: no REQUEST leaves after it. */
  deadlineMonoMs: number;
  onProgress(block: StatusBlock): void;
}

/** Runs one exchange on an open link. Never rejects: a link that breaks or falls silent is an outcome. */
export function runExchange(options: ExchangeOptions): Promise<ClientOutcome> {
  const { link, crypto, clock } = options;
  return new Promise((resolve) => {
    let state: ClientState = CLIENT_IDLE;
    let reassembly: Reassembly = NO_REASSEMBLY;
    let patience: Timer | undefined;

    const waitAtMost = (delayMs: number) => {
      patience?.cancel();
      patience = clock.setTimer(delayMs, () => step({ type: 'timeout' }));
    };
    const stopListening = link.onNotification((fragment) => {
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      if (received.message !== null) step({ type: 'message', bytes: received.message });
    });
    const finish = (outcome: ClientOutcome) => {
      patience?.cancel();
      stopListening();
      resolve(outcome);
    };
    const send = async (message: Uint8Array) => {
      try {
        for (const fragment of splitMessage(message, link.mtu)) await link.write(fragment);
      } catch (error) {
        step({ type: error instanceof RadioError && error.type === 2 ? 'linkClosed' : 'timeout' });
      }
    };
    const perform = (effect: ClientEffect) => {
      switch (effect.type) {
        case 'send':
          if (effect.part === 'request' && clock.monotonic() > options.deadlineMonoMs) {
            step({ type: 'timeout' });
            return;
          }
          waitAtMost(ANSWER_WITHIN_MS);
          void send(effect.message);
          return;
        case 'progress':
          waitAtMost(MOVEMENT_WITHIN_MS);
          options.onProgress(effect.block);
          return;
        case 'finish':
          finish(effect.outcome);
      }
    };
    const step = (input: ClientInput) => {
      const next = nextClient(crypto, state, input);
      state = next.state;
      for (const effect of next.effects) perform(effect);
    };

    void link.closed.then(() => step({ type: 'linkClosed' }));
    step({ type: 'started', exchange: options.exchange });
  });
}
