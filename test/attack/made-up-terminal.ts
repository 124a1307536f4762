import type { ConnectPacket } from './mqtt-packets.js';
import { generateTerminalKey } from '../integration/terminal/terminal-device.js';
import { terminalClientId } from '../../shared/topics.js';

/** What a terminal would connect with that nobody has registered: a key of its own, and the signature that proves it. */
export function madeUpTerminal(): ConnectPacket {
  const key = generateTerminalKey();
  const clientId = terminalClientId(key.publicKey);
  return { clientId, username: clientId, password: key.sign(clientId) };
}
