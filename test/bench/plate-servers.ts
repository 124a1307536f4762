/** The processes of the benchmarks of plate reads, and how they are asked. */
import { fork } from 'node:child_process';
import { Agent, request } from 'node:http';

let keepAlive = new Agent({ keepAlive: true, maxSockets: 1 });

/** Closes the connections, and lets `connections` be open at a time from now on. */
export function endConnections(connections = 1): void {
  keepAlive.destroy();
  keepAlive = new Agent({ keepAlive: true, maxSockets: connections });
}

export const milliseconds = (ns: bigint): number => Number(ns) / 1e6;

export interface Server {
  pid: number;
  port: number;
  /** The moment at which the next command is issued, in nanoseconds of the machine's monotonic clock. */
  nextIssued(): Promise<bigint>;
  end(): void;
}

/** Starts a program of the benchmarks as a process. @param options.core the only processor core that it and its children may use */
export function startServer(file: string, options: { args?: string[]; core?: number } = {}): Promise<Server> {
  const { args = [], core } = options;
  const flags = ['--max-old-space-size=256'];
  const program =
    core === undefined ? {} : { execPath: 'taskset', execArgv: ['-c', String(core), process.execPath, ...flags] };
  const child = fork(new URL(file, import.meta.url), args, { execArgv: flags, ...program });
  let onIssued: (issuedNs: bigint) => void = () => {};
  return new Promise((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)));
    child.on('message', (message: { port?: number; issuedNs?: string }) => {
      if (message.issuedNs !== undefined) onIssued(BigInt(message.issuedNs));
      if (message.port === undefined) return;
      resolve({
        pid: child.pid ?? 0,
        port: message.port,
        nextIssued: () => new Promise((resolveIssued) => (onIssued = resolveIssued)),
        end: () => child.disconnect(),
      });
    });
  });
}

/** Sends a request; answers its status. */
export function send(options: {
  port: number;
  method: string;
  path: string;
  body?: Buffer;
  contentType?: string;
}): Promise<number> {
  const { port, method, path, body, contentType } = options;
  return new Promise((resolve, reject) => {
    const headers = body === undefined ? {} : { 'content-type': contentType ?? '', 'content-length': body.length };
    const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent: keepAlive }, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode ?? 0));
    });
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}
