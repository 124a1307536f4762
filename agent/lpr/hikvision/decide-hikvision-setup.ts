/** Decides what has to be changed at a Hikvision camera, from what it says of itself. Old bodies are kept as they were, to be written back. */
import { parseCameraTime, wallIsoAt } from '../formats/camera-time-parser.js';
import { hikvisionZone } from '../formats/posix-zone-codec.js';
import { isoOfWall } from '../formats/wall-time-parser.js';
import { withText } from '../formats/xml-edit-codec.js';
import { childOf, parseXml, textOf, type XmlElement } from '../formats/xml-parser.js';

export type FoundSetting =
  | { kind: 'right' }
  /** `before` null: it is not written back. */
  | { kind: 'change'; what: string; path: string; before: string | null; after: string }
  | { kind: 'by hand'; what: string };

const RIGHT: FoundSetting = { kind: 'right' };
/** A camera's clock that is off by no more need not be set. */
const CLOCK_OFF_MAX_MS = 2_000;

/** An empty slot has an empty `url`; one that is used by somebody else is never taken. */
export function decideHostChange(hosts: string | null, pushUrl: URL): FoundSetting {
  const byHand: FoundSetting = {
    kind: 'by hand',
    what: `point its push (network, advanced, HTTP listening) at ${pushUrl.href.replace(/[^/]+$/, 'KEY')}: no free slot was found`,
  };
  const list = hosts === null ? [] : blocksOf(hosts, 'HttpHostNotification');
  const path = pushUrl.pathname;
  const slots = list.flatMap((block) => {
    const root = rootOf(block);
    return root === undefined
      ? []
      : [{ block, root, id: textOf(childOf(root, 'id')), url: textOf(childOf(root, 'url')) }];
  });
  const own = slots.find(({ url }) => url === path);
  const slot = own ?? slots.find(({ url, root }) => url === '' && isUnused(root));
  if (slot === undefined || !/^\d{1,3}$/.test(slot.id)) return byHand;
  const wanted = {
    url: path,
    protocolType: 'HTTP',
    parameterFormatType: 'XML',
    addressingFormatType: 'ipaddress',
    ipAddress: pushUrl.hostname,
    portNo: pushUrl.port || '80',
    httpAuthenticationMethod: 'none',
  };
  const isRight = Object.entries(wanted).every(([name, value]) => textOf(childOf(slot.root, name)) === value);
  if (isRight) return RIGHT;
  return {
    kind: 'change',
    what: `push slot ${slot.id}: from ${own === undefined ? 'empty' : 'an older address of this gateway'} to ${pushUrl.host}`,
    path: `/ISAPI/Event/notification/httpHosts/${slot.id}`,
    before: documentOf(slot.block),
    after: documentOf(
      Object.entries(wanted).reduce((block, [name, value]) => withText(block, name, value), slot.block),
    ),
  };
}

const isUnused = (root: XmlElement): boolean => ['', '0.0.0.0'].includes(textOf(childOf(root, 'ipAddress')));

/** Plates are told only where the trigger has `center` among its methods. */
export function decideTriggerChange(trigger: string | null): FoundSetting {
  const root = trigger === null ? undefined : rootOf(trigger);
  if (trigger === null || root === undefined)
    return {
      kind: 'by hand',
      what: 'switch on "notify surveillance centre" for plate recognition: the camera does not say whether it is',
    };
  const methods = blocksOf(trigger, 'notificationMethod').map((block) => textOf(rootOf(block)));
  if (methods.includes('center')) return RIGHT;
  const added =
    '<EventTriggerNotification><id>center</id><notificationMethod>center</notificationMethod><notificationRecurrence>beginning</notificationRecurrence></EventTriggerNotification>';
  const end = trigger.search(/<\/(?:\w+:)?EventTriggerNotificationList>/);
  if (end === -1) return { kind: 'by hand', what: 'switch on "notify surveillance centre" for plate recognition' };
  return {
    kind: 'change',
    what: 'plate recognition: notifies the centre, which is this gateway',
    path: '/ISAPI/Event/triggers/vehicledetection-1',
    before: trigger,
    after: trigger.slice(0, end) + added + trigger.slice(end),
  };
}

