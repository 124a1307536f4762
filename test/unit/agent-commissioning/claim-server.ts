/** A cloud that answers claims as the test says, over real HTTP. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Answer = { status: number; body: unknown; headers?: Record<string, string> } | 'hang' | 'break';

export interface ClaimServer {
  url: string;
  requests: {
    method: string | undefined;
    path: string | undefined;
    type: string | undefined;
    body: Record<string, string>;
  }[];
  /** Answers in their order; the last one stands for all that follow. */
  answers: Answer[];
  /** Resolves when so many requests have come. */
  asked(count: number): Promise<void>;
  close(): Promise<void>;
}

export async function startClaimServer(...answers: Answer[]): Promise<ClaimServer> {
  const requests: ClaimServer['requests'] = [];
  const waiting = new Set<() => void>();
  const server = createServer((request, response) => {
    void textOf(request).then((text) => {
      const { method, url: path, headers } = request;
      requests.push({ method, path, type: headers['content-type'], body: JSON.parse(text) });
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer !== undefined) give(response, answer);
      for (const look of waiting) look();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    asked: (count) =>
      new Promise((resolve) => {
        const look = () => {
          if (requests.length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function give(response: ServerResponse, answer: Answer): void {
  if (answer === 'hang') return;
  if (answer === 'break') {
    response.socket?.destroy();
    return;
  }
  response.writeHead(answer.status, answer.headers);
  response.end(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
