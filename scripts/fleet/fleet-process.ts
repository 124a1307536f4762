/** A process that holds a share of the fleet, and carries out the orders of its parent. */
import '../../shared/node/connection-attempts.js';
import type { FleetNote, FleetOrder } from './fleet-messages.js';
import { createFleetPart } from './fleet-part.js';

const say = (note: FleetNote) => void process.send?.(note);
const part = createFleetPart(say);

async function obey(order: FleetOrder): Promise<void> {
  switch (order.kind) {
    case 'connect':
      return part.connect(order);
    case 'write':
      return part.write(order);
    case 'stop':
      return part.stop();
    case 'close':
      await part.close();
      process.disconnect();
  }
}

process.on('message', (order: FleetOrder) => {
  obey(order).catch((error: unknown) => say({ kind: 'problem', text: String(error) }));
});
// Ctrl-C reaches every process of a terminal; here the parent decides what follows.
process.on('SIGINT', () => {});
// The parent has ended.
process.on('disconnect', () => process.exit());
