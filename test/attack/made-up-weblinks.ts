/** Questions about weblinks that do not exist, and wrong tokens for one that does. */
import { Agent, request } from 'node:http';

/** @param options.id of a link that there is; left out: another made-up id each time. @returns how often each status was answered; 0: no answer */
export async function askMadeUpWeblinks(
  base: string,
  options: { count: number; id?: string; from?: string },
): Promise<Record<number, number>> {
  const { count, id, from } = options;
  const counts: Record<number, number> = {};
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  const ask = (number: number) =>
    new Promise<number>((resolve) => {
      const path = `/v2/weblinks/${id ?? `made-up-weblink-${number}`}/operation`;
      const body = JSON.stringify({ token: `made-up-token-${number}`, operation: 'open' });
      const headers = {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(body)),
        ...(from === undefined ? {} : { 'x-forwarded-for': from }),
      };
      const sent = request(new URL(path, base), { method: 'POST', agent, headers });
      sent.once('response', (response) => {
        response.resume();
        response.once('close', () => resolve(response.statusCode ?? 0));
      });
      sent.once('error', () => resolve(0));
      sent.end(body);
    });
  for (const status of await Promise.all(Array.from({ length: count }, (_, number) => ask(number)))) {
    counts[status] = (counts[status] ?? 0) + 1;
  }
  agent.destroy();
  return counts;
}
