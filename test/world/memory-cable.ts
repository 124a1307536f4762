/** The cable of a gateway in memory: messages travel by timers of one clock, and nothing else delays them. */
import type { LinkListener, LinkOptions, UplinkLink } from '../../agent/uplink/uplink-transport.js';
import type { Cable } from '../../scripts/sim/double/cable.js';
import { createWay } from '../../scripts/sim/double/way.js';
import type { Clock } from '../../shared/clock.js';
import type { LinkEnd } from '../../shared/reconnect-ladder.js';

/** A connection as the broker has it. */
export interface Connection {
  readonly options: LinkOptions;
  /** The gateway has nothing more to do with it. */
  readonly isOver: boolean;
  opened(): void;
  send(topic: string, payload: string): void;
  end(end: LinkEnd, message: string): void;
}

export interface UplinkMessage {
  topic: string;
  payload: string;
  qos: 0 | 1;
  retain: boolean;
}

/** A broker as gateways use it. */
export interface Door {
  accept(connection: Connection): Promise<void>;
  hear(connection: Connection, message: UplinkMessage): void;
  /** @param isGoodbye false: its last will is published */
  left(connection: Connection, isGoodbye: boolean): void;
}

/** @param doorOf the broker that listens at the other end; null: none */
export function createMemoryCable(clock: Clock, doorOf: () => Door | null): Cable {
  const links = new Set<{ cut(): void }>();
  let isPlugged = true;
  let isClosed = false;
  let delayMs = 0;
  const cut = () => {
    for (const link of links) link.cut();
  };
  return {
    transport: {
      connect(options, listener) {
        const link = openLink(options, {
          listener,
          clock,
          delayMs: () => delayMs,
          doorOf: () => (isClosed ? null : doorOf()),
          isSilent: () => !isPlugged && !isClosed,
          onOver: () => void links.delete(link),
        });
        links.add(link);
        return link;
      },
    },
    get isPlugged() {
      return isPlugged;
    },
    unplug() {
      isPlugged = false;
      cut();
    },
    plugIn() {
      if (isPlugged || isClosed) return;
      isPlugged = true;
      // Who tried in vain tries again at once.
      cut();
    },
    slow(ms) {
      delayMs = ms;
    },
    async close() {
      isPlugged = false;
      isClosed = true;
      cut();
    },
  };
}

/** @param line.isSilent whether nothing answers, so that a try goes on until the cable is plugged in */
function openLink(
  options: LinkOptions,
  line: {
    listener: LinkListener;
    clock: Clock;
    delayMs: () => number;
    doorOf: () => Door | null;
    isSilent: () => boolean;
    onOver: () => void;
  },
): UplinkLink & { cut(): void } {
  const { listener, clock } = line;
  const up = createWay(clock, line.delayMs);
  const down = createWay(clock, line.delayMs);
  const unsettled = new Set<(error: Error) => void>();
  let door: Door | null = null;
  let isOver = false;
  let isCut = false;

  function release(message: string): void {
    isOver = true;
    line.onOver();
    for (const reject of unsettled) reject(new Error(message));
  }
  function finish(end: LinkEnd, message: string): void {
    if (isOver) return;
    isCut = true;
    release(message);
    listener.onEnd(end, message);
  }
  const connection: Connection = {
    options,
    get isOver() {
      return isOver;
    },
    opened: () => down.send(() => void (isOver || listener.onOpen())),
    send(topic, payload) {
      const bytes = new TextEncoder().encode(payload);
      down.send(() => void (isOver || listener.onMessage(topic, bytes)));
    },
    end: (end, message) => down.send(() => finish(end, message)),
  };
  up.send(() => {
    if (isOver || line.isSilent()) return;
    door = line.doorOf();
    if (door === null) finish('absent', 'no broker listens there');
    else void door.accept(connection);
  });
  return {
    publish(topic, payload, { qos, retain }) {
      if (isOver) return Promise.reject(new Error('the link is gone'));
      return new Promise((resolve, reject) => {
        unsettled.add(reject);
        const settle = () => {
          unsettled.delete(reject);
          resolve();
        };
        up.send(() => {
          if (isCut) return;
          door?.hear(connection, { topic, payload, qos, retain });
          if (qos === 1) down.send(settle);
        });
        if (qos === 0) settle();
      });
    },
    close() {
      if (isOver) return Promise.resolve();
      return new Promise((resolve) => {
        // What was published before arrives before.
        up.send(() => {
          door?.left(connection, true);
          resolve();
        });
        release('the link is being closed');
      });
    },
    cut() {
      door?.left(connection, false);
      finish('closed', 'the connection is gone');
    },
  };
}
