/** `npm run bench [-- NAME ... [OPTION ...]]`: the figures, as ratios against a reference in the same run. */
import { benchAgentMemory } from './agent-memory.js';
import { benchCameraLoad } from './camera-load.js';
import { benchCloudRestart } from './cloud-restart.js';
import { benchConsole } from './console.js';
import { benchFanOut } from './fan-out.js';
import { benchFirstDecision } from './first-decision.js';
import { benchIngestHistory } from './ingest-history.js';
import { benchIngestPostgres } from './ingest-postgres.js';
import { benchLocalConsole } from './local-console.js';
import { benchLoraUplinks } from './lora-uplinks.js';
import { benchPlateToCommand } from './plate-to-command.js';
import { benchLotRelease, benchProductLinks, benchRadioScan } from './product-links.js';
import { benchReplayMemory } from './replay-memory.js';
import { benchReplayRules } from './replay-rules.js';
import { benchOtherProcess } from './other-process.js';
import { benchReconnectStorm } from './reconnect-storm.js';
import { benchRest } from './rest.js';
import { benchRestPostgres } from './rest-postgres.js';
import { benchSecondProcess } from './second-process.js';
import { benchSensorEvents } from './sensor-events.js';
import { benchSensorPolling } from './sensor-polling.js';
import { benchSessions } from './sessions.js';
import { benchStartTime } from './start-time.js';
import { benchStateCommand } from './state-command.js';
import { benchLocalConsoleGuesses } from './local-console-guesses.js';
import { benchUnderAttack } from './under-attack.js';

const BENCHMARKS: Record<string, (args: readonly string[]) => Promise<void>> = {
  'plate-to-command': benchPlateToCommand,
  'camera-load': benchCameraLoad,
  'state-command': benchStateCommand,
  'product-links': benchProductLinks,
  'lot-release': benchLotRelease,
  'radio-scan': benchRadioScan,
  'agent-memory': benchAgentMemory,
  rest: benchRest,
  sessions: benchSessions,
  'sensor-polling': benchSensorPolling,
  'sensor-events': benchSensorEvents,
  'lora-uplinks': benchLoraUplinks,
  'start-time': benchStartTime,
  'first-decision': benchFirstDecision,
  'cloud-restart': benchCloudRestart,
  console: benchConsole,
  'local-console': benchLocalConsole,
  'fan-out': benchFanOut,
  'replay-memory': benchReplayMemory,
  'replay-rules': benchReplayRules,
  'under-attack': benchUnderAttack,
  'local-console-guesses': benchLocalConsoleGuesses,
  'ingest-history': benchIngestHistory,
  'ingest-postgres': benchIngestPostgres,
  'rest-postgres': benchRestPostgres,
  'second-process': benchSecondProcess,
  'other-process': benchOtherProcess,
  'reconnect-storm': benchReconnectStorm,
};

/** What begins with dashes, and all that follows, is the benchmark's own. */
const given = process.argv.slice(2);
const firstOption = given.findIndex((word) => word.startsWith('--'));
const wanted = firstOption === -1 ? given : given.slice(0, firstOption);
const options = given.slice(wanted.length);
const named = `there are: ${Object.keys(BENCHMARKS).join(', ')}`;
if (options[0] === '--help') {
  console.log(`npm run bench [-- NAME ... [OPTION ...]]: all without a name; ${named}`);
  process.exit(0);
}
const unknown = wanted.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  console.error(`bench: no benchmark named ${unknown.join(', ')}; ${named}`);
  process.exit(2);
}
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.log(`# ${name}`);
  await run(options);
}
process.exit(0);
