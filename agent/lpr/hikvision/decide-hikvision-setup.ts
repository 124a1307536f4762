/** Decides what has to be changed at a Hikvision camera, by its present settings. The old bodies are kept as they are, to be written back. */
import type { SetupRequest } from '../camera.js';
import { type CameraTime, isoOfWall, parseCameraTime, zoneOffsetMin } from '../formats/camera-time-parser.js';
import { childOf, textOf, withText, type XmlElement, xmlRoot } from '../formats/xml-parser.js';
import { byHand, change, decideClock, type FoundSetting, RIGHT } from '../setup/decide-setting.js';
import { hikvisionZone } from './hikvision-zone-codec.js';

export const HOSTS = '/ISAPI/Event/notification/httpHosts';
export const TRIGGER = '/ISAPI/Event/triggers/vehicledetection-1';
export const TIME = '/ISAPI/System/time';
export const TIME_SERVER = '/ISAPI/System/time/ntpServers/1';

/** An empty slot has an empty `url`; a slot that somebody else uses is never taken. */
export function decideHostChange(hosts: string | null, pushUrl: URL): FoundSetting {
  const path = pushUrl.pathname;
  const slots = (hosts === null ? [] : blocksOf(hosts, 'HttpHostNotification')).flatMap((block) => {
    const root = xmlRoot(block);
    return root === undefined
      ? []
      : [{ block, root, id: textOf(childOf(root, 'id')), url: textOf(childOf(root, 'url')) }];
  });
  const own = slots.find(({ url }) => url === path);
  const slot = own ?? slots.find(({ url, root }) => url === '' && isUnused(root));
  if (slot === undefined || !/^\d{1,3}$/.test(slot.id)) {
    const address = pushUrl.href.replace(/[^/]+$/, 'KEY');
    return byHand(`point its push (network, advanced, HTTP listening) at ${address}: no free slot was found`);
  }
  const wanted = {
    url: path,
    protocolType: 'HTTP',
    parameterFormatType: 'XML',
    addressingFormatType: 'ipaddress',
    ipAddress: pushUrl.hostname,
    portNo: pushUrl.port || '80',
    httpAuthenticationMethod: 'none',
  };
  if (has(slot.root, wanted)) return RIGHT;
  const from = own === undefined ? 'empty' : 'an older address of this gateway';
  return xmlChange(`push slot ${slot.id}: from ${from} to ${pushUrl.host}`, `${HOSTS}/${slot.id}`, {
    before: documentOf(slot.block),
    after: documentOf(withTexts(slot.block, wanted)),
  });
}

const isUnused = (root: XmlElement): boolean => ['', '0.0.0.0'].includes(textOf(childOf(root, 'ipAddress')));

/** The camera pushes plates only where the trigger has `center` among its methods. */
export function decideTriggerChange(trigger: string | null): FoundSetting {
  const step = 'switch on "notify surveillance centre" for plate recognition';
  if (trigger === null || xmlRoot(trigger) === undefined)
    return byHand(`${step}: the camera does not say whether it is`);
  const methods = blocksOf(trigger, 'notificationMethod').map((block) => textOf(xmlRoot(block)));
  if (methods.includes('center')) return RIGHT;
  const added =
    '<EventTriggerNotification><id>center</id><notificationMethod>center</notificationMethod><notificationRecurrence>beginning</notificationRecurrence></EventTriggerNotification>';
  const end = trigger.search(/<\/(?:\w+:)?EventTriggerNotificationList>/);
  if (end === -1) return byHand(step);
  const after = trigger.slice(0, end) + added + trigger.slice(end);
  return xmlChange('plate recognition: notifies the centre, which is this gateway', TRIGGER, {
    before: trigger,
    after,
  });
}

/** The time by the camera's clock; null: its answer holds none. @param zone the camera's, for a time without an offset */
export const clockOf = (time: string | null, zone: string): CameraTime | null =>
  parseCameraTime(textOf(childOf(time === null ? undefined : xmlRoot(time), 'localTime')), zone);

/**
 * A clock that follows a time server is not set. The zone becomes that of the camera's settings in this gateway, with the days of its
 * summer time.
 */
export function decideClockChange(
  time: string | null,
  { now_ms, zone }: { now_ms: number | null; zone: string },
): FoundSetting {
  const root = time === null ? undefined : xmlRoot(time);
  const local = textOf(childOf(root, 'localTime'));
  const known = clockOf(time, zone);
  const text = time ?? '';
  const offset_min = known?.offset_min ?? offsetAtWall(local, zone);
  if (known !== null && now_ms !== null && offset_min !== offsetAtWall(local, zone))
    return decideZone(text, { now_ms, zone, offset_min });
  const followsServer = textOf(childOf(root, 'timeMode')).toLowerCase() !== 'manual';
  return decideClock({ camera_ms: known?.epoch_ms ?? null, now_ms, followsServer }, (now) =>
    put(TIME, withText(text, 'localTime', isoAt(now, offset_min))),
  );
}

