import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createLogRing, LOG_RING_BYTES } from '../../../agent/health/log-ring.js';
import { renderLogLine } from '../../../agent/health/render-logs.js';

const ALL = { linesMax: 100_000 };
const lineOf = (fields: object, message: string, { level = 30, time = Date.UTC(2026, 0, 15, 12) } = {}) =>
  `${JSON.stringify({ level, time, ...fields, msg: message })}\n`;

describe('the ring of log lines', () => {
  it('keeps what the logger writes', () => {
    const ring = createLogRing({ id: 'a' });
    const logger = pino({ level: 'debug', base: null }, ring);
    logger.debug({ tries: 2 }, 'tried');
    logger.info({ camera: 'cam-in' }, 'heard "Ž"\nand more');
    logger.warn({}, 'careful');
    logger.error({ err: new Error('no disk') }, 'failed');
    const lines = ring.lines(ALL);
    expect(lines.map(({ seq, level, message }) => [seq, level, message])).toEqual([
      [1, 'debug', 'tried'],
      [2, 'info', 'heard "Ž"\nand more'],
      [3, 'warn', 'careful'],
      [4, 'error', 'failed'],
    ]);
    expect(lines[1]?.fields).toEqual({ camera: 'cam-in' });
    expect(lines[3]?.fields).toMatchObject({ err: { message: 'no disk', stack: expect.any(String) } });
    expect(Math.abs(Date.parse(lines[0]?.time ?? '') - Date.now())).toBeLessThan(60_000);
  });

  it('chooses by level, time, number and count, the newest of them', () => {
    const ring = createLogRing({ id: 'a' });
    for (const [index, level] of [20, 30, 40, 50, 60, 30].entries())
      ring.write(lineOf({}, `line ${index + 1}`, { level, time: 1_000 * index }));
    const seqs = (choice: object) => ring.lines({ ...ALL, ...choice }).map(({ seq }) => seq);
    expect(seqs({ level: 'warn' })).toEqual([3, 4, 5]);
    expect(seqs({ level: 'error' })).toEqual([4, 5]);
    expect(seqs({ sinceMs: 3_000 })).toEqual([4, 5, 6]);
    expect(seqs({ afterSeq: 4 })).toEqual([5, 6]);
    expect(seqs({ linesMax: 2 })).toEqual([5, 6]);
    expect(seqs({ linesMax: 2, level: 'warn' })).toEqual([4, 5]);
    expect(seqs({ linesMax: 0 })).toEqual([]);
  });

  it('never takes more than its bytes, and keeps the newest lines, in order and without a gap', () => {
    const bytes = 4_096;
    const ring = createLogRing({ id: 'a', bytes });
    const before = process.memoryUsage().arrayBuffers;
    const written: number[] = [];
    for (let index = 1; index <= 5_000; index++) {
      const line = lineOf({ text: '字'.repeat(index % 50) }, `line ${index}`);
      written.push(Buffer.byteLength(line));
      ring.write(line);
    }
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1024 * 1024);
    const lines = ring.lines(ALL);
    expect(lines.at(-1)).toMatchObject({ seq: 5_000, message: 'line 5000' });
    expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, at) => 5_001 - lines.length + at));
    const kept = written.slice(-lines.length).reduce((sum, each) => sum + each, 0);
    expect(kept).toBeLessThanOrEqual(bytes);
    // At least half of it is used, but for the end of a half that a line did not fit into.
    expect(kept).toBeGreaterThan(bytes / 2 - 400);
    expect(LOG_RING_BYTES).toBeLessThanOrEqual(512 * 1024);
  });

  it('keeps a very long line without its fields', () => {
    const ring = createLogRing({ id: 'a' });
    ring.write(lineOf({ text: 'x'.repeat(100_000) }, 'long'));
    ring.write(lineOf({}, 'next'));
    expect(ring.lines(ALL)).toMatchObject([
      { seq: 1, message: 'long', fields: { left_out: expect.stringMatching(/^fields of 1000\d\d bytes$/) } },
      { seq: 2, message: 'next', fields: {} },
    ]);
  });
});

describe('a log line for people', () => {
  it('is one line of text, whatever is in it', () => {
    const line = {
      seq: 1,
      time: '2026-01-15T12:00:00.000Z',
      level: 'warn' as const,
      message: 'a plate\u001b[2J\nwas read',
      fields: {
        camera: 'cam-in',
        plate: 'ZG 1\u001b]0;x\u0007',
        err: { type: 'Error', message: 'no disk', stack: 'Error: no disk\n  at x' },
        size: { width: 1 },
      },
    };
    expect(renderLogLine(line)).toBe(
      '2026-01-15T12:00:00.000Z WARN  a plate?[2J was read camera=cam-in plate="ZG 1\\u001b]0;x\\u0007" err="no disk" size={"width":1}',
    );
  });
});
