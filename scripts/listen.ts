/** `npm run listen`: prints the realtime stream, one line per event. Address and token: `-- URL TOKEN`, or the demo's. */
import { WebSocket } from 'ws';

const [url = 'ws://127.0.0.1:8080/v2/realtime', token = 'demo-integration-token-0123456789abcdef'] =
  process.argv.slice(2);
const socket = new WebSocket(url, { headers: { authorization: `Bearer ${token}` } });

socket.on('message', (text) => {
  const frame = JSON.parse(String(text)) as { event: string; data: string; id?: string };
  console.log([new Date().toISOString(), frame.event.padEnd(20), frame.id ?? '-', frame.data].join('  '));
});
socket.on('unexpected-response', (_request, response) => {
  console.error(`listen: ${url} answered ${response.statusCode}; is the token right?`);
  process.exitCode = 1;
  socket.terminate();
});
socket.on('error', (error) => {
  console.error(`listen: ${url}: ${error.message}`);
  process.exitCode = 1;
});
socket.on('close', (code, reason) =>
  console.error(`listen: closed (${code}${reason.length > 0 ? ` ${String(reason)}` : ''})`),
);
