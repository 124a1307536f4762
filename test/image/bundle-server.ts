/** Serves one file in parts, as RAUC's streaming asks for it, and counts what went over the wire. */
import { createReadStream, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';

export interface BundleServer {
  /** Bytes of the file that were sent so far. */
  sentBytes(): number;
  close(): void;
}

/** @param port of 127.0.0.1 */
export async function serveBundle(file: string, port: number): Promise<BundleServer> {
  const { size } = statSync(file);
  let sent = 0;
  const server = createServer((request, response) => {
    const [, from, to] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const first = Number(from ?? 0);
    const last = Math.min(to === undefined || to === '' ? size - 1 : Number(to), size - 1);
    const headers = { 'accept-ranges': 'bytes', 'content-length': String(last - first + 1) };
    if (from === undefined) response.writeHead(200, headers);
    else response.writeHead(206, { ...headers, 'content-range': `bytes ${first}-${last}/${size}` });
    if (request.method === 'HEAD') return void response.end();
    const stream = createReadStream(file, { start: first, end: last });
    stream.on('data', (chunk) => {
      sent += chunk.length;
    });
    stream.on('error', () => response.destroy());
    stream.pipe(response);
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    sentBytes: () => sent,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
