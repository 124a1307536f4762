/** All attacks that were made on the product, by name, with the rates at which they were made. */
import { madeUpTerminal } from './made-up-terminal.js';
import { type AttackCounts, type AttackOrder, PROXY_ADDRESS } from './attack.js';
import { connectWrongly } from './broker-connects.js';
import { draws } from './draws.js';
import { floodAsGateway, type GatewayFlood } from './gateway-flood.js';
import { holdSockets } from './held-sockets.js';
import { HOSTILE_JSON } from './hostile-json.js';
import { floodRequests, type RequestContent } from './http-requests.js';
import { madeUpAddress } from './made-up-sign-ins.js';
import { encodeConnect } from './mqtt-packets.js';
import type { Stranger } from './stranger.js';

/** The target of an attack. */
export interface AttackTarget {
  cloudPort: number;
  brokerPort: number;
  agentPort: number;
  /** Where a camera of the agent posts its reads: a path with the right key. */
  pushPath: string;
  /** Of a user, whose password is guessed. */
  email: string;
  stranger: Stranger;
}

export interface NamedAttack {
  /** The process that bears it. */
  against: 'cloud' | 'agent';
  /** Rows that the stranger's lot needs before. */
  sessions?: number;
  events?: number;
  run(target: AttackTarget, order: AttackOrder): Promise<AttackCounts>;
}

const JSON_BODY = { 'content-type': 'application/json' };
const PUSH_BYTES = 8 * 1024 * 1024;

/** 832 KiB that are one JSON object with 100,000 keys that nobody knows. */
const UNKNOWN_KEYS = JSON.stringify(
  Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`k${index}`, 0])),
);
/** Public endpoints that accept a body. */
const PUBLIC_PATHS = ['/v2/auth/login', '/v2/gateways/claim'];
const publicPath = (number: number): string => PUBLIC_PATHS[number % PUBLIC_PATHS.length] ?? '';

const asGateway = (flood: GatewayFlood): NamedAttack => ({
  against: 'cloud',
  run: ({ brokerPort, stranger }, order) =>
    floodAsGateway({ port: brokerPort, gateway: stranger.gateway, flood }, order),
});

