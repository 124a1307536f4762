/** An ONVIF camera with PullPoint events. Its clock needs no account, its picture needs digest, and the rest WS-UsernameToken. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import { createCameraClock } from './camera-clock.js';
import { requireDigest, wordsOf } from './camera-words.js';
import type { CameraEvent, CameraVendor, SeenEvents } from './camera-vendor.js';
import { escapeXml } from './hikvision-event-codec.js';

/** The longest wait of a pull: shorter than the minute that clients may ask for, so that the camera closes soon. */
const PULL_MS = 2_000;
const EVENTS_MAX = 100;

export const onvifCamera: CameraVendor = {
  encode: null,
  createDevice(camera, seen, clock = createCameraClock()) {
    const device = new Hono();
    const pullPoint = createPullPoint(seen);
    const answers = answersOf(camera, pullPoint);
    device.use('/snapshot.jpg', requireDigest(camera, 'ONVIF'));
    device.get('/snapshot.jpg', (context) =>
      pullPoint.last === null
        ? context.notFound()
        : context.body(new Uint8Array(pullPoint.last.pictures.scene), 200, { 'content-type': 'image/jpeg' }),
    );
    device.post('*', async (context) => {
      const request = await context.req.text();
      const [, action = ''] = /<(?:\w+:)?Body[^>]*>\s*<(?:\w+:)?(\w+)/.exec(request) ?? [];
      const soap = { 'content-type': 'application/soap+xml; charset=utf-8' };
      if (action === 'GetSystemDateAndTime') return context.body(envelope(dateAndTime(clock.now())), 200, soap);
      if (!isAllowed(camera, request)) return context.body(envelope(NOT_AUTHORIZED), 400, soap);
      if (action === 'SetSystemDateAndTime') {
        clock.set(givenTime(request));
        return context.body(envelope('<tds:SetSystemDateAndTimeResponse/>'), 200, soap);
      }
      const answer = answers[action];
      if (OF_SUBSCRIPTION.has(action) && !pullPoint.isOpen()) return context.body(envelope(NO_SUBSCRIPTION), 400, soap);
      if (answer === undefined) return context.body(envelope(NOT_SUPPORTED), 400, soap);
      return context.body(envelope(await answer(new URL(context.req.url).origin)), 200, soap);
    });
    return device;
  },
};

const now = (inSeconds = 0): string => new Date(Date.now() + inSeconds * 1000).toISOString().replace(/\.\d+/, '');

/** The SOAP body that answers each action. */
function answersOf(
  camera: CarParkCamera,
  pullPoint: PullPoint,
): Record<string, (base: string) => string | Promise<string>> {
  return {
    GetServices: (base) => `<tds:GetServicesResponse>${servicesOf(base)}</tds:GetServicesResponse>`,
    GetDeviceInformation: () =>
      '<tds:GetDeviceInformationResponse><tds:Manufacturer>Simulated</tds:Manufacturer><tds:Model>ONVIF camera</tds:Model><tds:SerialNumber>1</tds:SerialNumber></tds:GetDeviceInformationResponse>',
    GetProfiles: () =>
      '<trt:GetProfilesResponse><trt:Profiles token="main"><tt:Name>main</tt:Name></trt:Profiles></trt:GetProfilesResponse>',
    GetSnapshotUri: (base) =>
      `<trt:GetSnapshotUriResponse><trt:MediaUri><tt:Uri>${base}/snapshot.jpg</tt:Uri></trt:MediaUri></trt:GetSnapshotUriResponse>`,
    CreatePullPointSubscription(base) {
      pullPoint.open();
      return `<tev:CreatePullPointSubscriptionResponse><tev:SubscriptionReference><wsa5:Address>${base}/onvif/subscription</wsa5:Address></tev:SubscriptionReference><wsnt:CurrentTime>${now()}</wsnt:CurrentTime><wsnt:TerminationTime>${now(120)}</wsnt:TerminationTime></tev:CreatePullPointSubscriptionResponse>`;
    },
    async PullMessages() {
      const messages = (await pullPoint.pull()).map((event) => messageOf(camera, event)).join('');
      return `<tev:PullMessagesResponse><tev:CurrentTime>${now()}</tev:CurrentTime><tev:TerminationTime>${now(60)}</tev:TerminationTime>${messages}</tev:PullMessagesResponse>`;
    },
    Renew: () =>
      `<wsnt:RenewResponse><wsnt:CurrentTime>${now()}</wsnt:CurrentTime><wsnt:TerminationTime>${now(120)}</wsnt:TerminationTime></wsnt:RenewResponse>`,
    Unsubscribe() {
      pullPoint.close();
      return '<wsnt:UnsubscribeResponse/>';
    },
  };
}

type PullPoint = ReturnType<typeof createPullPoint>;

/** The queue of events that the agent pulls. */
function createPullPoint(seen: SeenEvents) {
  let waiting: CameraEvent[] = [];
  let last: CameraEvent | null = null;
  let wake = () => {};
  let unsubscribe: (() => void) | null = null;
  return {
    /** The last event since it was opened. */
    get last() {
      return last;
    },
    isOpen: () => unsubscribe !== null,
    open(): void {
      unsubscribe?.();
      unsubscribe = seen.subscribe((event) => {
        last = event;
        waiting = [...waiting, event].slice(-EVENTS_MAX);
        wake();
      });
    },
    /** Takes the waiting events; without any it waits for the first one, `PULL_MS` at most. */
    async pull(): Promise<CameraEvent[]> {
      if (waiting.length === 0) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, PULL_MS);
          wake = () => {
            clearTimeout(timer);
            resolve();
          };
        });
      }
      return waiting.splice(0);
    },
    close(): void {
      unsubscribe?.();
      unsubscribe = null;
    },
  };
}

