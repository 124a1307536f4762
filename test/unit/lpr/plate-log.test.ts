import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { plateWorld } from './plate-world.js';

/** Everything a real logger of a level writes. */
function logAt(level: 'info' | 'debug') {
  const lines: string[] = [];
  return { lines, logger: pino({ level }, { write: (line: string) => void lines.push(line) }) };
}

/** A read that begins a session, its refinement, its end, a denied one, a store that refuses, and an item nobody can read. */
async function logged(level: 'info' | 'debug'): Promise<string> {
  const { lines, logger } = logAt(level);
  const plates = { ZG7777XX: { zone_ids: 'all' } };
  const world = plateWorld({ logger, plates });
  const event = { vendor_event_id: 'event' };
  await world.reads.handle('cam-in', world.read('ZG1234AB', event));
  await world.reads.handle('cam-in', world.read('ZG1234A8', { ...event, confidence: 0.99 }));
  await world.reads.handle('cam-out', world.read('ZG1234A8'));
  await world.reads.handle('cam-out', world.read('DU777AA'));
  world.store.refuses = true;
  await world.reads.handle('cam-in', world.read('RI555BB'));
  await world.reads.close();
  return lines.join('');
}

const PLATES = ['ZG7777XX', 'ZG1234AB', 'ZG1234A8', 'DU777AA', 'RI555BB'];

describe('the log of a gateway', () => {
  it('names no plate at the level info', async () => {
    const text = await logged('info');
    for (const line of ['plate read', 'plate refined', 'a write was not stored', 'not understood']) {
      expect(text).toContain(line);
    }
    expect(PLATES.filter((plate) => text.includes(plate))).toEqual([]);
  });

  it('names them at the level debug, beside the uid of the reading', async () => {
    const text = await logged('debug');
    const [, ...read] = PLATES;
    expect(read.filter((plate) => !text.includes(plate))).toEqual([]);
  });
});
