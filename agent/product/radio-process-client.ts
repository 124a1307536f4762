import type { Clock } from '../../shared/clock.js';
import { type Deferred, deferred } from './deferred.js';
import { createNotificationFeed } from './notification-feed.js';
import { RadioError, type RadioLink } from './radio.js';
import type { FromRadioProcess, ToRadioProcess } from './radio-messages.js';
import type { RadioProcessRun } from './radio-process-run.js';
import { waitFor } from './wait-for.js';

/** How long the process may take to end a connection: an adapter has 2 s to confirm it. */
const CLOSE_TIMEOUT_MS = 2_000;

type Answer = Extract<FromRadioProcess, { type: 'connected' | 'written' | 'failed' }>;

export interface RadioProcessClientOptions {
  run: RadioProcessRun;
  clock: Clock;
  writeTimeoutMs: number;
  /** How much later than its own limit the process may answer before it is taken for hung and ended. */
  graceMs: number;
}

export interface ConnectRequest {
  address: string;
  timeoutMs: number;
  signals: readonly AbortSignal[];
  result: Deferred<RadioLink>;
}

/** The connections of one run of the radio process. */
export interface RadioProcessClient {
  /** Settles `result` as Radio.connect says; itself settles when the process can take the next connect. Never rejects. */
  connect(request: ConnectRequest): Promise<void>;
  /** Takes what the process says of its connections. */
  receive(message: FromRadioProcess): void;
}

interface ProcessLink {
  link: RadioLink;
  notify(fragment: Uint8Array): void;
  gone(): void;
}

export function createRadioProcessClient(options: RadioProcessClientOptions): RadioProcessClient {
  const { run, clock, writeTimeoutMs, graceMs } = options;
  const waiting = new Map<number, (answer: Answer) => void>();
  const links = new Map<number, ProcessLink>();
  let lastId = 0;

  /** Sends a request and waits for its answer; a process that gives none is hung. */
  const ask = (request: { timeoutMs: number; unanswered: RadioError; message: (id: number) => ToRadioProcess }) => {
    lastId += 1;
    const id = lastId;
    return waitFor<void>({
      clock,
      timeoutMs: request.timeoutMs + graceMs,
      timedOut() {
        run.kill(`it gave no answer (${request.unanswered.message})`);
        return request.unanswered;
      },
      signals: [run.signal],
      listen(done, fail) {
        waiting.set(id, (answer) => {
          if (answer.type === 'failed') fail(new RadioError(answer.errorType, answer.message));
          else done();
        });
        run.send(request.message(id));
        return () => waiting.delete(id);
      },
    });
  };
  const write = (link: number, fragment: Uint8Array) =>
    ask({
      timeoutMs: writeTimeoutMs,
      unanswered: new RadioError(3, 'a write took too long'),
      message: (id) => ({ type: 'write', id, link, fragment }),
    });
  const openLink = (id: number, mtu: number): ProcessLink => {
    const onGone = () => {
      links.delete(id);
      run.signal.removeEventListener('abort', onGone);
      processLink.gone();
    };
    const processLink = createProcessLink({
      mtu,
      write: (fragment) => write(id, fragment),
      async close(closed) {
        run.send({ type: 'close', link: id });
        const timeoutMs = CLOSE_TIMEOUT_MS + graceMs;
        const hasClosed = waitFor<void>({
          clock,
          timeoutMs,
          signals: [run.signal],
          listen: (resolve) => {
            void closed.then(resolve);
            return () => {};
          },
        });
        await hasClosed.catch(() => run.kill('it did not end a connection'));
      },
    });
    run.signal.addEventListener('abort', onGone);
    return { ...processLink, gone: onGone };
  };

  return {
    async connect({ address, timeoutMs, signals, result }) {
      let connectId = 0;
      let isWanted = true;
      const onAbort = () => {
        isWanted = false;
        result.reject(signals.find((signal) => signal.aborted)?.reason);
        run.send({ type: 'abort', id: connectId });
      };
      const answer = ask({
        timeoutMs,
        unanswered: new RadioError(4, `no answer of ${address}`),
        message(id) {
          connectId = id;
          return { type: 'connect', id, address, timeoutMs };
        },
      });
      for (const signal of signals) signal.addEventListener('abort', onAbort);
      try {
        await answer;
        const made = links.get(connectId)?.link;
        if (made === undefined) throw new RadioError(2, `The connection to ${address} broke at once`);
        if (isWanted) result.resolve(made);
        else await made.close();
      } catch (error) {
        result.reject(error);
      } finally {
        for (const signal of signals) signal.removeEventListener('abort', onAbort);
      }
    },
    receive(message) {
      switch (message.type) {
        case 'connected':
          // Before anything else is received: its first notification may follow in this same tick.
          links.set(message.id, openLink(message.id, message.mtu));
          return waiting.get(message.id)?.(message);
        case 'written':
        case 'failed':
          return waiting.get(message.id)?.(message);
        case 'notification':
          return links.get(message.link)?.notify(message.fragment);
        case 'closed':
          return links.get(message.link)?.gone();
        default:
          return undefined;
      }
    },
  };
}

function createProcessLink(options: {
  mtu: number;
  write: (fragment: Uint8Array) => Promise<void>;
  close: (closed: Promise<void>) => Promise<void>;
}): ProcessLink {
  const closed = deferred<void>();
  const feed = createNotificationFeed();
  let isGone = false;
  let closing: Promise<void> | undefined;
  return {
    notify: feed.push,
    gone() {
      isGone = true;
      closed.resolve();
    },
    link: {
      mtu: options.mtu,
      closed: closed.promise,
      async write(fragment) {
        if (isGone) throw new RadioError(2, 'The connection is gone');
        await options.write(fragment);
      },
      onNotification: feed.onNotification,
      close: () => {
        if (!isGone) closing ??= options.close(closed.promise);
        return closing ?? closed.promise;
      },
    },
  };
}
