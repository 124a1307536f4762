import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import { type Deferred, deferred } from '../../waiting/deferred.js';
import { createProcessLink, type ProcessLink } from './process-link.js';
import { type LinkChannel, RadioError, type RadioLink } from '../radio.js';
import type { FromRadioProcess, ToRadioProcess } from './radio-messages.js';
import type { RadioProcessRun } from './radio-process-run.js';
import { onAbort } from '../../waiting/on-abort.js';
import { waitFor } from '../../waiting/wait-for.js';
import { errorText } from '../../../shared/error-text.js';

/** How long the process may take to end a connection; an adapter has 2 s to confirm it. */
const CLOSE_TIMEOUT_MS = 2_000;

type Answer = Extract<FromRadioProcess, { type: 'connected' | 'written' | 'failed' }>;

export interface RadioProcessClientOptions {
  run: RadioProcessRun;
  clock: Clock;
  writeTimeoutMs: number;
  /** How much later than its own limit the process may answer before it counts as hung and is ended. */
  graceMs: number;
}

export interface ConnectRequest {
  address: string;
  timeoutMs: number;
  slotWithinMs: number;
  channel: LinkChannel;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/** The connections of one run of the radio process. */
export interface RadioProcessClient {
  /**
   * Settles `result` as Radio.connect says. The returned promise settles when the process can serve the next connect, perhaps earlier, and
   * never rejects.
   */
  connect(request: ConnectRequest): Promise<void>;
  /** Handles what the process says about its connections. All of them end with the process. */
  receive(message: FromRadioProcess): void;
}

export function createRadioProcessClient(options: RadioProcessClientOptions): RadioProcessClient {
  const { run } = options;
  const requests = createRequests(options);
  const links = createProcessLinks(options, requests.ask);
  /** Connects whose turn lasts, by their ids. */
  const turns = new Map<number, Deferred<void>>();

  const make = async (request: ConnectRequest, turn: Deferred<void>) => {
    const { address, timeoutMs, slotWithinMs, channel, signals, result } = request;
    let id = 0;
    const answer = requests.ask({
      timeoutMs,
      unanswered: new RadioError(GATEWAY_ERROR.NOT_FOUND, `no answer of ${address}`),
      message(connectId) {
        id = connectId;
        turns.set(id, turn);
        return { type: 'connect', id, address, timeoutMs, slotWithinMs, channel };
      },
    });
    let isWanted = true;
    const stopAborts = onAbort(signals, (reason) => {
      isWanted = false;
      result.reject(reason);
      run.send({ type: 'abort', id });
    });
    try {
      await answer;
      const made = links.of(id)?.link;
      if (made === undefined)
        throw new RadioError(GATEWAY_ERROR.DISCONNECTED, `The connection to ${address} broke at once`);
      if (isWanted) result.resolve(made);
      else await made.close();
    } catch (error) {
      result.reject(error);
    } finally {
      stopAborts();
      turns.delete(id);
    }
  };

  return {
    async connect(request) {
      const turn = deferred<void>();
      await Promise.race([make(request, turn), turn.promise]);
    },
    receive(message) {
      switch (message.type) {
        case 'connected':
          // This comes before anything else is received: the first notification may follow in this same tick.
          links.open(message.id, message.mtu);
          return requests.answer(message);
        case 'turn-over':
          return turns.get(message.id)?.resolve();
        case 'written':
        case 'failed':
          return requests.answer(message);
        case 'notification':
          return links.of(message.link)?.notify(message.fragment);
        case 'closed':
          return links.of(message.link)?.gone();
        default:
          return undefined;
      }
    },
  };
}

/** The links over the connections that the process holds, by the ids of their connects. All end with the process. */
function createProcessLinks(
  { run, clock, writeTimeoutMs, graceMs }: RadioProcessClientOptions,
  ask: (request: Request) => Promise<void>,
) {
  const links = new Map<number, ProcessLink>();
  onAbort([run.signal], () => {
    for (const each of links.values()) each.gone();
  });
  return {
    of: (id: number) => links.get(id),
    open(id: number, mtu: number): void {
      const processLink = createProcessLink({
        id,
        mtu,
        run,
        clock,
        closeTimeoutMs: CLOSE_TIMEOUT_MS + graceMs,
        write: (fragment) =>
          ask({
            timeoutMs: writeTimeoutMs,
            unanswered: new RadioError(GATEWAY_ERROR.BLUETOOTH, 'a write took too long'),
            message: (writeId) => ({ type: 'write', id: writeId, link: id, fragment }),
          }),
      });
      links.set(id, processLink);
      void processLink.link.closed.then(() => links.delete(id));
    },
  };
}

interface Request {
  timeoutMs: number;
  /** The error of a request without an answer. The process then counts as hung and is ended. */
  unanswered: RadioError;
  message: (id: number) => ToRadioProcess;
}

/** Sends requests to the process and assigns the answers to them. All requests fail with the reason of the process's end. */
function createRequests(options: RadioProcessClientOptions): {
  ask: (request: Request) => Promise<void>;
  answer: (answer: Answer) => void;
} {
  const { run, clock, graceMs } = options;
  const waiting = new Map<number, { answer: (answer: Answer) => void; fail: (reason: unknown) => void }>();
  let lastId = 0;
  // This is one listener for all requests, of which there may be many.
  onAbort([run.signal], (reason) => {
    for (const { fail } of waiting.values()) fail(reason);
  });
  return {
    answer: (answer) => waiting.get(answer.id)?.answer(answer),
    async ask({ timeoutMs, unanswered, message }) {
      run.signal.throwIfAborted();
      lastId += 1;
      const id = lastId;
      return waitFor<void>({
        clock,
        timeoutMs: timeoutMs + graceMs,
        timedOut() {
          run.kill(`it gave no answer (${errorText(unanswered)})`);
          return unanswered;
        },
        signals: [],
        listen(done, fail) {
          const answer = (said: Answer) => {
            if (said.type === 'failed') fail(new RadioError(said.errorType, said.message));
            else done();
          };
          waiting.set(id, { answer, fail });
          run.send(message(id));
          return () => waiting.delete(id);
        },
      });
    },
  };
}
