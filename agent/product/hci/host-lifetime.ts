import type { EventEmitter } from 'node:events';

/** The part of the HCI half of noble and bleno that is needed to end it. */
export interface HostHci {
  pollIsDevUp(): void;
  _socket: { stop(): void };
}

const ENDING_EVENTS = ['SIGINT', 'exit'] as const;

/**
 * Starts noble or bleno and returns how to end it, because neither can end by itself. Both ask every second for the adapter's power
 * as long as the process lives; the last such timer fires within a second after the end. Both also put listeners on the process, and
 * one of these exits it. Throws what `init` throws.
 */
export function startHost(hci: HostHci, init: () => void): () => void {
  let ended = false;
  const poll = hci.pollIsDevUp.bind(hci);
  hci.pollIsDevUp = () => {
    if (!ended) poll();
  };
  const { _socket: socket } = hci;
  const program: EventEmitter = process;
  const present = ENDING_EVENTS.map((event) => program.listeners(event));
  const end = () => {
    ended = true;
    socket.stop();
  };
  try {
    init();
  } catch (error) {
    end();
    throw error;
  } finally {
    for (const [index, event] of ENDING_EVENTS.entries()) {
      for (const listener of program.listeners(event)) {
        if (!present[index]?.includes(listener)) program.removeListener(event, listener as () => void);
      }
    }
  }
  return end;
}
