/** People who log in at the same moment, in their own process: the processor time they need does not delay the prober. */
import { Agent } from 'node:http';
import { PASSWORD } from '../integration/http/http-site.js';
import { ask } from './ask-http.js';

const agent = new Agent();
const body = JSON.stringify({ email: 'guard@harbour.example', password: PASSWORD });

process.on('message', ({ port, people }: { port: number; people: number }) => {
  const target = { port, path: '/v2/auth/login' };
  void Promise.all(Array.from({ length: people }, () => ask({ agent, target, body }))).then(() =>
    process.send?.('all in'),
  );
});
process.once('disconnect', () => process.exit(0));
