import { once } from 'node:events';
import { type ClientOptions, WebSocket } from 'ws';
import { hearFrame } from '../../contract/realtime-contract.js';

export interface Frame {
  event: string;
  data: string;
  id?: string;
}

/** A real WebSocket client that keeps what it heard. */
export interface RealtimeClient {
  readonly socket: WebSocket;
  readonly frames: Frame[];
  /** Resolves as soon as the frames heard so far satisfy the condition; rejects when the connection ends before. */
  until(condition: (frames: readonly Frame[]) => boolean): Promise<void>;
  /** Resolves when the event of this gateway uuid was heard. */
  heard(uuid: string): Promise<void>;
  /** The gateway uuids of the events heard, in order. */
  uuids(): string[];
  /** The close code. */
  readonly closed: Promise<number>;
  close(): Promise<void>;
}

/** Connects; rejects with the HTTP answer when the upgrade is refused. */
export async function connectRealtime(
  base: string,
  options: { path?: string; subprotocols?: string[]; client?: ClientOptions } = {},
): Promise<RealtimeClient> {
  const url = `${base.replace('http', 'ws')}${options.path ?? '/v2/realtime'}`;
  const socket = new WebSocket(url, options.subprotocols ?? [], options.client ?? {});
  const frames: Frame[] = [];
  const waiting = new Set<() => void>();
  let code: number | undefined;
  /** A frame that is not what the service promises. */
  let broken: unknown;
  const wake = () => {
    for (const look of waiting) look();
  };
  socket.on('message', (data) => {
    try {
      hearFrame(data.toString());
    } catch (error) {
      broken = error;
      wake();
      throw error;
    }
    frames.push(JSON.parse(data.toString()) as Frame);
    wake();
  });
  const closed = new Promise<number>((resolve) => {
    socket.on('close', (given) => {
      code = given;
      resolve(given);
      wake();
    });
  });
  const refused = new Promise<never>((_, reject) => {
    socket.on('unexpected-response', (_request, response) => {
      response.setEncoding('utf8');
      let body = '';
      response.on('data', (text: string) => (body += text));
      response.on('end', () => reject(new UpgradeRefused(response.statusCode ?? 0, body)));
    });
  });
  socket.on('error', () => undefined);
  await Promise.race([once(socket, 'open'), refused]);
  const uuids = () =>
    frames
      .filter(({ event }) => event === 'gateway_status')
      .map(({ data }) => (JSON.parse(data) as { uuid: string }).uuid);
  const until = (condition: (heard: readonly Frame[]) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const look = () => {
        if (broken !== undefined) reject(broken);
        else if (condition(frames)) resolve();
        else if (code !== undefined) reject(new Error(`closed ${code} after ${frames.length} frames`));
        else return;
        waiting.delete(look);
      };
      waiting.add(look);
      look();
    });
  return {
    socket,
    frames,
    closed,
    uuids,
    until,
    heard: (uuid) => until(() => uuids().includes(uuid)),
    async close() {
      socket.close();
      await closed;
    },
  };
}

export class UpgradeRefused extends Error {
  constructor(
    readonly status: number,
    readonly body: string,
  ) {
    super(`upgrade refused: ${status}`);
  }
}