const fault = (code: string, reason: string) =>
  `<s:Fault><s:Code><s:Value>s:Sender</s:Value><s:Subcode><s:Value>${code}</s:Value></s:Subcode></s:Code><s:Reason><s:Text xml:lang="zh">${reason}</s:Text></s:Reason></s:Fault>`;
/** Its words are in the language that the camera is set to. */
const NOT_AUTHORIZED = fault('ter:NotAuthorized', '发送方未获授权');
const NO_SUBSCRIPTION = fault('ter:InvalidArgVal', 'There is no such subscription');
const OF_SUBSCRIPTION = new Set(['PullMessages', 'Renew', 'Unsubscribe']);
const NOT_SUPPORTED = fault('ter:ActionNotSupported', 'Optional Action Not Implemented');

const envelope = (body: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><s:Envelope xmlns:s="http://www.w3.org/2003/05/soap-envelope" xmlns:tds="http://www.onvif.org/ver10/device/wsdl" xmlns:trt="http://www.onvif.org/ver10/media/wsdl" xmlns:tev="http://www.onvif.org/ver10/events/wsdl" xmlns:tt="http://www.onvif.org/ver10/schema" xmlns:wsnt="http://docs.oasis-open.org/wsn/b-2" xmlns:wsa5="http://www.w3.org/2005/08/addressing" xmlns:ter="http://www.onvif.org/ver10/error" xmlns:tns1="http://www.onvif.org/ver10/topics"><s:Body>${body}</s:Body></s:Envelope>`;

function dateAndTime(now_ms: number): string {
  const date = new Date(now_ms);
  return `<tds:GetSystemDateAndTimeResponse><tds:SystemDateAndTime><tt:DateTimeType>Manual</tt:DateTimeType><tt:UTCDateTime><tt:Time><tt:Hour>${date.getUTCHours()}</tt:Hour><tt:Minute>${date.getUTCMinutes()}</tt:Minute><tt:Second>${date.getUTCSeconds()}</tt:Second></tt:Time><tt:Date><tt:Year>${date.getUTCFullYear()}</tt:Year><tt:Month>${date.getUTCMonth() + 1}</tt:Month><tt:Day>${date.getUTCDate()}</tt:Day></tt:Date></tt:UTCDateTime></tds:SystemDateAndTime></tds:GetSystemDateAndTimeResponse>`;
}

/** The UTC time that a request sets. */
function givenTime(request: string): number {
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = [
    'Year',
    'Month',
    'Day',
    'Hour',
    'Minute',
    'Second',
  ].map((name) => Number(new RegExp(`<(?:\\w+:)?${name}>(\\d+)<`).exec(request)?.[1] ?? Number.NaN));
  return Date.UTC(year, month - 1, day, hour, minute, second);
}

const servicesOf = (base: string): string =>
  ['device', 'media', 'events']
    .map(
      (name) =>
        `<tds:Service><tds:Namespace>http://www.onvif.org/ver10/${name}/wsdl</tds:Namespace><tds:XAddr>${base}/onvif/${name}</tds:XAddr></tds:Service>`,
    )
    .join('');

/** WS-UsernameToken: the digest of nonce, time and password. */
function isAllowed({ username, password }: CarParkCamera, request: string): boolean {
  if (username === '') return true;
  const inside = (name: string) => new RegExp(`<(?:\\w+:)?${name}(?:\\s[^>]*)?>([^<]*)<`).exec(request)?.[1] ?? '';
  const expected = createHash('sha1')
    .update(Buffer.from(inside('Nonce'), 'base64'))
    .update(inside('Created'))
    .update(password)
    .digest();
  const given = Buffer.from(inside('Password'), 'base64');
  return inside('Username') === username && given.length === expected.length && timingSafeEqual(given, expected);
}

function messageOf(camera: CarParkCamera, event: CameraEvent): string {
  const words = wordsOf(camera, event);
  const items = {
    PlateNumber: words.plate,
    Likelihood: words.confidence.toFixed(2),
    Direction: words.direction,
    VehicleType: words.type,
    VehicleColor: words.color,
    Country: words.country,
    ObjectId: words.id,
  };
  const simple = Object.entries(items)
    .map(([name, value]) => `<tt:SimpleItem Name="${name}" Value="${escapeXml(value)}"/>`)
    .join('');
  return `<wsnt:NotificationMessage><wsnt:Topic Dialect="http://www.onvif.org/ver10/tev/topicExpression/ConcreteSet"> tns1:RuleEngine/Recognition/LicensePlate </wsnt:Topic><wsnt:Message><tt:Message UtcTime="${words.utcTime}" PropertyOperation="Changed"><tt:Source/><tt:Data>${simple}</tt:Data></tt:Message></wsnt:Message></wsnt:NotificationMessage>`;
}
