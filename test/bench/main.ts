/** `npm run bench [-- NAME ... [OPTION ...]]`: the figures, as ratios against a reference in the same run. */
import { benchAgentMemory } from './agent-memory.js';
import { benchFanOut } from './fan-out.js';
import { benchIngestPostgres } from './ingest-postgres.js';
import { benchPlateToCommand } from './plate-to-command.js';
import { benchReplayMemory } from './replay-memory.js';
import { benchRest } from './rest.js';
import { benchRestPostgres } from './rest-postgres.js';
import { benchSessions } from './sessions.js';
import { benchStartTime } from './start-time.js';
import { benchStateCommand } from './state-command.js';
import { benchUnderAttack } from './under-attack.js';

const BENCHMARKS: Record<string, (args: readonly string[]) => Promise<void>> = {
  'plate-to-command': benchPlateToCommand,
  'state-command': benchStateCommand,
  'agent-memory': benchAgentMemory,
  rest: benchRest,
  sessions: benchSessions,
  'start-time': benchStartTime,
  'fan-out': benchFanOut,
  'replay-memory': benchReplayMemory,
  'under-attack': benchUnderAttack,
  'ingest-postgres': benchIngestPostgres,
  'rest-postgres': benchRestPostgres,
};

/** What begins with dashes, and all that follows, is the benchmark's own. */
const given = process.argv.slice(2);
const firstOption = given.findIndex((word) => word.startsWith('--'));
const wanted = firstOption === -1 ? given : given.slice(0, firstOption);
const options = given.slice(wanted.length);
const unknown = wanted.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`bench: no benchmark named ${unknown.join(', ')}; there are: ${Object.keys(BENCHMARKS).join(', ')}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`# ${name}`);
  await run(options);
}
process.exit(0);
