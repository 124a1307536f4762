/** A receiver of webhooks: real HTTP, answers as told, keeps what came. */
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface WebhookReceiver {
  readonly port: number;
  readonly url: string;
  readonly received: Received[];
  /** What it answers from now on: a status, headers too, or nothing until `release`. */
  answer: number | { status: number; headers: Record<string, string> } | 'never';
  /** Requests that wait for their answer now, and the most that ever did. */
  readonly waiting: number;
  readonly waitingMost: number;
  /** Answers all that wait. */
  release(status: number): void;
  /** The gateway uuids of what came, in order. */
  uuids(): string[];
  close(): Promise<void>;
}

export async function startReceiver(answer: WebhookReceiver['answer'] = 204): Promise<WebhookReceiver> {
  const received: Received[] = [];
  const open = new Set<ServerResponse>();
  let waitingMost = 0;
  const receiver: { answer: WebhookReceiver['answer'] } = { answer };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      received.push({ path: request.url ?? '', headers: request.headers, body });
      if (receiver.answer === 'never') {
        open.add(response);
        waitingMost = Math.max(waitingMost, open.size);
        response.on('close', () => open.delete(response));
        return;
      }
      const { status, headers } =
        typeof receiver.answer === 'number' ? { status: receiver.answer, headers: {} } : receiver.answer;
      response.writeHead(status, headers).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `http://127.0.0.1:${port}/hook`,
    received,
    get answer() {
      return receiver.answer;
    },
    set answer(next) {
      receiver.answer = next;
    },
    get waiting() {
      return open.size;
    },
    get waitingMost() {
      return waitingMost;
    },
    release(status) {
      for (const response of open) response.writeHead(status).end();
    },
    uuids: () => received.map(({ body }) => (JSON.parse(body) as { data: { uuid: string } }).data.uuid),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
