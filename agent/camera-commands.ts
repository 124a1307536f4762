/** `parking-agent cameras discover`, `setup`, `test`, `clock` and `map`. Each returns what to print. */
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { noteLines } from '../shared/node/program.js';
import { printableJson } from '../shared/node/printable.js';
import { renderTable, terminalWidth } from '../shared/node/text-table.js';
import { SettingsError } from '../shared/settings.js';
import { findErasure } from './commissioning/erasure-mark.js';
import type { AgentConfig } from './config.js';
import { renderCameraSetup, renderClock, renderProbed, renderTestedRead } from './health/render-cameras.js';
import { discoverCameras } from './lpr/discovery/discover-cameras.js';
import { mapLastQuarantined, renderMapped } from './lpr/map/map-quarantined.js';
import type { ClockReport } from './lpr/presence/camera-clocks.js';
import type { SetupReport } from './lpr/setup/camera-setups.js';
import type { CameraProbed, TestedRead } from './lpr/setup/camera-tests.js';
import { findNamed } from './access/find-named.js';
import { askStatus, orderGateway } from './console/local-client.js';
import { TEST_SECONDS_MAX } from './console/local-routes.js';

const DISCOVER_SECONDS_MAX = 60;
const SETUP_WITHIN_MS = 40_000;
const CLOCK_WITHIN_MS = 5_000;
/** Beyond what the gateway itself needs for the answer. */
const TEST_GRACE_MS = 15_000;

const jsonOf = (value: unknown): string => printableJson(value, 2);

/** @throws SettingsError when the option is not a number of seconds that is allowed */
function secondsOf(text: string, max: number): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= max) return seconds;
  throw new SettingsError([`--seconds: ${text}; allowed: more than 0, at most ${max}`]);
}

/** Lists the cameras that answer on the network. @throws SettingsError */
export async function findCameras(options: { seconds: string; json?: boolean }): Promise<string> {
  const seconds = secondsOf(options.seconds, DISCOVER_SECONDS_MAX);
  const found = await discoverCameras({ forMs: seconds * 1_000, newUuid: randomUUID });
  if (options.json) return jsonOf(found);
  const head = ['address', 'vendor', 'model', 'serial number', 'found by', 'note'];
  const rows = found.map(({ address, vendor, model, serial, by, notes }) => [
    address,
    vendor,
    model,
    serial,
    by,
    notes,
  ]);
  return renderTable(head, rows, terminalWidth()).join('\n');
}

/**
 * Says which settings of a camera would be changed, changes them, or writes back the earlier ones.
 * @throws Error that names the camera
 */
export async function setUpCamera(
  config: AgentConfig,
  name: string,
  { yes, undo, ntp, json }: { yes?: boolean; undo?: boolean; ntp?: string; json?: boolean },
): Promise<string> {
  const mode = undo === true ? 'undo' : yes === true ? 'apply' : 'plan';
  const order = { path: '/camera-setup', body: { name, mode, time_server: ntp }, withinMs: SETUP_WITHIN_MS };
  const report = await orderGateway<SetupReport>(config, order, name);
  return json ? jsonOf(report) : renderCameraSetup(name, report).join('\n');
}

/** Asks a camera whether it is there, and waits for its next read. @throws Error that names the camera; SettingsError */
export async function testCamera(
  config: AgentConfig,
  name: string,
  options: { seconds: string; picture?: string; json?: boolean },
): Promise<string> {
  const seconds = secondsOf(options.seconds, TEST_SECONDS_MAX);
  const ask = <Answer extends object>(step: object, withinMs: number): Promise<Answer> =>
    orderGateway(config, { path: '/camera-test', body: { name, ...step }, withinMs: withinMs + TEST_GRACE_MS }, name);
  const probe = await ask<CameraProbed>({ step: 'probe' }, 0);
  // Everything but the result goes to standard error, so that `--json` remains JSON.
  noteLines(`${renderProbed(probe)}\nwaiting up to ${seconds} s for a vehicle`);
  const read = await ask<TestedRead>({ step: 'read', seconds }, seconds * 1_000);
  const { full } = read.pictures;
  if (options.picture !== undefined) {
    if (full === null) throw new Error(`${name}: the read came without a picture`);
    await writeFile(options.picture, Buffer.from(full.base64, 'base64'));
  }
  if (options.json !== true) return renderTestedRead(read, terminalWidth());
  return printableJson({ probe, read }, 2, (key, value) => (key === 'base64' ? undefined : value));
}

/** Finds out anew how wrong the clock of a camera is. @throws Error that names the camera */
export async function measureClock(
  config: AgentConfig,
  name: string,
  { wasLive, json }: { wasLive?: boolean; json?: boolean },
): Promise<string> {
  const body = { name, was_live: wasLive === true };
  const report = await orderGateway<ClockReport>(
    config,
    { path: '/camera-clock', body, withinMs: CLOCK_WITHIN_MS },
    name,
  );
  return json === true ? jsonOf(report) : renderClock(name, report);
}

/** Proposes a mapping from the last push of a camera that could not be read. */
export async function mapCamera(
  config: AgentConfig,
  name: string,
  { timezone, json }: { timezone?: string; json?: boolean },
): Promise<string> {
  if (findErasure(config.identityFile) !== null)
    throw new Error('this device is being erased: nothing is read from it');
  // A push that was put aside can be read without a gateway; then only the device id is known.
  const cameras = await askStatus(config).then(
    (status) => status.cameras,
    () => [],
  );
  const deviceId = cameras.length === 0 ? name : findNamed(cameras, name, 'camera').device_id;
  const mapped = await mapLastQuarantined(config.quarantineDir, { deviceId, timezone });
  return json ? jsonOf({ mapping: mapped.mapping }) : renderMapped(mapped);
}
