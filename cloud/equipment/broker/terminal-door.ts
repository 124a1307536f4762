/**
 * Lets terminals in. The broker has no account of a terminal that is not registered yet. So the name of a terminal is its public key. The
 * terminal proves that it holds the private key, and reaches only its own two topics.
 */
import { parseTerminalClientId, terminalClientId, terminalDownTopic, terminalUpTopic } from '../../../shared/topics.js';
import type { TerminalLink } from '../terminal/terminal-link.js';
import { createTerminalListeners } from '../terminal/terminal-listeners.js';
import { isSignedByTerminal } from '../terminal/terminal-signature.js';

export interface TerminalDoorOptions {
  messageBytesMax: number;
  /** Sends directly to the connection with this client id; false: there is none. */
  send(clientId: string, message: { topic: string; payload: string }): Promise<boolean>;
}

export interface TerminalDoor {
  readonly link: TerminalLink;
  /** Returns the key in a client id; null: it is no terminal. */
  keyOf(clientId: string): string | null;
  /** Says why a connection is refused; null: it is not. The password is the key's signature over the client id. */
  problem(
    key: string,
    packet: { username: string | undefined; password: string; clean: boolean; hasWill: boolean },
  ): string | null;
  maySubscribe(key: string, filter: string): boolean;
  /** Handles a message. @returns why it is refused; null: it is accepted */
  hear(key: string, message: { topic: string; payload: Uint8Array; qos: number; retain: boolean }): string | null;
  cameOrWent(key: string, isConnected: boolean): void;
}

export function createTerminalDoor(options: TerminalDoorOptions): TerminalDoor {
  const { messageBytesMax } = options;
  const connected = new Set<string>();
  const listeners = createTerminalListeners();
  return {
    link: {
      isConnected: (key) => connected.has(key),
      connected: () => [...connected],
      publish: (key, payload) => options.send(terminalClientId(key), { topic: terminalDownTopic(key), payload }),
      onMessage: listeners.onMessage,
      onPresence: listeners.onPresence,
    },
    keyOf: parseTerminalClientId,
    problem(key, { username, password, clean, hasWill }) {
      const clientId = terminalClientId(key);
      if (!clean) return 'the session must be clean: nothing is kept for an absent terminal';
      if (hasWill) return 'a terminal has no last will';
      if (username !== clientId) return 'the user name is not the client id';
      if (!isSignedByTerminal(key, clientId, password)) return "the password is not the key's signature";
      return null;
    },
    maySubscribe: (key, filter) => filter === terminalDownTopic(key),
    hear(key, { topic, payload, qos, retain }) {
      if (topic !== terminalUpTopic(key)) return 'the topic is not of this terminal';
      if (qos > 1 || retain) return 'a terminal neither retains nor speaks QoS 2';
      if (payload.byteLength > messageBytesMax) return `larger than ${messageBytesMax} bytes`;
      const text = Buffer.from(payload).toString('utf8');
      listeners.notifyMessage({ public_key: key, payload: text });
      return null;
    },
    cameOrWent(key, isConnected) {
      if (isConnected) connected.add(key);
      else connected.delete(key);
      listeners.notifyPresence(key);
    },
  };
}
