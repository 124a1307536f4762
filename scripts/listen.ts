/** `npm run listen`: prints the realtime stream, one line per event. Address and token: `-- URL TOKEN`, or the demo's. */
import '../shared/node/connection-attempts.js';
import { WebSocket } from 'ws';
import { createRealtimeClient, type RealtimeState } from '../shared/client/realtime-client.js';
import { wakefulClock } from '../shared/system-clock.js';

const [url = 'ws://127.0.0.1:8080/v2/realtime', token = 'demo-integration-token-0123456789abcdef'] =
  process.argv.slice(2);

function describe(state: RealtimeState): string | null {
  if (state.state === 'connecting') return null;
  if (state.state === 'live') return `connected to ${url}`;
  const reason = state.reason === '' ? `closed (${state.code})` : `${state.reason} (${state.code})`;
  if (state.state === 'ended') return `${url}: ${reason}; is the token right?`;
  return `${url}: ${reason}; trying again in ${(state.retryInMs / 1000).toFixed(1)} s`;
}

createRealtimeClient({
  url,
  token,
  WebSocket,
  clock: wakefulClock,
  random: Math.random,
  onEvent: ({ event, id, payload }) =>
    console.log([new Date().toISOString(), event.padEnd(20), id ?? '-', JSON.stringify(payload)].join('  ')),
  onResync: () => console.error('listen: events were missed that are not kept any more'),
  onState(state) {
    const line = describe(state);
    if (line !== null) console.error(`listen: ${line}`);
    if (state.state === 'ended') process.exitCode = 1;
  },
});
