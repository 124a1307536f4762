import { createAccessRules } from '../../../agent/access/access-rules.js';
import { createOpenSessions } from '../../../agent/access/open-sessions.js';
import type { LocalViewSources } from '../../../agent/console/view/build-local-view.js';
import type { GatewayStatus } from '../../../agent/health/status.js';
import { createRecoveryCounter, radioHealthOf } from '../../../agent/product/radio-health.js';
import { CONFIG_SECTION_NAMES, type ConfigSection } from '../../../shared/gateway-config.js';
import { silentLogger } from '../../../shared/logger.js';
import { BARRIER } from '../product/product-item.js';

export const GATEWAY = {
  gateway_id: 1,
  name: 'Entrance Pi',
  lot_id: 2,
  lot_name: 'North',
  timezone: 'Europe/Zagreb',
  offline_exit: 'open',
  autonomy_days: 31,
  other_gateways_count: 0,
};

type Items = Partial<Record<ConfigSection, Record<string, unknown>>>;

/** The configuration of a gateway that holds these items. */
export const rulesOf = (items: Items) =>
  createAccessRules({
    boot: {
      config: CONFIG_SECTION_NAMES.map((section) => ({ section, revision: 'revision', items: items[section] ?? {} })),
      sessions: [],
    },
    sessions: createOpenSessions(),
    logger: silentLogger,
  });

export const statusOf = (changed: Partial<GatewayStatus> = {}): GatewayStatus => ({
  version: '1.2.3',
  uuid: '0d3c2a54-5a1f-4b7e-9a51-3f1f6f0b7c01',
  name: 'Entrance Pi',
  lot: 'North',
  uptime_s: 90,
  cloud: { url: 'https://cloud.example', connected: true, since: '2026-01-15T12:00:00.000Z' },
  claim: { state: 'claimed', problem: null, former: null },
  radio: radioHealthOf({ state: 'on' }, [], createRecoveryCounter({ monotonic: () => 0 })),
  clock: { known: true, now: '2026-01-15T12:01:30.000Z' },
  store: { path: '/var/lib/parking/agent.db', bytes: 3_145_728, quarantined: null, failed: null },
  outbox: { pending: 5, lanes: [] },
  wrong_for_s: {},
  reads: { under_way: 0, oldest_s: null },
  update: null,
  products: [],
  cameras: [],
  parking_gateways: [],
  displays: [],
  ...changed,
});

export const viewSources = (changed: Partial<LocalViewSources> = {}): LocalViewSources => ({
  status: statusOf(),
  reports: [],
  isMoving: () => false,
  rules: rulesOf({ gateway: { self: GATEWAY } }),
  lastReads: new Map(),
  sightings: [],
  refused: [],
  actions: [],
  ...changed,
});

export const PRODUCT: GatewayStatus['products'][number] = {
  device_id: BARRIER,
  name: 'Entry barrier',
  type: 'barrier',
  paired: true,
  status: 'online',
  state: 'opened',
  passage: 'passable',
  permanent_position: 'disabled',
  key_fault: null,
  errors: [],
  problem: null,
  rssi: -61,
  battery: 80,
  seen_ago_s: 1,
  credential_days_left: 14,
  is_credential_low: false,
  clock_off_s: null,
};
