/** Requests with bearer tokens that nobody has. */
import { Agent, request } from 'node:http';

/** Sends so many, a few at a time. @param options.from the address that a proxy names. @returns how often each status was answered; 0: no answer */
export async function sendMadeUpTokens(
  base: string,
  options: { count: number; path?: string; from?: string },
): Promise<Record<number, number>> {
  const { count, path = '/v2/lots', from } = options;
  const counts: Record<number, number> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const send = (number: number) =>
    new Promise<number>((resolve) => {
      const headers = {
        authorization: `Bearer made-up-${number}-0123456789abcdef`,
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      };
      const sent = request(new URL(path, base), { agent, headers });
      sent.once('response', (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
      sent.end();
    });
  for (const status of await Promise.all(Array.from({ length: count }, (_, number) => send(number)))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  agent.destroy();
  return counts;
}
