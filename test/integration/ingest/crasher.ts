/** A cloud that dies at the worst moment. Arguments: data directory, site as JSON, where to die. Prints its MQTT port. */
import type { LinkSite } from '../gateway/link-site.js';
import { createLinkWorld } from '../gateway/link-world.js';

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
}

const [directory = '', site = '', where] = process.argv.slice(2);
const { broker } = await createLinkWorld({
  existing: { directory, site: JSON.parse(site) as LinkSite },
  // Asked for in the middle of the transaction.
  ...(where === 'before commit' ? { generatePublicId: die } : {}),
  onCommitted({ written }) {
    // The records are committed, the acknowledgement is not sent.
    if (where === 'after commit' && written !== 'any' && written.has('plate_readings')) die();
  },
});
process.stdout.write(`${broker.port}\n`);
