/**
 * Plans how a Dahua camera is set up over its CGI: `PictureHttpUpload` is told to push the events of vehicles to this gateway, and the
 * clock is set. The CGI does not offer the settings of ITSAPI.
 */
import type { CameraDriver, PlanCameraSetup, SetupRequest } from '../camera.js';
import { parseCameraTime, wallIsoAt } from '../formats/camera-time-parser.js';
import type { CameraClient } from '../network/camera-client.js';
import { byHand, change, decideClock, type FoundSetting, planOf, RIGHT } from '../setup/decide-setting.js';
import { readSetting } from '../setup/setup-requests.js';

const CONFIG = '/cgi-bin/configManager.cgi';
const CLOCK = '/cgi-bin/global.cgi';
const UPLOAD = 'PictureHttpUpload';
const SERVERS_MAX = 8;
const LINES_MAX = 2_000;

type Table = ReadonlyMap<string, string>;

/** The CGI says its time as wall time in the camera's zone, as its pushes do. */
export function createDahuaClock(client: CameraClient): NonNullable<CameraDriver['readClock']> {
  return async (camera, signal) => {
    const answer = await readSetting(client, camera, { path: `${CLOCK}?action=getCurrentTime`, signal });
    const [, wall = ''] = /result=([^\r\n]{1,40})/.exec(answer) ?? [];
    return parseCameraTime(wall, camera.timezone)?.epoch_ms ?? null;
  };
}

export function createDahuaSetup(client: CameraClient): PlanCameraSetup {
  const readClock = createDahuaClock(client);
  return async (camera, { pushUrl, now_ms, timeServer }, signal) => {
    const read = (path: string) => readSetting(client, camera, { path, signal });
    const tableOf = async (name: string) => parseTable(await read(`${CONFIG}?action=getConfig&name=${name}`));
    // One request after the other, so that a camera with a wrong account is asked once.
    const upload = await tableOf(UPLOAD);
    const ntp = await tableOf('NTP');
    const camera_ms = await readClock(camera, signal);
    const plan = planOf([
      decideUpload(upload, pushUrl),
      decideClock(
        {
          camera_ms,
          now_ms,
          followsServer: ntp.get('NTP.Enable') === 'true',
        },
        (now) =>
          get(
            `${CLOCK}?action=setCurrentTime&time=${encodeURIComponent(wallIsoAt(now, camera.timezone).replace('T', ' '))}`,
          ),
      ),
      timeServer === null ? RIGHT : decideTimeServer(ntp, timeServer),
    ]);
    return { ...plan, namesTimeServer: true };
  };
}

/** The CGI takes every request by GET, and answers OK when it is done. */
const get = (path: string): SetupRequest => ({ method: 'GET', path, contentType: '', body: '', expects: '^\\s*OK' });

/** Parses the lines `table.NTP.Enable=true`, without `table.`. */
export function parseTable(text: string): Table {
  const table = new Map<string, string>();
  for (const line of text.split('\n', LINES_MAX)) {
    const [, name, value = ''] = /^table\.([^=]{1,200})=(.*)$/.exec(line.trim()) ?? [];
    if (name !== undefined) table.set(name, value.trim());
  }
  return table;
}

export function decideUpload(table: Table, pushUrl: URL): FoundSetting {
  const wherever = `point its ITSAPI push (network, platform access) at ${pushUrl.href.replace(/[^/]+$/, 'KEY')} on its web page, or take its push_key away: then the gateway listens to it`;
  if (table.size === 0) return byHand(`${wherever}; it does not offer ${UPLOAD}`);
  const at = (index: number, name: string) => table.get(`${UPLOAD}.UploadServerList[${index}].${name}`) ?? '';
  const servers = Array.from({ length: SERVERS_MAX }, (_, index) => index).filter(
    (index) => index === 0 || table.has(`${UPLOAD}.UploadServerList[${index}].Address`),
  );
  const own = servers.find((index) => at(index, 'Uploadpath') === pushUrl.pathname);
  const index = own ?? servers.find((each) => ['', '0.0.0.0'].includes(at(each, 'Address')));
  if (index === undefined) return byHand(`${wherever}; others use every server of ${UPLOAD}`);
  const server = `${UPLOAD}.UploadServerList[${index}]`;
  const wanted = new Map([
    [`${UPLOAD}.Enable`, 'true'],
    [`${server}.Address`, pushUrl.hostname],
    [`${server}.Port`, pushUrl.port || '80'],
    [`${server}.HttpsEnable`, 'false'],
    [`${server}.Uploadpath`, pushUrl.pathname],
    [`${server}.EventType[0]`, 'TrafficJunction'],
  ]);
  if ([...wanted].every(([name, value]) => table.get(name) === value)) return RIGHT;
  const before = [...wanted.keys()].map((name): [string, string] => [name, table.get(name) ?? '']);
  return change({
    name: UPLOAD,
    what: `push of vehicles: from ${own === undefined ? 'nowhere' : 'an older address of this gateway'} to ${pushUrl.host}`,
    apply: setConfig(wanted),
    undo: setConfig(before),
  });
}

function decideTimeServer(table: Table, host: string): FoundSetting {
  const [enable, address] = ['NTP.Enable', 'NTP.Address'];
  if (!table.has(address)) return byHand(`name ${host} as its time server on its web page: it does not offer NTP`);
  if (table.get(enable) === 'true' && table.get(address) === host) return RIGHT;
  const before = [enable, address].map((name): [string, string] => [name, table.get(name) ?? '']);
  const was = table.get(enable) === 'true' ? (table.get(address) ?? '') : 'none';
  return change({
    name: 'NTP',
    what: `time server: from ${was} to ${host}`,
    apply: setConfig([
      [enable, 'true'],
      [address, host],
    ]),
    undo: setConfig(before),
  });
}

function setConfig(values: Iterable<[string, string]>): SetupRequest {
  const query = [...values].map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  return get(`${CONFIG}?action=setConfig&${query}`);
}
