/**
 * The radio process runs noble and nothing else. On a kernel's HCI socket noble can block the whole event loop (a connect to an absent
 * product does so for about 40 s), and it throws errors that cannot be caught. In a process of its own, either only costs a restart.
 * `child-radio` starts this process and ends it.
 */
import '../../../shared/node/connection-attempts.js';
import { every } from '../../../shared/clock.js';
import { GATEWAY_ERROR } from '../../../shared/gateway-error-types.js';
import type { Logger } from '../../../shared/logger.js';
import { sendableLogFields } from '../../../shared/sent-log-fields.js';
import { systemClock } from '../../../shared/system-clock.js';
import { createNobleRadio, NOBLE_RADIO_LIMITS, type NobleRadio } from '../noble/noble-radio.js';
import { RadioError, type RadioLink } from '../radio.js';
import { createAdvertisementBatcher } from './advertisement-batcher.js';
import { decodeRadioConfig } from './radio-config-codec.js';
import type { FromRadioProcess, RadioProcessConfig, ToRadioProcess } from './radio-messages.js';
import { errorText } from '../../../shared/error-text.js';

const ALIVE_PERIOD_MS = 5_000;
/** How long after it was asked to stop the process ends itself by force. */
const LAST_RESORT_MS = 10_000;

function send(message: FromRadioProcess): void {
  // Without a channel there is no listener; 'disconnect' ends this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

function fail(id: number, error: unknown): void {
  const message = errorText(error);
  send({ type: 'failed', id, errorType: error instanceof RadioError ? error.type : 3, message });
}

function logLine(level: keyof Logger): Logger['info'] {
  return (fields, message) => send({ type: 'log', level, fields: sendableLogFields(fields), message });
}

function run(config: RadioProcessConfig): void {
  const radio = createNobleRadio({
    hci: config.hci,
    clock: systemClock,
    logger: { debug: logLine('debug'), info: logLine('info'), warn: logLine('warn'), error: logLine('error') },
    random: Math.random,
    limits: { ...NOBLE_RADIO_LIMITS, writeTimeoutMs: config.writeTimeoutMs, silenceMs: config.silenceMs },
    expectsProducts: config.expectsProducts,
    resetsFirst: config.resetsFirst,
    onLinks: (count) => send({ type: 'links', count }),
    onRecovery: (step, reason) => send({ type: 'recovery', step, reason }),
    onRestartNeeded: (reason) => send({ type: 'restart-me', reason }),
  });
  const links = serveLinks(radio);
  radio.onStateChange((state) => send({ type: 'state', state }));
  const batcher = createAdvertisementBatcher({
    clock: systemClock,
    send: (advertisements) => send({ type: 'advertisements', advertisements }),
  });
  radio.onAdvertisement(batcher.add);
  radio.onBeacon((beacon) => send({ type: 'beacon', beacon }));
  radio.onSlotWanted((usedBy) => send({ type: 'slot-wanted', usedBy }));
  const beat = every({
    clock: systemClock,
    periodMs: ALIVE_PERIOD_MS,
    work: () => send({ type: 'alive' }),
    onError: () => {},
  });

  let isStopping = false;
  const stop = async () => {
    if (isStopping) return;
    isStopping = true;
    beat.cancel();
    batcher.close();
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), LAST_RESORT_MS).unref();
    await radio.close();
    send({ type: 'stopped' });
    if (process.connected) process.disconnect();
  };

  process.on('message', (message: ToRadioProcess) => {
    switch (message.type) {
      case 'connect':
        return void links.connect(message);
      case 'write':
        return void links.write(message);
      case 'want-beacons':
        return radio.wantBeacons(message.wanted);
      case 'abort':
        return links.abort(message.id);
      case 'close':
        return links.close(message.link);
      case 'stop':
        return void stop();
    }
  });
  process.once('disconnect', () => void stop());
  // Ctrl-C and systemd reach this process too, but the gateway decides when its radio ends: a command may be under way.
  process.on('SIGINT', () => {});
  process.on('SIGTERM', () => {});
}

/** Makes and uses links for the gateway, each by the id of the connect that made it. Every outcome is sent; nothing rejects. */
function serveLinks(radio: NobleRadio) {
  const links = new Map<number, RadioLink>();
  const connects = new Map<number, AbortController>();
  return {
    async connect({ id, address, ...how }: Extract<ToRadioProcess, { type: 'connect' }>): Promise<void> {
      const abort = new AbortController();
      connects.set(id, abort);
      try {
        const onTurnOver = () => send({ type: 'turn-over', id });
        const { timeoutMs, slotWithinMs, channel } = how;
        const { signal } = abort;
        const link = await radio.connect(address, { timeoutMs, slotWithinMs, signal, channel, onTurnOver });
        links.set(id, link);
        // This comes first: the gateway accepts notifications only of links that it knows.
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
    },
    abort: (id: number) => connects.get(id)?.abort(),
    async write({ id, link, fragment }: Extract<ToRadioProcess, { type: 'write' }>): Promise<void> {
      try {
        const open = links.get(link);
        if (open === undefined) throw new RadioError(GATEWAY_ERROR.DISCONNECTED, 'The connection is gone');
        await open.write(fragment);
        send({ type: 'written', id });
      } catch (error) {
        fail(id, error);
      }
    },
    close: (link: number) => void links.get(link)?.close(),
  };
}

run(decodeRadioConfig(process.argv[2] ?? ''));
