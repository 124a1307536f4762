/** Resets that are killed at any moment: the old state, or an empty one that the next start finishes. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openIdentity } from '../../../agent/commissioning/identity.js';
import { longRuns } from '../../depth.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { startProgram } from '../../world/programs.js';

const KEPT = ['identity.json', 'camera-setup', 'quarantine', 'agent.db.damaged-2026'];
const SECRET = 'ZG1234AB';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'reset-kill-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

function claimedDevice(name: string): { directory: string; uuid: string } {
  const directory = join(root, name);
  const mqtt = { url: 'mqtt://127.0.0.1:1', username: crypto.randomUUID(), password: 'secret', ca: null };
  const { uuid } = openIdentity(join(directory, 'identity.json')).joined({ url: 'http://127.0.0.1:1', mqtt });
  for (const folder of ['quarantine', 'camera-setup']) {
    mkdirSync(join(directory, folder));
    for (let file = 0; file < 40; file += 1)
      writeFileSync(join(directory, folder, `${file}.json`), SECRET.repeat(4_000));
  }
  writeFileSync(join(directory, 'agent.db.damaged-2026'), SECRET.repeat(1_000_000));
  return { directory, uuid };
}

const reset = (directory: string, confirm: string) =>
  startProgram('agent/main.js', ['reset', '--yes', '--confirm', confirm], {
    AGENT_DATA_DIR: directory,
    AGENT_HTTP_PORT: '1',
  });

describe('a reset that is killed', () => {
  it('leaves the old state, or one that the next start empties', async () => {
    const whole = claimedDevice('whole');
    const copy = (name: string) => {
      const directory = join(root, name);
      cpSync(whole.directory, directory, { recursive: true });
      return directory;
    };
    const filesOf = (directory: string) => readdirSync(directory, { recursive: true }).length;
    const all = filesOf(whole.directory);
    const times = longRuns(8);
    const seen = { old: 0, begun: 0, done: 0 };
    for (let run = 0; run < times; run += 1) {
      const directory = copy(`run-${run}`);
      const program = reset(directory, whole.uuid);
      // Before anything happens, when it has begun, ever further on while the files become fewer, and when it has ended.
      const atMost = all + 1 - Math.floor((run / times) * all);
      let hasEnded = false;
      void program.ended.then(() => {
        hasEnded = true;
      });
      const isMarked = () => readdirSync(directory).some((name) => name.startsWith('erasing.json'));
      let wasMarked = false;
      const isDue = () => {
        wasMarked ||= isMarked();
        return wasMarked && run < times - 1 && filesOf(directory) <= atMost;
      };
      if (run > 0) await waitUntil('the moment to kill it', () => hasEnded || isDue());
      await program.end('SIGKILL');
      const names = readdirSync(directory);
      const isBegun = names.includes('erasing.json');
      const isOld = !isBegun && names.includes('quarantine');
      seen[isBegun ? 'begun' : isOld ? 'old' : 'done'] += 1;
      if (isOld) {
        expect(names).toEqual(expect.arrayContaining(KEPT));
        expect(openIdentity(join(directory, 'identity.json')).uuid).toBe(whole.uuid);
      } else {
        // A wrong name: nothing more is erased than was begun.
        await reset(directory, 'finishes what was begun').ended;
        expect(readdirSync(directory).filter((name) => name !== 'erasing.json.new')).toEqual(['identity.json']);
        expect(openIdentity(join(directory, 'identity.json')).uuid).not.toBe(whole.uuid);
        expect(readFileSync(join(directory, 'identity.json'), 'utf8')).not.toContain('mqtt');
      }
      rmSync(directory, { recursive: true });
    }
    process.stdout.write(`resets killed: ${JSON.stringify(seen)}\n`);
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(0);
  }, 300_000);
});
