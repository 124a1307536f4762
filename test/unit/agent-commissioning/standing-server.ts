/** A cloud that answers questions of devices as the test says, over real HTTP. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** @param answer the data of a success; a text is sent as it is */
export async function serveHttp(answer: (asked: unknown) => object | string) {
  let count = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      count += 1;
      const data = answer(JSON.parse(Buffer.concat(chunks).toString()));
      response.end(typeof data === 'string' ? data : JSON.stringify({ success: true, data }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
