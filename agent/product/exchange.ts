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
import { GATEWAY_ERROR } from '../../shared/gateway-error-types.js';
import type { ProtocolCrypto } from '../../shared/product-protocol/protocol-crypto.js';
import type { StatusBlock } from '../../shared/product-protocol/status-block.js';
import { RadioError, type RadioLink } from './radio.js';

/** A product answers HELLO from memory; only a lossy link needs this much time. */
const CHALLENGE_WITHIN_MS = 5_000;
/**
 * To each of the answers to a REQUEST. The product may move because of it, and reports a movement of more than 120 s as jammed. Its answer
 * comes as long as the link stands, also when the cloud does not wait any more, and a second REQUEST would bring no other.
 */
const STATUS_WITHIN_MS = 125_000;

export interface ExchangeOptions {
  link: RadioLink;
  exchange: Exchange;
  crypto: ProtocolCrypto;
  clock: Clock;
  /** On the monotonic clock: no REQUEST leaves after it. */
  deadlineMonoMs: number;
  /** No REQUEST leaves once it is aborted. The answer to a REQUEST that has left is awaited: the product acts on it in any case. */
  signal?: AbortSignal | undefined;
  onProgress(block: StatusBlock): void;
  /** Aborted when the link is given up while the product moves: the end of the movement is asked for later. It counts only from then on. */
  leave?: AbortSignal | undefined;
}

/** `left`: the product has acted, and what came of it is asked for with the same command later. */
export type ExchangeOutcome = ClientOutcome | { kind: 'left' };

/**
 * Runs one exchange on an open link. A link that breaks or falls silent is an outcome, and so is a deadline or an abort before the
 * REQUEST has left (type 3). Rejects only because of a mistake in this program.
 */
export function runExchange(options: ExchangeOptions & { leave?: undefined }): Promise<ClientOutcome>;
export function runExchange(options: ExchangeOptions): Promise<ExchangeOutcome>;
export function runExchange(options: ExchangeOptions): Promise<ExchangeOutcome> {
  const { link, crypto, clock, deadlineMonoMs, signal, leave } = options;
  return new Promise((resolve, reject) => {
    let state: ClientState = CLIENT_IDLE;
    let reassembly: Reassembly = NO_REASSEMBLY;
    let patience: Timer | undefined;
    let isMoving = false;

    const isTooLate = () => signal?.aborted === true || clock.monotonic() > deadlineMonoMs;
    const onAbort = () => {
      if (state.phase === 'awaiting_challenge') step({ type: 'timeout' });
    };
    const onLeave = () => {
      if (!isMoving || state.phase === 'finished') return;
      end();
      resolve({ kind: 'left' });
    };
    const end = () => {
      state = { phase: 'finished' };
      patience?.cancel();
      stopListening();
      signal?.removeEventListener('abort', onAbort);
      leave?.removeEventListener('abort', onLeave);
    };
    const fail = (error: unknown) => {
      end();
      reject(error);
    };
    const waitAtMost = (delayMs: number) => {
      patience?.cancel();
      patience = clock.setTimer(delayMs, () => step({ type: 'timeout' }));
    };
    const send = async (message: Uint8Array) => {
      try {
        for (const fragment of splitMessage(message, link.mtu)) {
          if (state.phase === 'finished') return;
          await link.write(fragment);
        }
      } catch (error) {
        if (error instanceof RadioError)
          step({ type: error.type === GATEWAY_ERROR.DISCONNECTED ? 'linkClosed' : 'timeout' });
        else fail(error);
      }
    };
    const perform = (effect: ClientEffect) => {
      switch (effect.type) {
        case 'send':
          if (isTooLate()) {
            step({ type: 'timeout' });
            return;
          }
          waitAtMost(
            effect.part === 'request'
              ? STATUS_WITHIN_MS
              : Math.min(CHALLENGE_WITHIN_MS, deadlineMonoMs - clock.monotonic()),
          );
          void send(effect.message);
          return;
        case 'progress':
          if (!isMoving) waitAtMost(STATUS_WITHIN_MS);
          isMoving = true;
          options.onProgress(effect.block);
          return;
        case 'finish':
          end();
          resolve(effect.outcome);
      }
    };
    const step = (input: ClientInput) => {
      try {
        const next = nextClient(crypto, state, input);
        state = next.state;
        next.effects.forEach(perform);
      } catch (error) {
        // An event of the radio or a timer may have called this, and an exception there would end the program.
        fail(error);
      }
    };
    const stopListening = link.onNotification((fragment) => {
      // A message that came before HELLO has left is no answer to it.
      if (state.phase === 'idle') return;
      const received = receiveFragment(reassembly, fragment, clock.monotonic());
      reassembly = received.reassembly;
      if (received.message !== null) step({ type: 'message', bytes: received.message });
    });
    signal?.addEventListener('abort', onAbort);
    leave?.addEventListener('abort', onLeave);
    void link.closed.then(() => step({ type: 'linkClosed' }));
    step({ type: 'started', exchange: options.exchange });
  });
}
