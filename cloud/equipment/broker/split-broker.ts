/**
 * Gateways at an external broker, terminals at the embedded one: a terminal proves itself by a signature, which only the embedded broker
 * can check.
 */
import type { TerminalLink } from '../terminal/terminal-link.js';
import type { Broker } from './broker.js';

type EmbeddedBroker = Broker & { readonly port: number; readonly terminals: TerminalLink };

export function createSplitBroker({
  gateways,
  terminals,
}: {
  gateways: Broker;
  terminals: EmbeddedBroker;
}): EmbeddedBroker {
  return {
    ...gateways,
    port: terminals.port,
    terminals: terminals.terminals,
    get ready() {
      return gateways.ready && terminals.ready;
    },
    async close() {
      await gateways.close();
      await terminals.close();
    },
  };
}
