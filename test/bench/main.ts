/** `npm run bench [-- NAME ...]`: the figures, as ratios against a reference in the same run. */
import { benchAgentMemory } from './agent-memory.js';
import { benchFanOut } from './fan-out.js';
import { benchPlateToCommand } from './plate-to-command.js';
import { benchReplayMemory } from './replay-memory.js';
import { benchRest } from './rest.js';
import { benchSessions } from './sessions.js';
import { benchStartTime } from './start-time.js';
import { benchStateCommand } from './state-command.js';

const BENCHMARKS: Record<string, () => Promise<void>> = {
  'plate-to-command': benchPlateToCommand,
  'state-command': benchStateCommand,
  'agent-memory': benchAgentMemory,
  rest: benchRest,
  sessions: benchSessions,
  'start-time': benchStartTime,
  'fan-out': benchFanOut,
  'replay-memory': benchReplayMemory,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`bench: no benchmark named ${unknown.join(', ')}; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`# ${name}`);
  await run();
}
process.exit(0);
