import type { Clock } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { onceExited, startChild } from '../../process/start-child.js';
import type { HciChoice } from '../hci/hci-choice.js';
import { RadioError } from '../radio.js';
import { encodeRadioConfig } from './radio-config-codec.js';
import type { FromRadioProcess, RadioProcessConfig, ToRadioProcess } from './radio-messages.js';
import { waitFor } from '../../waiting/wait-for.js';

const PROGRAM = new URL('./radio-process.js', import.meta.url);
/** The process says something every 5 s. */
const SILENCE_MAX_MS = 20_000;
const STOP_TIMEOUT_MS = 4_000;

export interface RadioProcessRunOptions {
  hci: HciChoice;
  writeTimeoutMs: number;
  silenceMs: number;
  expectsProducts: boolean;
  resetsFirst: boolean;
  clock: Clock;
  logger: Logger;
  onMessage: (message: FromRadioProcess) => void;
}

/** One run of the radio process. */
export interface RadioProcessRun {
  /** Aborted with a RadioError of type 3 when the process has ended or is being ended. */
  readonly signal: AbortSignal;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  send(message: ToRadioProcess): void;
  /** Ends the process by force. */
  kill(reason: string): void;
  /** Lets the process close its connections, then ends it; settles when it is gone. */
  stop(): Promise<void>;
}

export function startRadioProcess(options: RadioProcessRunOptions): RadioProcessRun {
  const { clock, logger, onMessage, hci, writeTimeoutMs, silenceMs, expectsProducts, resetsFirst } = options;
  const config: RadioProcessConfig = { hci, writeTimeoutMs, silenceMs, expectsProducts, resetsFirst };
  const child = startChild(PROGRAM, { name: 'radio process', args: [encodeRadioConfig(config)], logger });
  const over = new AbortController();
  const kill = (reason: string) => {
    if (!over.signal.aborted) over.abort(new RadioError(GATEWAY_ERROR.BLUETOOTH, reason));
    child.kill('SIGKILL');
  };
  let silence = clock.setTimer(SILENCE_MAX_MS, () => {});
  const expectMore = () => {
    silence.cancel();
    silence = clock.setTimer(SILENCE_MAX_MS, () => kill(`it said nothing for ${SILENCE_MAX_MS} ms`));
  };
  expectMore();
  const stopped = new AbortController();
  child.on('message', (message) => {
    const said = message as FromRadioProcess;
    expectMore();
    if (said.type === 'stopped') stopped.abort();
    else onMessage(said);
  });
  const exited = onceExited(child).then((how) => {
    silence.cancel();
    kill(how);
  });
  return {
    signal: over.signal,
    exited,
    send(message) {
      // A message that cannot be sent has no answer, and the wait for the answer ends with the process.
      if (child.connected) child.send(message, () => {});
    },
    kill,
    async stop() {
      if (!over.signal.aborted && child.connected) {
        const hasStopped = waitFor<void>({
          clock,
          timeoutMs: STOP_TIMEOUT_MS,
          signals: [over.signal],
          listen(done) {
            const onStopped = () => done();
            stopped.signal.addEventListener('abort', onStopped);
            child.send({ type: 'stop' }, () => {});
            return () => stopped.signal.removeEventListener('abort', onStopped);
          },
        });
        await hasStopped.catch(() => logger.warn({}, 'the radio process did not stop by itself'));
      }
      kill('it was stopped');
      await exited;
    },
  };
}
