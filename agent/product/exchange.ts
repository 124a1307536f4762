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
import { deferred } from '../waiting/deferred.js';
import { onAbort } from '../waiting/on-abort.js';
import { RadioError, type RadioLink } from './radio.js';

/** A product answers HELLO from memory; only a lossy link needs this much time. */
const CHALLENGE_WITHIN_MS = 5_000;
/**
 * The longest wait for each answer to a REQUEST. The product may move, and reports a movement of more than 120 s as jammed. The gateway
 * waits for the answer even after the cloud has given up, because a second REQUEST would bring the same answer.
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
  /** Aborted when another product needs the link. It ends the exchange only while the product moves; the result is asked for later. */
  leave?: AbortSignal | undefined;
}

/** `left`: the link was given up while the product moved; the same command asks for the result later. */
export type ExchangeOutcome = ClientOutcome | { kind: 'left' };

/**
 * Runs one exchange on an open link. A link that breaks or falls silent is an outcome, and so is a deadline or an abort before the
 * REQUEST has left (type 3). Rejects only because of a mistake in this program.
 */
export function runExchange(options: ExchangeOptions & { leave?: undefined }): Promise<ClientOutcome>;
export function runExchange(options: ExchangeOptions): Promise<ExchangeOutcome>;
export function runExchange(options: ExchangeOptions): Promise<ExchangeOutcome> {
  const { link, crypto, clock, deadlineMonoMs, signal, leave } = options;
  const { promise, resolve, reject } = deferred<ExchangeOutcome>();
  let state: ClientState = CLIENT_IDLE;
  let patience: Timer | undefined;
  let isMoving = false;

  const isTooLate = () => signal?.aborted === true || clock.monotonic() > deadlineMonoMs;
  const end = () => {
    state = { phase: 'finished' };
    patience?.cancel();
    for (const stop of stops) stop();
  };
  const fail = (error: unknown) => {
    end();
    reject(error);
  };
  const waitAtMost = (delayMs: number) => {
    patience?.cancel();
    patience = clock.setTimer(delayMs, () => step({ type: 'timeout' }));
  };
  const send = (part: 'hello' | 'request', message: Uint8Array) => {
    if (isTooLate()) return step({ type: 'timeout' });
    const challengeWithinMs = Math.min(CHALLENGE_WITHIN_MS, deadlineMonoMs - clock.monotonic());
    waitAtMost(part === 'request' ? STATUS_WITHIN_MS : challengeWithinMs);
    void writeMessage(link, message, () => state.phase === 'finished').then(
      (failure) => failure !== null && step(failure),
      fail,
    );
  };
  const perform = (effect: ClientEffect) => {
    switch (effect.type) {
      case 'send':
        return send(effect.part, effect.message);
      case 'progress':
        if (!isMoving) waitAtMost(STATUS_WITHIN_MS);
        isMoving = true;
        return options.onProgress(effect.block);
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
  const isIdle = () => state.phase === 'idle';
  const onMessage = (bytes: Uint8Array) => step({ type: 'message', bytes });
  const stops = [
    listenForMessages(options, isIdle, onMessage),
    onAbort(signal === undefined ? [] : [signal], () => {
      if (state.phase === 'awaiting_challenge') step({ type: 'timeout' });
    }),
    onAbort(leave === undefined ? [] : [leave], () => {
      if (!isMoving || state.phase === 'finished') return;
      end();
      resolve({ kind: 'left' });
    }),
  ];
  void link.closed.then(() => step({ type: 'linkClosed' }));
  step({ type: 'started', exchange: options.exchange });
  return promise;
}

/** Calls `handle` with each whole message of the product. Returns how to stop. */
function listenForMessages(
  { link, clock }: Pick<ExchangeOptions, 'link' | 'clock'>,
  isIdle: () => boolean,
  handle: (message: Uint8Array) => void,
): () => void {
  let reassembly: Reassembly = NO_REASSEMBLY;
  return link.onNotification((fragment) => {
    // A message that came before HELLO has left is no answer to it.
    if (isIdle()) return;
    const received = receiveFragment(reassembly, fragment, clock.monotonic());
    reassembly = received.reassembly;
    if (received.message !== null) handle(received.message);
  });
}

/** Writes the fragments of a message until `isOver`. Resolves to how the radio failed, or to null. */
async function writeMessage(
  link: RadioLink,
  message: Uint8Array,
  isOver: () => boolean,
): Promise<{ type: 'linkClosed' | 'timeout' } | null> {
  try {
    for (const fragment of splitMessage(message, link.mtu)) {
      if (isOver()) return null;
      await link.write(fragment);
    }
    return null;
  } catch (error) {
    if (!(error instanceof RadioError)) throw error;
    return { type: error.type === GATEWAY_ERROR.DISCONNECTED ? 'linkClosed' : 'timeout' };
  }
}
