/**
 * Plans how a Zhenshi camera is set up over its web page: where it pushes plates with both pictures, that it keeps and repeats plates that
 * were not accepted, and its clock. Host and paths are in base64 in its JSON.
 */
import type { PlanCameraSetup, SendSetup, SetupRequest } from '../camera.js';
import { parseJson } from '../formats/document-parser.js';
import { textAt, valueAt } from '../formats/path-parser.js';
import { byHand, change, type FoundSetting, planOf, RIGHT } from '../setup/decide-setting.js';
import { readSetting, sendSetup } from '../setup/setup-requests.js';
import { decideTime, SYSTEM } from './zhenshi-clock.js';
import type { ZhenshiPage } from './zhenshi-page.js';

const READ = `/vb.htm?gethttpconfigall=${encodeURIComponent('{"type":"get_http_cfg"}')}`;
const TIME = '/vb.htm?getdate=&gettime=';
const HEARTBEAT = 1;

export function createZhenshiSetup(page: ZhenshiPage): { planSetup: PlanCameraSetup; sendSetup: SendSetup } {
  return {
    async planSetup(camera, { pushUrl, now_ms, timeServer }, signal) {
      const read = (path: string) => readSetting(page, camera, { path, signal });
      const bodyOf = async (type: string) => {
        const request = { method: 'POST' as const, path: SYSTEM, body: JSON.stringify({ type }), signal };
        return valueAt(parseJson(await readSetting(page, camera, request)), 'body');
      };
      // One request after the other, so that a camera with a wrong account is asked once.
      const config = await read(READ);
      const time = {
        text: await read(TIME),
        zone: await bodyOf('get_timezone'),
        summer: await bodyOf('get_DST'),
        server: await bodyOf('ss_get_ntp_cfg'),
      };
      const plan = planOf([
        decidePush(valueAt(parseJson(config.replace(/^\s*OK\s*=?\s*/, '')), 'body'), pushUrl),
        ...decideTime(time, { now_ms, timezone: camera.timezone, timeServer }),
      ]);
      return { ...plan, ...(time.server === undefined ? {} : { namesTimeServer: true }) };
    },
    sendSetup: (camera, request, signal) => sendSetup(page, camera, request, signal),
  };
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {};

function decidePush(found: unknown, pushUrl: URL): FoundSetting {
  const hand = `point its push of plates (advanced network, HTTP) at ${pushUrl.href.replace(/[^/]+$/, 'KEY')}, with both pictures and retransmission`;
  if (typeof found !== 'object' || found === null) return byHand(`${hand}: its page does not say how it is set`);
  const uri = textAt(found, ['cs_alarm_plate.uri']);
  const isPushing = textAt(found, ['cs_alarm_plate.enable']) === '1';
  const own = uri === base64(pushUrl.pathname);
  // The camera has only one server: if somebody else uses it, it is not taken.
  if (isPushing && !own) return byHand(`${hand}: it pushes to another server now`);
  const wanted = {
    ...found,
    centerserver: {
      ...asObject(valueAt(found, 'centerserver')),
      hostname: base64(pushUrl.hostname),
      port: Number(pushUrl.port || 80),
      enable_ssl: 0,
    },
    cs_alarm_plate: {
      ...asObject(valueAt(found, 'cs_alarm_plate')),
      enable: 1,
      uri: base64(pushUrl.pathname),
      big_img: 1,
      small_img: 1,
      retransmission: 1,
    },
    cs_dev_reg: { ...asObject(valueAt(found, 'cs_dev_reg')), enable: HEARTBEAT, uri: base64(pushUrl.pathname) },
  };
  if (JSON.stringify(wanted) === JSON.stringify(found)) return RIGHT;
  const before = {
    ...found,
    // If retransmission were switched off, the camera would erase the plates that it keeps.
    cs_alarm_plate: { ...asObject(valueAt(found, 'cs_alarm_plate')), retransmission: 1 },
  };
  return change({
    name: 'http_cfg',
    what: `push of plates: from ${own ? 'an older address of this gateway' : 'nowhere'} to ${pushUrl.host}; an undo leaves retransmission on, because off erases what it holds`,
    apply: write(wanted),
    undo: write(before),
  });
}

function write(body: unknown): SetupRequest {
  const path = `/vb.htm?sethttpconfigall=${encodeURIComponent(JSON.stringify({ type: 'set_http_cfg', body }))}`;
  return { method: 'GET', path, contentType: '', body: '', expects: '"state"\\s*:\\s*200\\b' };
}
