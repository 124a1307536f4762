/** A cloud that dies at the worst moment. Arguments: data directory, site as JSON, where to die. Prints its MQTT port. */
import type { Ingest } from '../../../cloud/traffic/ingest/ingest.js';
import type { LinkSite } from '../gateway/link-site.js';
import { createLinkWorld } from '../gateway/link-world.js';

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('still alive');
}

/** The records are committed, the acknowledgement is not sent. */
const dyingAfterCommit = (ingest: Ingest): Ingest => ({
  ...ingest,
  async apply(uuid, payload) {
    await ingest.apply(uuid, payload);
    return die();
  },
});

const [directory = '', site = '', where] = process.argv.slice(2);
const { broker } = await createLinkWorld({
  existing: { directory, site: JSON.parse(site) as LinkSite },
  // Asked for in the middle of the transaction.
  ...(where === 'before commit' ? { generatePublicId: die } : {}),
  ...(where === 'after commit' ? { wrapIngest: dyingAfterCommit } : {}),
});
process.stdout.write(`${broker.port}\n`);