/** A clock that follows a time server is left to it. Its zone is that of the camera's settings, with the days of its summer time. */
export function decideClockChange(
  time: string | null,
  { now_ms, zone }: { now_ms: number | null; zone: string },
): FoundSetting {
  const root = time === null ? undefined : rootOf(time);
  const local = textOf(childOf(root, 'localTime'));
  const known = parseCameraTime(local, zone);
  if (time === null || known === null || now_ms === null)
    return { kind: 'by hand', what: 'check its clock: the camera or this gateway does not say the time' };
  if (known.offset_min !== null && known.offset_min !== offsetAt(local, zone))
    return decideZone(time, { now_ms, zone, offset_min: known.offset_min });
  if (Math.abs(known.epoch_ms - now_ms) <= CLOCK_OFF_MAX_MS) return RIGHT;
  if (textOf(childOf(root, 'timeMode')).toLowerCase() !== 'manual')
    return { kind: 'by hand', what: 'check its time server: its clock is wrong, although it follows one' };
  return {
    kind: 'change',
    what: `clock: it is ${Math.round(Math.abs(known.epoch_ms - now_ms) / 1000)} s ${known.epoch_ms < now_ms ? 'behind' : 'ahead'}`,
    path: '/ISAPI/System/time',
    // Nobody wants a clock back that was wrong.
    before: null,
    after: withText(time, 'localTime', isoAt(now_ms, known.offset_min ?? offsetAt(local, zone))),
  };
}

/**
 * The server first, and then that the clock follows it. An undo has no time in it: the old one would set the clock back.
 * @param found.server what `ntpServers/1` says
 */
export function decideTimeServerChanges(
  found: { time: string | null; server: string | null },
  host: string,
): FoundSetting[] {
  const { time, server } = found;
  const root = server === null ? undefined : rootOf(server);
  if (time === null || server === null || root === undefined)
    return [{ kind: 'by hand', what: `name ${host} as its time server on its web page: it does not offer NTP` }];
  const isAddress = /^[\d.]+$|:/.test(host);
  const wanted = isAddress
    ? { addressingFormatType: 'ipaddress', ipAddress: host }
    : { addressingFormatType: 'hostname', hostName: host };
  const changes: FoundSetting[] = [];
  if (!Object.entries(wanted).every(([name, value]) => textOf(childOf(root, name)) === value)) {
    changes.push({
      kind: 'change',
      what: `time server: ${host}`,
      path: '/ISAPI/System/time/ntpServers/1',
      before: server,
      after: Object.entries(wanted).reduce((xml, [name, value]) => withText(xml, name, value), server),
    });
  }
  if (textOf(childOf(rootOf(time), 'timeMode')).toLowerCase() !== 'ntp') {
    const untimed = time.replace(/<(?:\w+:)?localTime>[^<]*<\/(?:\w+:)?localTime>\s*/, '');
    changes.push({
      kind: 'change',
      what: 'clock: follows the time server',
      path: '/ISAPI/System/time',
      before: untimed,
      after: withText(untimed, 'timeMode', 'NTP'),
    });
  }
  return changes;
}

function decideZone(
  time: string,
  { now_ms, zone, offset_min }: { now_ms: number; zone: string; offset_min: number },
): FoundSetting {
  const rule = hikvisionZone(zone, now_ms);
  if (rule === null)
    return { kind: 'by hand', what: `set its time zone to ${zone}: its offset now is ${offset_min} minutes` };
  return {
    kind: 'change',
    what: `time zone: ${zone} in place of an offset of ${offset_min} minutes`,
    path: '/ISAPI/System/time',
    // Nobody wants a clock back that was wrong.
    before: null,
    after: withText(
      withText(time, 'localTime', `${wallIsoAt(now_ms, zone)}${offsetText(offsetOf(now_ms, zone))}`),
      'timeZone',
      rule,
    ),
  };
}

/** The offset of the zone at a moment, in minutes. */
const offsetOf = (epochMs: number, zone: string): number => offsetAt(wallIsoAt(epochMs, zone), zone);

const withoutOffset = (local: string): string => local.replace(/(?:Z|[+-]\d{1,2}:?\d{2})$/i, '');

/** The offset of the zone at a wall time, in minutes. */
function offsetAt(local: string, zone: string): number {
  const wall = withoutOffset(local);
  const [inZone, inUtc] = [parseCameraTime(wall, zone), parseCameraTime(`${wall}Z`, 'UTC')];
  return inZone === null || inUtc === null ? 0 : Math.round((inUtc.epoch_ms - inZone.epoch_ms) / 60_000);
}

/** A time with its offset, in the form that the camera has: 2026-01-15T13:00:00+01:00. */
function isoAt(epochMs: number, offsetMin: number): string {
  return isoOfWall(epochMs + offsetMin * 60_000).slice(0, 19) + offsetText(offsetMin);
}

function offsetText(offsetMin: number): string {
  const [hours, minutes] = [Math.floor(Math.abs(offsetMin) / 60), Math.abs(offsetMin) % 60];
  const two = (number: number) => String(number).padStart(2, '0');
  return `${offsetMin < 0 ? '-' : '+'}${two(hours)}:${two(minutes)}`;
}

/** The elements of this name as they are written, at most 64. */
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

function rootOf(xml: string): XmlElement | undefined {
  try {
    return parseXml(xml);
  } catch {
    return undefined;
  }
}