/**
 * Sets the server first, and then that the clock follows it. The undo holds no time, because the old time would set the clock back.
 * @param found.server the answer of `ntpServers/1`
 */
export function decideTimeServerChanges(
  { time, server }: { time: string | null; server: string | null },
  host: string,
): FoundSetting[] {
  const root = server === null ? undefined : xmlRoot(server);
  if (time === null || server === null || root === undefined)
    return [byHand(`name ${host} as its time server on its web page: it does not offer NTP`)];
  const isAddress = /^[\d.]+$|:/.test(host);
  const wanted: Record<string, string> = isAddress
    ? { addressingFormatType: 'ipaddress', ipAddress: host }
    : { addressingFormatType: 'hostname', hostName: host };
  const untimed = time.replace(/<(?:\w+:)?localTime>[^<]*<\/(?:\w+:)?localTime>\s*/, '');
  return [
    has(root, wanted)
      ? RIGHT
      : xmlChange(`time server: ${host}`, TIME_SERVER, { before: server, after: withTexts(server, wanted) }),
    textOf(childOf(xmlRoot(time), 'timeMode')).toLowerCase() === 'ntp'
      ? RIGHT
      : xmlChange('clock: follows the time server', TIME, {
          before: untimed,
          after: withText(untimed, 'timeMode', 'NTP'),
        }),
  ];
}

function decideZone(
  time: string,
  { now_ms, zone, offset_min }: { now_ms: number; zone: string; offset_min: number },
): FoundSetting {
  const rule = hikvisionZone(zone, now_ms);
  if (rule === null) return byHand(`set its time zone to ${zone}: its offset now is ${offset_min} minutes`);
  const what = `time zone: ${zone} in place of an offset of ${offset_min} minutes`;
  const wanted = { localTime: isoAt(now_ms, zoneOffsetMin(now_ms, zone)), timeZone: rule };
  // A wrong clock is not written back.
  return xmlChange(what, TIME, { before: null, after: withTexts(time, wanted) });
}

const put = (path: string, body: string): SetupRequest => ({
  method: 'PUT',
  path,
  contentType: 'application/xml',
  body,
});

/** @param bodies.before null: the change is not taken back */
const xmlChange = (what: string, path: string, bodies: { before: string | null; after: string }): FoundSetting =>
  change({ what, apply: put(path, bodies.after), undo: bodies.before === null ? null : put(path, bodies.before) });

const has = (root: XmlElement, wanted: Record<string, string>): boolean =>
  Object.entries(wanted).every(([name, value]) => textOf(childOf(root, name)) === value);

const withTexts = (xml: string, wanted: Record<string, string>): string =>
  Object.entries(wanted).reduce((text, [name, value]) => withText(text, name, value), xml);

/** The offset of the zone at a wall time, in minutes. @param local its own offset, if it has one, is ignored */
function offsetAtWall(local: string, zone: string): number {
  const wall = local.replace(/(?:Z|[+-]\d{1,2}:?\d{2})$/i, '');
  const [inZone, inUtc] = [parseCameraTime(wall, zone), parseCameraTime(`${wall}Z`, 'UTC')];
  return inZone === null || inUtc === null ? 0 : Math.round((inUtc.epoch_ms - inZone.epoch_ms) / 60_000);
}

/** A time with its offset, in the form that the camera has: 2026-01-15T13:00:00+01:00. */
function isoAt(epochMs: number, offsetMin: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offsetMin) / 60), Math.abs(offsetMin) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  const wall = isoOfWall(epochMs + offsetMin * 60_000).slice(0, 19);
  return `${wall}${offsetMin < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

/** The elements of this name as they are written, at most 64 of them. */
function blocksOf(xml: string, name: string): string[] {
  const blocks: string[] = [];
  const start = new RegExp(`<(?:\\w+:)?${name}(?:\\s[^<>]*)?>`, 'g');
  const end = new RegExp(`</(?:\\w+:)?${name}>`, 'g');
  for (let opened = start.exec(xml); opened !== null && blocks.length < 64; opened = start.exec(xml)) {
    end.lastIndex = start.lastIndex;
    const closed = end.exec(xml);
    if (closed === null) break;
    blocks.push(xml.slice(opened.index, end.lastIndex));
    start.lastIndex = end.lastIndex;
  }
  return blocks;
}

const documentOf = (block: string): string =>
  block.startsWith('<?xml') ? block : `<?xml version="1.0" encoding="UTF-8"?>\n${block}\n`;
