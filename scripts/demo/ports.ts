import { createServer } from 'node:net';
import { errorText } from '../../shared/error-text.js';

/** An address that the demo will listen on, with the program that needs it and how to choose another. */
export interface WantedPort {
  host: string;
  port: number;
  who: string;
  /** The setting to change when the port is in use. */
  change: string;
}

/** One line for each wanted port that something else already uses. */
export async function busyPorts(wanted: readonly WantedPort[]): Promise<string[]> {
  const results = await Promise.all(
    wanted.map(async (entry) => ({ entry, code: await tryListen(entry.host, entry.port) })),
  );
  return results.flatMap(({ entry, code }) =>
    code === null ? [] : [`port ${entry.port} on ${entry.host} (${entry.who}): ${explain(code)}; ${entry.change}`],
  );
}

function explain(code: string): string {
  return code === 'EADDRINUSE' ? 'already in use' : `cannot be used (${code})`;
}

function tryListen(host: string, port: number): Promise<string | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? errorText(error)));
    server.listen({ host, port }, () => server.close(() => resolve(null)));
  });
}
