/** Checks everything that the running gateway itself knows, or asks its cameras. */
import type { Clock } from '../../shared/clock.js';
import type { CameraItem } from '../../shared/gateway-config.js';
import { createSemaphore } from '../../shared/flow/semaphore.js';
import { type Finding, found } from '../../shared/doctor/findings.js';
import type { QueueView } from '../health/queue.js';
import type { GatewayStatus } from '../health/status.js';
import { type CameraDrivers, unservedReason } from '../lpr/camera.js';
import type { CameraStates } from '../lpr/presence/camera-states.js';
import type { MisdirectedPushes } from '../lpr/push/misdirected-pushes.js';
import { STORE_LIMITS } from '../store/agent-store.js';
import { oneAtATime } from '../waiting/one-at-a-time.js';
import type { DoctorCheck } from './doctor.js';
import { type CameraFacts, decideCamera, decideMisdirected } from './decide-camera.js';
import { decideDisplay, decideProduct, decideRadio, decideSensor } from './decide-equipment.js';
import { type QuestionDeps, testUnknownPlate } from './question-checks.js';
import { probeService } from './probe-device.js';
import { probeRadioHolder } from './probe-adapter.js';
import {
  decideMembership,
  decideQueue,
  decideRules,
  decideService,
  decideSession,
  decideStore,
} from './decide-gateway.js';

/** A value of the words, for what an older cloud does not name. */
const OTHERS_UNNAMED = 'other_gateway';
/** Silent ones cost no more time than one of them. */
const PROBES_AT_ONCE = 32;
const CAMERAS_MAX = 1_000;
/** A probe of the gateway's own rounds has longer; here a person waits. */
const PROBE_WITHIN_MS = 4_000;

export interface GatewayCheckDeps extends QuestionDeps {
  status(): Promise<GatewayStatus>;
  drivers: CameraDrivers;
  cameraStates: Pick<CameraStates, 'pushFault'>;
  misdirected: Pick<MisdirectedPushes, 'list'>;
  queue(): Promise<QueueView>;
}

export function gatewayChecks(deps: GatewayCheckDeps): DoctorCheck[] {
  // The checks of a run begin together, and most of them look at the status.
  const status = oneAtATime(deps.status);
  const ofStatus = (name: string, judge: (status: GatewayStatus) => Finding[]): DoctorCheck => ({
    name,
    run: async () => judge(await status()),
  });
  return [
    ofStatus('gateway', ({ version, uptime_s, cloud, claim: { former } }) => [
      found('gateway.running', null, { version, uptime_s }),
      ...decideMembership({
        cloud: cloud.url,
        former: former === null ? null : { why: former.why, at_ms: Date.parse(former.at) },
        is_configured: deps.rules.gateway() !== undefined,
      }),
    ]),
    ofStatus('configuration', (now) => checkRules(deps, now)),
    { name: 'service', run: async (signal) => [decideService(await probeService(signal))] },
    ofStatus('connection', ({ cloud, uptime_s }) =>
      cloud.url === null ? [] : [decideSession(connectionOf(cloud, uptime_s, deps.clock))],
    ),
    { name: 'radio', run: async () => checkRadio(await status()) },
    ofStatus('products', ({ products }) => orNone(checkProducts(deps, products), 'product.none')),
    { name: 'cameras', run: async (signal) => checkCameras(deps, await status(), signal) },
    { name: 'test plate', run: () => [...deps.rules.cameras()].flatMap((camera) => testUnknownPlate(deps, camera)) },
    ofStatus('sensors', ({ parking_gateways }) => orNone(parking_gateways.flatMap(decideSensor), 'sensor.none')),
    ofStatus('displays', ({ displays }) => orNone(displays.map(decideDisplay), 'display.none')),
    ofStatus('store', ({ store }) => decideStore(store)),
    { name: 'queue', run: async () => checkQueue(deps, await status()) },
  ];
}

const orNone = (
  findings: Finding[],
  none: 'product.none' | 'camera.none' | 'sensor.none' | 'display.none',
): Finding[] => (findings.length === 0 ? [found(none, null, {})] : findings);

function connectionOf(cloud: GatewayStatus['cloud'], uptime_s: number, clock: Clock) {
  const since_s = cloud.since === null ? uptime_s : Math.round((clock.now() - Date.parse(cloud.since)) / 1_000);
  // The wall clock may have been set since then.
  return { connected: cloud.connected, since_s: Math.min(uptime_s, Math.max(0, since_s)) };
}

