/**
 * Plans how an Axis camera with License Plate Verifier is set up: a free slot of its push, and its clock by the time API. The event buffer
 * of the slot is switched off, because it would send old reads as if they were new.
 */
import type { CameraItem } from '../../../shared/gateway-config.js';
import type { CameraDriver, PlanCameraSetup, SetupRequest } from '../camera.js';
import { parseCameraTime } from '../formats/camera-time-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { childOf, textOf, withText, type XmlElement, xmlRoot } from '../formats/xml-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { byHand, change, decideClock, type FoundSetting, planOf, RIGHT } from '../setup/decide-setting.js';
import { readSetting } from '../setup/setup-requests.js';

const SLOTS = ['cloud', 'cloud2', 'cloud3'].map((name) => `/local/fflprapp/${name}.cgi`);
const TIME = '/axis-cgi/time.cgi';
const NTP = '/axis-cgi/ntp.cgi';
const API = { apiVersion: '1.0' };

interface Slot {
  path: string;
  xml: string;
  root: XmlElement;
}

async function callApi(
  client: CameraClient,
  { camera, path, method }: { camera: CameraItem; path: string; method: string },
  signal: AbortSignal,
): Promise<unknown> {
  const request = { path, method: 'POST' as const, body: JSON.stringify({ ...API, method }), signal };
  return parseJson(await readSetting(client, camera, request));
}

const clockMs = (clock: unknown): number | null =>
  parseCameraTime(textAt(clock, ['data.dateTime']), 'UTC')?.epoch_ms ?? null;

export function createAxisClock(client: CameraClient): NonNullable<CameraDriver['readClock']> {
  return async (camera, signal) =>
    clockMs(await callApi(client, { camera, path: TIME, method: 'getDateTimeInfo' }, signal));
}

export function createAxisSetup(client: CameraClient): PlanCameraSetup {
  return async (camera, { pushUrl, now_ms, timeServer }, signal) => {
    const call = (path: string, method: string) => callApi(client, { camera, path, method }, signal);
    const slots: Slot[] = [];
    for (const path of SLOTS) {
      const xml = await readSetting(client, camera, { path, signal });
      const root = xmlRoot(xml);
      if (root !== undefined) slots.push({ path, xml, root });
    }
    const clock = await call(TIME, 'getDateTimeInfo');
    const ntp = valueAt(await call(NTP, 'getNTPInfo'), 'data.client');
    const followsServer = valueAt(ntp, 'enabled') === true;
    const plan = planOf([
      decideSlot(slots, pushUrl),
      decideZone(textAt(clock, ['data.timeZone']), camera.timezone),
      decideClock({ camera_ms: clockMs(clock), now_ms, followsServer }, (now) =>
        setting(TIME, 'setDateTime', { dateTime: new Date(now).toISOString().replace(/\.\d+/, '') }),
      ),
      timeServer === null ? RIGHT : decideTimeServer(ntp, timeServer),
    ]);
    return { ...plan, namesTimeServer: true };
  };
}

const setting = (path: string, method: string, params: unknown): SetupRequest => ({
  method: 'POST',
  path,
  contentType: 'application/json',
  body: JSON.stringify({ ...API, method, params }),
  expects: '^(?![\\s\\S]*"error")',
});

/**
 * A time that the camera writes without a zone is wall time in the camera's own zone.
 * @param present empty when the zone is set by a rule instead of a name
 */
function decideZone(present: string, wanted: string): FoundSetting {
  if (present === wanted) return RIGHT;
  if (present === '') return byHand(`set its time zone to ${wanted}: it does not say which one it has`);
  return change({
    name: 'timeZone',
    what: `time zone: from ${present} to ${wanted}`,
    apply: setting(TIME, 'setTimeZone', { timeZone: wanted }),
    undo: setting(TIME, 'setTimeZone', { timeZone: present }),
  });
}

function decideTimeServer(client: unknown, host: string): FoundSetting {
  const enabled = valueAt(client, 'enabled');
  if (typeof enabled !== 'boolean')
    return byHand(`name ${host} as its time server on its web page: it does not offer the NTP API`);
  const serversSource = textAt(client, ['serversSource']) || 'DHCP';
  const listed = valueAt(client, 'staticServers');
  const staticServers: unknown[] = Array.isArray(listed) ? listed : [];
  if (enabled && serversSource === 'static' && staticServers[0] === host) return RIGHT;
  const configure = (params: unknown) => setting(NTP, 'setNTPClientConfiguration', params);
  const was = !enabled ? 'none' : serversSource === 'static' ? staticServers.join(', ') : serversSource;
  return change({
    name: 'NTP',
    what: `time server: from ${was} to ${host}`,
    apply: configure({ enabled: true, serversSource: 'static', staticServers: [host] }),
    undo: configure({ enabled, serversSource, staticServers }),
  });
}

const urlOf = ({ root }: Slot): string =>
  Buffer.from(textOf(childOf(root, 'url')), 'base64')
    .toString('utf8')
    .trim();

const pathOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).pathname : null);

/** A slot that somebody else uses is never taken. */
function decideSlot(slots: readonly Slot[], pushUrl: URL): FoundSetting {
  const hand = `point its push (License Plate Verifier, integration) at ${pushUrl.href.replace(/[^/]+$/, 'KEY')}, as multipart, with the events new and update, and without the event buffer`;
  if (slots.length === 0) return byHand(`${hand}: it does not say how it is set`);
  // The path holds the camera's name and key, so that the gateway finds its slot again after its own address changed.
  const own = slots.find((slot) => pathOf(urlOf(slot)) === pushUrl.pathname);
  const slot = own ?? slots.find((each) => urlOf(each) === '');
  if (slot === undefined) return byHand(`${hand}: others use all its slots`);
  const wanted = {
    url: Buffer.from(pushUrl.href).toString('base64'),
    protocol: '1',
    event_new: '1',
    event_update: '1',
    event_lost: '0',
    use_multipart: '1',
    use_event_buffer: '0',
  };
  if (Object.entries(wanted).every(([name, value]) => textOf(childOf(slot.root, name)) === value)) return RIGHT;
  const after = Object.entries(wanted).reduce((xml, [name, value]) => withText(xml, name, value), slot.xml);
  const write = (body: string): SetupRequest => ({
    method: 'POST',
    path: slot.path,
    contentType: 'application/xml',
    body,
  });
  const isMoved = own !== undefined && urlOf(own) !== pushUrl.href;
  const from =
    own === undefined
      ? 'empty'
      : isMoved
        ? `another address (${new URL(urlOf(own)).host})`
        : 'other events, or with the event buffer';
  return change({
    what: `push slot ${SLOTS.indexOf(slot.path) + 1}: from ${from} to ${pushUrl.host}, without the event buffer`,
    apply: write(after),
    undo: write(slot.xml),
  });
}
