import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { showOnScreen } from '../../../agent/commissioning/device-screen.js';
import { keepingLogger } from '../radio/bench.js';

describe('the screen of a device', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'device-screen-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('shows the device code while it belongs to no cloud, and nothing then', () => {
    const path = join(folder, 'screen.issue');
    const log = keepingLogger();
    showOnScreen(path, { deviceCode: 'K7M2-PQ85' }, log);
    expect(readFileSync(path, 'utf8')).toContain(': K7M2-PQ85\n');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    showOnScreen(path, { deviceCode: null }, log);
    expect(readFileSync(path, 'utf8')).toBe('');
    expect(log.messages).toEqual([]);
  });

  it('keeps no gateway from starting when it cannot be written to', () => {
    const log = keepingLogger();
    showOnScreen(join(folder, 'missing', 'screen.issue'), { deviceCode: 'K7M2-PQ85' }, log);
    expect(log.messages).toEqual(['the device code cannot be shown on the screen']);
    showOnScreen(null, { deviceCode: 'K7M2-PQ85' }, log);
    expect(log.messages).toHaveLength(1);
  });
});