function checkRules({ rules, clock }: GatewayCheckDeps, { cloud, uptime_s, clock: time }: GatewayStatus): Finding[] {
  const gateway = rules.gateway();
  if (cloud.url === null || gateway === undefined || !time.known) return [];
  const { connected, since_s } = connectionOf(cloud, uptime_s, clock);
  return decideRules({
    now_ms: Date.parse(time.now),
    expiries_ms: [...rules.products()].flatMap(({ pairing }) => pairing?.expires_ms ?? []),
    autonomy_days: gateway.autonomy_days,
    alone_s: connected ? null : since_s,
  });
}

async function checkQueue(deps: GatewayCheckDeps, status: GatewayStatus): Promise<Finding[]> {
  const { pending, lanes } = status.outbox;
  if (pending === null) return decideQueue(null);
  const sum = (of: 'bytes' | 'rows') => lanes.reduce((total, lane) => total + lane[of], 0);
  const { outboxBytesMax, outboxRowsMax } = STORE_LIMITS;
  const ages = (await deps.queue()).lanes.flatMap(({ oldest_age_s }) => oldest_age_s ?? []);
  return decideQueue({
    waiting: pending,
    oldest_s: ages.length === 0 ? null : Math.max(...ages),
    full_percent: Math.floor(Math.max(sum('bytes') / outboxBytesMax, sum('rows') / outboxRowsMax) * 100),
  });
}

async function checkRadio({ radio, products }: GatewayStatus): Promise<Finding[]> {
  const holder = radio.state === 'unavailable' ? await probeRadioHolder() : null;
  return decideRadio({ ...radio, holder }, products.length);
}

function checkProducts({ rules }: GatewayCheckDeps, products: GatewayStatus['products']): Finding[] {
  const { other_gateways_count: count = 0, other_gateways: named = [] } = rules.gateway() ?? {};
  const others = count === 0 ? null : named.join(', ') || OTHERS_UNNAMED;
  const openedHere = new Set<string | null>([...rules.cameras()].map((camera) => camera.product_device_id));
  return products.flatMap((product) =>
    decideProduct({
      ...product,
      elsewhere: openedHere.has(product.device_id) ? null : others,
    }),
  );
}

async function checkCameras(deps: GatewayCheckDeps, status: GatewayStatus, signal: AbortSignal): Promise<Finding[]> {
  const queue = createSemaphore({ name: 'doctor', permits: PROBES_AT_ONCE, waitingMax: CAMERAS_MAX });
  const rows = new Map(status.cameras.map((row) => [row.device_id, row]));
  const findings = await Promise.all(
    [...deps.rules.cameras()].map((camera) =>
      queue.run('', async () =>
        decideCamera(await cameraFacts(deps, camera, { row: rows.get(camera.device_id), signal })),
      ),
    ),
  );
  const misdirected = deps.misdirected.list((deviceId) => rows.has(deviceId));
  return [...orNone(findings.flat(), 'camera.none'), ...decideMisdirected(misdirected)];
}

async function cameraFacts(
  { drivers, clock, cameraStates }: GatewayCheckDeps,
  camera: CameraItem,
  { row, signal }: { row: GatewayStatus['cameras'][number] | undefined; signal: AbortSignal },
): Promise<CameraFacts> {
  const unserved = unservedReason(camera, drivers);
  const driver = drivers.get(camera.driver);
  const limit = AbortSignal.any([signal, AbortSignal.timeout(PROBE_WITHIN_MS)]);
  const isAsked = unserved === null && camera.address !== '' && !signal.aborted;
  const ask = driver?.probe ?? null;
  const probe = isAsked && ask !== null ? await ask(camera, limit) : null;
  // The answer of the camera now counts more than the time in its last read: its clock may have been set since.
  const shown = row?.clock_behind_s ?? null;
  const isAskedForClock = probe?.isThere === true && probe.condition === undefined && probe.fault === undefined;
  const clockMs =
    isAskedForClock && driver?.readClock !== undefined ? await driver.readClock(camera, limit).catch(() => null) : null;
  const seen = row?.last_seen ?? null;
  return {
    name: camera.name,
    driver: camera.driver,
    address: camera.address,
    push_without_key: camera.push_without_key,
    unserved,
    probe,
    status: row?.status ?? null,
    problem: row?.problem ?? null,
    push_fault: cameraStates.pushFault(camera.device_id),
    seen_ago_s: seen === null ? null : Math.max(0, Math.round((clock.now() - Date.parse(seen)) / 1_000)),
    clock_behind_s: clockMs === null ? shown : Math.round((clock.now() - clockMs) / 1_000),
  };
}
