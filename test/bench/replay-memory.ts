/**
 * How much memory of the cloud a replay of 100,000 events takes, beside the size of what is replayed: to a client that reads as fast
 * as it can, and to one that pauses now and then.
 */
import { WebSocket } from 'ws';
import { amount, median, printFigure, startChild } from './harness.js';

const REPLAYS = 3;
const MEGABYTE = 1024 * 1024;
const REST_EVERY_FRAMES = 5_000;
const REST_MS = 20;

interface Replayed {
  frames: number;
  bytes: number;
}

function replay(url: string, options: { events: number; rests: boolean }): Promise<Replayed> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(url);
    let frames = 0;
    let bytes = 0;
    socket.on('message', (data: Buffer) => {
      frames += 1;
      bytes += data.length;
      if (frames === options.events) {
        socket.terminate();
        resolve({ frames, bytes });
      } else if (options.rests && frames % REST_EVERY_FRAMES === 0) {
        socket.pause();
        setTimeout(() => socket.resume(), REST_MS);
      }
    });
    socket.on('error', reject);
    socket.on('close', (code) => reject(new Error(`the connection was closed (${code}) after ${frames} frames`)));
  });
}

/** Runs the benchmark. */
export async function benchReplayMemory(): Promise<void> {
  const server = await startChild<{ base: string; token: string; events: number }>('replay-server.js');
  const peakBytes = () => server.ask<number>('peak');
  try {
    const { base, token, events } = server.started;
    const url = `${base.replace('http', 'ws')}/v2/realtime?token=${token}&last_event_id=1`;
    // The greeting and all events but the first. The first replay also pays for memory that the cloud keeps from then on.
    await replay(url, { events, rests: false });
    for (const rests of [false, true]) {
      await peakBytes();
      const before = await peakBytes();
      const growths: number[] = [];
      let size = 0;
      for (let round = 0; round < REPLAYS; round++) {
        size = (await replay(url, { events, rests })).bytes;
        growths.push((await peakBytes()) - before);
      }
      printFigure(
        `memory a replay of ${events} events adds${rests ? ', client rests now and then' : ''}`,
        amount(median(growths) / MEGABYTE, '{} MB'),
        amount(size / MEGABYTE, '{} MB replayed'),
        0.5,
      );
    }
  } finally {
    await server.end();
  }
}
