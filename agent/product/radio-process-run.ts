import { type ChildProcess, fork } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Clock } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import type { HciChoice } from './hci/hci-choice.js';
import { RadioError } from './radio.js';
import type { FromRadioProcess, RadioProcessConfig, ToRadioProcess } from './radio-messages.js';
import { waitFor } from './wait-for.js';

const PROGRAM = fileURLToPath(new URL('./radio-process.js', import.meta.url));
/** It handles packets of some hundred bytes: small heaps, and one malloc arena more than needed. */
const NODE_FLAGS = ['--max-old-space-size=64', '--max-semi-space-size=1'];
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2' };
/** It says something every 5 s. */
const SILENCE_MAX_MS = 20_000;
const STOP_TIMEOUT_MS = 4_000;

export interface RadioProcessRunOptions {
  hci: HciChoice;
  writeTimeoutMs: number;
  clock: Clock;
  logger: Logger;
  onMessage: (message: FromRadioProcess) => void;
}

/** One run of the radio process. */
export interface RadioProcessRun {
  /** Aborted, with a RadioError of type 3, when it is of no use any more: it has ended, or is being ended. */
  readonly signal: AbortSignal;
  /** Settles when the process is gone; never rejects. */
  readonly exited: Promise<void>;
  send(message: ToRadioProcess): void;
  /** Ends it by force. */
  kill(reason: string): void;
  /** Lets it close its connections, then ends it; settles when it is gone. */
  stop(): Promise<void>;
}

export function startRadioProcess(options: RadioProcessRunOptions): RadioProcessRun {
  const { hci, writeTimeoutMs, clock, logger, onMessage } = options;
  const config: RadioProcessConfig = { hci, writeTimeoutMs };
  const child = fork(PROGRAM, [JSON.stringify(config)], {
    serialization: 'advanced',
    execArgv: NODE_FLAGS,
    env: ENVIRONMENT,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  const over = new AbortController();
  const kill = (reason: string) => {
    if (!over.signal.aborted) over.abort(new RadioError(3, reason));
    child.kill('SIGKILL');
  };
  forwardLines(child.stdout, (line) => logger.debug({ line }, 'The radio process printed a line'));
  forwardLines(child.stderr, (line) => logger.warn({ line }, 'The radio process complained'));

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
      // What cannot be sent is not answered, and the wait for the answer ends with the process.
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
        await hasStopped.catch(() => logger.warn({}, 'The radio process did not stop by itself'));
      }
      kill('it was stopped');
      await exited;
    },
  };
}

function onceExited(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => resolve(`it ended (${signal ?? `exit code ${code}`})`));
    child.once('error', (error) => {
      // Only a process that was never started has no 'exit'.
      if (child.pid === undefined) resolve(`it could not be started: ${error.message}`);
    });
  });
}

function forwardLines(stream: Readable | null, tell: (line: string) => void): void {
  if (stream !== null) createInterface({ input: stream }).on('line', tell);
}
