/**
 * The radio process: noble and nothing else. On a kernel's HCI socket noble can stop the whole event loop (a connect to a product that
 * is not there does so for about 40 s), and what it throws nobody catches; here that costs a process that is easily replaced.
 * It is started by child-radio and ends with it.
 */
import { every } from '../../shared/clock.js';
import type { Logger } from '../../shared/logger.js';
import { systemClock } from '../../shared/system-clock.js';
import { createNobleRadio } from './noble-radio.js';
import { RadioError, type RadioLink } from './radio.js';
import type { FromRadioProcess, RadioProcessConfig, ToRadioProcess } from './radio-messages.js';

const ALIVE_PERIOD_MS = 5_000;
/** So long after it was told to stop the process is ended by force, whatever still holds it. */
const LAST_RESORT_MS = 10_000;

function send(message: FromRadioProcess): void {
  // Without a channel there is nobody to tell; 'disconnect' ends this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function fail(id: number, error: unknown): void {
  const message = error instanceof Error ? error.message : String(error);
  send({ type: 'failed', id, errorType: error instanceof RadioError ? error.type : 3, message });
}

function logLine(level: keyof Logger): Logger['info'] {
  return (fields, message) => send({ type: 'log', level, fields, message });
}

function run(config: RadioProcessConfig): void {
  const links = new Map<number, RadioLink>();
  const connects = new Map<number, AbortController>();
  const radio = createNobleRadio({
    hci: config.hci,
    clock: systemClock,
    logger: { debug: logLine('debug'), info: logLine('info'), warn: logLine('warn'), error: logLine('error') },
    random: Math.random,
    limits: { writeTimeoutMs: config.writeTimeoutMs },
    onRestartNeeded: (reason) => send({ type: 'restart-me', reason }),
  });
  radio.onStateChange((state) => send({ type: 'state', state }));
  radio.onAdvertisement((advertisement) => send({ type: 'advertisement', advertisement }));
  const beat = every({
    clock: systemClock,
    periodMs: ALIVE_PERIOD_MS,
    work: () => send({ type: 'alive' }),
    onError: () => {},
  });

  const connect = async ({ id, address, timeoutMs, channel }: Extract<ToRadioProcess, { type: 'connect' }>) => {
    const abort = new AbortController();
    connects.set(id, abort);
    try {
      const link = await radio.connect(address, { timeoutMs, signal: abort.signal, channel });
      links.set(id, link);
      // First, for the gateway takes notifications of links it knows only.
      send({ type: 'connected', id, mtu: link.mtu });
      link.onNotification((fragment) => send({ type: 'notification', link: id, fragment }));
      void link.closed.then(() => {
        links.delete(id);
        send({ type: 'closed', link: id });
      });
    } catch (error) {
      fail(id, error);
    } finally {
      connects.delete(id);
    }
  };
  const write = async ({ id, link, fragment }: Extract<ToRadioProcess, { type: 'write' }>) => {
    try {
      const open = links.get(link);
      if (open === undefined) throw new RadioError(2, 'The connection is gone');
      await open.write(fragment);
      send({ type: 'written', id });
    } catch (error) {
      fail(id, error);
    }
  };
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= (async () => {
      beat.cancel();
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_RESORT_MS).unref();
      await radio.close();
      send({ type: 'stopped' });
      if (process.connected) process.disconnect();
    })();
    return stopping;
  };

  process.on('message', (message: ToRadioProcess) => {
    switch (message.type) {
      case 'connect':
        return void connect(message);
      case 'write':
        return void write(message);
      case 'abort':
        return connects.get(message.id)?.abort();
      case 'close':
        return void links.get(message.link)?.close();
      case 'stop':
        return void stop();
    }
  });
  process.once('disconnect', () => void stop());
  // Ctrl-C and systemd reach this process too, but the gateway decides when its radio ends: a command may be under way.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
}

run(JSON.parse(process.argv[2] ?? '') as RadioProcessConfig);
