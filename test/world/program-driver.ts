/** Runs a world by the built programs, each a process with real sockets and an emulated radio. */
import { layCable } from '../../scripts/sim/double/cable.js';
import { sleep } from '../../shared/clock.js';
import { systemClock } from '../../shared/system-clock.js';
import { startProgram, type RunningProgram } from './programs.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import type { WorldDriver, WorldPart, WorldPlaces } from './world-driver.js';
import { childRadio } from './test-radios.js';

/** A busy machine may take long. */
const START_WITHIN_MS = 120_000;

export async function createProgramDriver(places: WorldPlaces): Promise<WorldDriver> {
  const { siteFile, radioPath, cloudUrl, controlUrl, gatewayUrls, agentEnv } = places;
  // Gateways are told the address of the cable.
  const cable = await layCable(Number(places.cloudEnv['MQTT_PORT']));
  const cloudEnv = {
    ...(places.cutsNetwork ? { MQTT_PUBLIC_URL: `mqtt://127.0.0.1:${cable.port}` } : {}),
    ...places.cloudEnv,
  };
  const [firstUrl = ''] = gatewayUrls.values();
  return {
    async apply() {
      const applied = startProgram('cloud/main.js', ['apply', siteFile], cloudEnv);
      const { code } = await applied.ended;
      if (code !== 0) throw new Error(`apply failed (${code}):\n${applied.output()}`);
    },
    carPark: partOf(`${controlUrl}/`, () =>
      startProgram(
        'scripts/sim/main.js',
        [
          '--site',
          siteFile,
          '--radio',
          radioPath,
          '--control',
          new URL(controlUrl).host,
          '--latency',
          String(places.radioLatencyMs),
          '--agent',
          firstUrl,
          ...[...gatewayUrls].slice(1).flatMap(([uuid, url]) => ['--agent', `${uuid}=${url}`]),
        ],
        {},
      ),
    ),
    cloud: partOf(`${cloudUrl}/readyz`, () => startProgram('cloud/main.js', ['serve'], cloudEnv)),
    gateway: ({ name, port, claimCode }) =>
      partOf(`http://127.0.0.1:${port}/status`, () =>
        startProgram('agent/main.js', ['run'], {
          AGENT_DATA_DIR: `${places.dataDir}/${name}`,
          AGENT_HTTP_PORT: String(port),
          BLE_HCI: `sim:${radioPath}`,
          CLOUD_URL: cloudUrl,
          CLAIM_CODE: claimCode,
          ...agentEnv,
        }),
      ),
    radioOf: (name) => childRadio({ kind: 'sim', path: radioPath, name }),
    network: { cut: cable.unplug, mend: cable.plugIn, slow: cable.slow },
    now: () => systemClock.now(),
    moveClock: (byMs) => sleep(systemClock, byMs),
    close: cable.close,
  };
}

/** @param url it answers there when it is up */
function partOf(url: string, run: () => RunningProgram): WorldPart {
  let program: RunningProgram | null = null;
  return {
    get pid() {
      return program?.pid ?? 0;
    },
    async start() {
      program = run();
      await untilAnswers(url, program);
    },
    async stop(signal) {
      await program?.end(signal);
      program = null;
    },
    output: () => program?.output() ?? '',
  };
}

function untilAnswers(url: string, program: RunningProgram): Promise<unknown> {
  let end: string | null = null;
  void program.ended.then(({ code, signal }) => {
    end = `${code ?? signal}`;
  });
  return waitUntil(
    `${url} to answer`,
    async () => {
      if (end !== null) throw new Error(`the program ended (${end}):\n${program.output()}`);
      return (await fetch(url)).ok;
    },
    START_WITHIN_MS,
  );
}
