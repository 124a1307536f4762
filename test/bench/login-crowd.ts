/** People who log in at the same moment, in their own process: the processor time they need does not delay the prober. */
import { Agent } from 'node:http';
import { PASSWORD } from '../integration/http/http-site.js';
import { askFor, serveParent } from './harness.js';

const agent = new Agent();
const body = JSON.stringify({ email: 'guard@harbour.example', password: PASSWORD });

serveParent('ready', {
  answer: ({ port, people }: { port: number; people: number }) =>
    Promise.all(
      Array.from({ length: people }, () => askFor(`http://127.0.0.1:${port}/v2/auth/login`, { agent, body })),
    ).then(() => 'all in'),
});
