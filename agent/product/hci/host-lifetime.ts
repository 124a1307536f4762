import type { EventEmitter } from 'node:events';

/** The HCI half of noble and of bleno, as far as ending it needs. */
export interface HostHci {
  pollIsDevUp(): void;
  _socket: { stop(): void };
}

const ENDING_EVENTS = ['SIGINT', 'exit'] as const;

/**
 * Starts noble or bleno and returns how to end it, for neither has an end of its own: both ask every second for the adapter's power
 * as long as the process lives (the last such timer runs out within a second of the end), and both put listeners on the process
 * of which one exits it. Throws what `init` throws.
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
