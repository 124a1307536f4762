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
    port: terminals.port,
    terminals: terminals.terminals,
    get ready() {
      return gateways.ready && terminals.ready;
    },
    passwordFor: gateways.passwordFor,
    hear: gateways.hear,
    leave: gateways.leave,
    hears: gateways.hears,
    onHearing: gateways.onHearing,
    onMessage: gateways.onMessage,
    publish: gateways.publish,
    disconnect: gateways.disconnect,
    async close() {
      await gateways.close();
      await terminals.close();
    },
  };
}