/** A request that goes on until the other side ends it. */
const head = (method: string, path: string, headers: string[]): string =>
  [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1', ...headers, '', ''].join('\r\n');

const pushInFlight = (count: number, pathOf: (target: AttackTarget) => string): NamedAttack => ({
  against: 'agent',
  run(target, order) {
    const start = head('POST', pathOf(target), [
      'Content-Type: multipart/form-data; boundary=b',
      `Content-Length: ${PUSH_BYTES}`,
    ]);
    // The last byte never comes.
    const opening = Buffer.concat([Buffer.from(start), Buffer.alloc(PUSH_BYTES - 1, 'x')]);
    return holdSockets({ port: target.agentPort, count, opening: () => opening }, order);
  },
});

/** Whole pushes of one camera, again and again. */
const pushesOf = (contentType: string, bodyOf: () => Buffer): NamedAttack => ({
  against: 'agent',
  run({ agentPort: port, pushPath }, order) {
    const [headers, body] = [{ 'content-type': contentType }, bodyOf()];
    const contentOf = () => ({ method: 'POST' as const, path: pushPath, headers, body });
    return floodRequests({ port, perSecond: 2, inFlightMax: 8, contentOf }, order);
  },
});

/** A list of the stranger, with as many filters as fit, on a column that has no index. */
const filters = (count: number): string =>
  Array.from({ length: count }, (_, index) => `filter=plate:like:${index.toString(36)}Z`).join('&');

const asStranger = ({ token }: Stranger) => ({ authorization: `Bearer ${token}` });

/** Brackets and keys, and what is within every bound and wrong in each of its items; as large as the route takes it, and larger. */
function integratorsBody({ lot_id }: Stranger, number: number): Pick<RequestContent, 'method' | 'path' | 'body'> {
  const plan = { method: 'PUT', path: `/v2/lots/${lot_id}/plan` } as const;
  const group = { method: 'POST', path: '/v2/groups' } as const;
  const bodies = [
    { ...plan, body: '['.repeat(500_000) },
    { ...plan, body: UNKNOWN_KEYS },
    { ...plan, body: UNKNOWN_KEYS.slice(0, 500_000) },
    { ...plan, body: `{"items":[${'{},'.repeat(4_999)}{}]}` },
    { ...group, body: `{"name":"x","zone_ids":[${'"",'.repeat(9_000)}""]}` },
    { ...group, body: '['.repeat(60_000) },
  ] as const;
  return bodies[number % bodies.length] ?? bodies[0];
}

export const ATTACKS: Record<string, NamedAttack> = {
  'large public bodies': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      floodRequests(
        {
          port,
          perSecond: 4,
          inFlightMax: 16,
          contentOf: (number) => ({ method: 'POST', path: publicPath(number), headers: JSON_BODY, body: UNKNOWN_KEYS }),
        },
        order,
      ),
  },
  'malformed public bodies': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      floodRequests(
        {
          port,
          perSecond: 500,
          inFlightMax: 100,
          contentOf: (number) => ({ method: 'POST', path: publicPath(number), headers: JSON_BODY, body: '{"email":' }),
        },
        order,
      ),
  },
  'sign-ins with made-up mails': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      floodRequests(
        {
          port,
          perSecond: 50,
          inFlightMax: 500,
          contentOf: () => ({
            method: 'POST',
            path: '/v2/auth/login',
            headers: JSON_BODY,
            body: JSON.stringify({ email: `${draws.uuid()}@nowhere.example`, password: 'a password' }),
          }),
        },
        order,
      ),
  },
  'one mail from many addresses': {
    against: 'cloud',
    run: ({ cloudPort: port, email }, order) =>
      floodRequests(
        {
          port,
          perSecond: 50,
          inFlightMax: 500,
          contentOf: (number) => ({
            method: 'POST',
            path: '/v2/auth/login',
            headers: { ...JSON_BODY, 'x-forwarded-for': madeUpAddress(number) },
            body: JSON.stringify({ email, password: draws.hex(12) }),
          }),
        },
        { ...order, from: PROXY_ADDRESS },
      ),
  },
  'made-up bearers': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      floodRequests(
        {
          port,
          perSecond: 500,
          inFlightMax: 100,
          contentOf: () => ({ method: 'GET', path: '/v2/lots', headers: { authorization: `Bearer ${draws.uuid()}` } }),
        },
        order,
      ),
  },
  'idle HTTP sockets': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) => holdSockets({ port, count: 2_000 }, order),
  },
  'slow bodies': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      holdSockets(
        {
          port,
          count: 500,
          opening: (number) =>
            head('POST', publicPath(number), ['Content-Type: application/json', 'Content-Length: 8000']),
          trickle: { text: ' ', everyMs: 1_000 },
        },
        order,
      ),
  },
  'WebSockets without a token': {
    against: 'cloud',
    run: ({ cloudPort: port }, order) =>
      holdSockets(
        {
          port,
          count: 1_500,
          opening: () =>
            head('GET', '/v2/realtime', [
              'Connection: Upgrade',
              'Upgrade: websocket',
              'Sec-WebSocket-Version: 13',
              `Sec-WebSocket-Key: ${Buffer.alloc(16, 1).toString('base64')}`,
            ]),
        },
        order,
      ),
  },
  'made-up terminals': {
    against: 'cloud',
    run: ({ brokerPort: port }, order) =>
      holdSockets({ port, count: 1_000, opening: () => encodeConnect(madeUpTerminal()) }, order),
  },
  'wrong passwords at the broker': {
    against: 'cloud',
    run: ({ brokerPort: port }, order) => connectWrongly({ port, perSecond: 100, inFlightMax: 200 }, order),
  },
  'gateway: long strings': asGateway('long strings'),
  'gateway: long strings, and events are read': {
    against: 'cloud',
    async run(target, order) {
      const { cloudPort: port, brokerPort, stranger } = target;
      const [sent, read] = await Promise.all([
        floodAsGateway({ port: brokerPort, gateway: stranger.gateway, flood: 'long strings' }, order),
        floodRequests(
          {
            port,
            perSecond: 4,
            inFlightMax: 4,
            contentOf: () => ({ method: 'GET', path: '/v2/events?limit=1000', headers: asStranger(stranger) }),
          },
          order,
        ),
      ]);
      return Object.fromEntries([
        ...Object.entries(sent).map(([what, count]) => [`gateway ${what}`, count]),
        ...Object.entries(read).map(([what, count]) => [`reads ${what}`, count]),
      ]);
    },
  },
  'gateway: far pictures': asGateway('far pictures'),
  'gateway: repeated report': asGateway('repeated report'),
  'gateway: deep nesting': asGateway('deep nesting'),
  'gateway: small batches': asGateway('small batches'),
  'vehicle analytics': {
    against: 'cloud',
    sessions: 300_000,
    run: ({ cloudPort: port, stranger }, order) =>
      floodRequests(
        {
          port,
          perSecond: 2,
          inFlightMax: 4,
          contentOf: () => ({
            method: 'GET',
            path: `/v2/sessions/vehicle-analytics?filter=lot_id:eq:${stranger.lot_id}`,
            headers: asStranger(stranger),
          }),
        },
        order,
      ),
  },
  'lists with many filters': {
    against: 'cloud',
    sessions: 300_000,
    run: ({ cloudPort: port, stranger }, order) =>
      floodRequests(
        {
          port,
          perSecond: 8,
          inFlightMax: 20,
          contentOf: () => ({ method: 'GET', path: `/v2/sessions?${filters(50)}`, headers: asStranger(stranger) }),
        },
        order,
      ),
  },
  'hostile bodies of an integrator': {
    against: 'cloud',
    run: ({ cloudPort: port, stranger }, order) =>
      floodRequests(
        {
          port,
          perSecond: 8,
          inFlightMax: 4,
          contentOf: (number) => ({
            ...integratorsBody(stranger, number),
            headers: { ...JSON_BODY, ...asStranger(stranger) },
          }),
        },
        order,
      ),
  },
  'long pages of events': {
    against: 'cloud',
    events: 3_000,
    run: ({ cloudPort: port, stranger }, order) =>
      floodRequests(
        {
          port,
          perSecond: 8,
          inFlightMax: 4,
          contentOf: () => ({ method: 'GET', path: '/v2/events?limit=1000', headers: asStranger(stranger) }),
        },
        order,
      ),
  },
  'exports that nobody reads': {
    against: 'cloud',
    sessions: 300_000,
    run: ({ cloudPort: port, stranger }, order) =>
      holdSockets(
        {
          port,
          count: 200,
          isReading: false,
          opening: () => head('GET', '/v2/sessions/export', [`Authorization: Bearer ${stranger.token}`]),
        },
        order,
      ),
  },
  'idle camera sockets': {
    against: 'agent',
    run: ({ agentPort: port }, order) => holdSockets({ port, count: 256 }, order),
  },
  'big pushes with the right key': pushInFlight(100, ({ pushPath }) => pushPath),
  'big pushes with a wrong key': pushInFlight(100, ({ pushPath }) => `${pushPath}x`),
  'slow pushes with the right key': {
    against: 'agent',
    run({ agentPort: port, pushPath }, order) {
      const opening = head('POST', pushPath, ['Content-Type: application/xml', `Content-Length: ${PUSH_BYTES}`]);
      return holdSockets({ port, count: 200, opening: () => opening, trickle: { text: ' ', everyMs: 1_000 } }, order);
    },
  },
  'pushes of dashes': pushesOf(`multipart/form-data; boundary=${'-'.repeat(60)}`, () => Buffer.alloc(PUSH_BYTES, '-')),
  'deep pushes with the right key': pushesOf('application/json', () => Buffer.alloc(PUSH_BYTES, '[')),
  'deep XML pushes with the right key': pushesOf('application/xml', () => Buffer.alloc(PUSH_BYTES, '<a>')),
  'pushes of many keys with the right key': pushesOf('multipart/form-data; boundary=b', () =>
    Buffer.from(
      `--b\r\nContent-Type: application/json\r\n\r\n${HOSTILE_JSON['as many keys as fit']?.(PUSH_BYTES - 100)}\r\n--b--\r\n`,
    ),
  ),
};
