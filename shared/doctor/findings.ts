/**
 * The findings of `doctor`, by stable ids: guides, consoles and programs refer to them. An id is never renamed and
 * never changes its level; a finding consists of its id and facts alone, so that each reader has the words of their own
 * language.
 */
export const FINDING_LEVELS = ['ok', 'warning', 'failure'] as const;
export type FindingLevel = (typeof FINDING_LEVELS)[number];
/** The level as people read it: nothing is well that could not be looked at. */
export type ShownLevel = FindingLevel | 'unknown';

interface Known {
  level: FindingLevel;
  /** The names of the facts that its words use. */
  facts: readonly string[];
}

const ok = <const Facts extends readonly string[]>(...facts: Facts) => ({ level: 'ok', facts }) as const;
const warning = <const Facts extends readonly string[]>(...facts: Facts) => ({ level: 'warning', facts }) as const;
const failure = <const Facts extends readonly string[]>(...facts: Facts) => ({ level: 'failure', facts }) as const;

/** By id. The part before the point is the area. Facts that end in `_s`, `_ms` and `_bytes` are in these units. */
export const FINDINGS = {
  'gateway.running': ok('version', 'uptime_s'),
  'gateway.not_running': failure('url'),
  'gateway.not_asked': failure('problem'),
  'gateway.other_version': warning('running', 'installed'),
  'gateway.claimed': ok('cloud'),
  'gateway.unclaimed': failure(),
  'gateway.erasing': failure(),
  'gateway.deleted': failure('time'),
  'gateway.replaced': failure('time'),
  'gateway.reset': failure('time'),
  'gateway.identity_unreadable': warning('path'),
  'gateway.identity_damaged': failure('path'),
  'gateway.no_configuration': failure(),
  'gateway.rules_old': warning('days'),
  'gateway.port_taken': failure('port', 'program'),
  'gateway.port_refused': failure('problem'),
  'service.watched': ok(),
  'service.started': ok(),
  'service.by_hand': ok(),

  'radio.ok': ok('adapters'),
  'radio.unneeded': ok(),
  'radio.off': failure(),
  'radio.unavailable': failure(),
  'radio.held': failure('program'),
  'radio.adapter_gone': warning('adapter'),
  'radio.healed': warning('step', 'ago_s'),
  'product.ok': ok('rssi', 'seen_s', 'days'),
  'product.days_unknown': ok('rssi', 'seen_s'),
  'product.elsewhere_unknown': ok('gateways'),
  'product.none': ok(),
  'product.unpaired': failure(),
  'product.error': failure('error'),
  'product.never_seen': failure(),
  'product.lost': failure('seen_s'),
  'product.jammed': failure(),
  'product.dirty': failure(),
  'product.no_clock': failure(),
  'product.held_open': warning(),
  'product.held_closed': warning(),
  'product.other_key': failure(),
  'product.key_refused': failure(),
  'product.weak': warning('rssi'),
  'product.credential_low': warning('days'),
  'product.credential_ended': failure(),
  'product.battery_low': warning('percent'),
  'product.clock_wrong': warning('off_s'),
  'cycle.ok': ok('open_s', 'close_s'),
  'cycle.failed': failure('operation', 'problem'),

  'camera.ok': ok('seen_s'),
  'camera.unknown': ok('seen_s'),
  'camera.none': ok(),
  'camera.quiet': warning(),
  'camera.unheard': warning(),
  'camera.offline': failure('problem'),
  'camera.stranger': failure('address', 'driver', 'answer'),
  'camera.no_interface': failure('address', 'driver', 'answer'),
  'camera.redirects': failure('address', 'to'),
  'camera.refused': failure('problem'),
  'camera.unserved': failure('problem'),
  'camera.clock_wrong': warning('off_s'),
  'camera.problem': warning('problem'),
  'camera.wrong_key': failure('from'),
  'camera.wrong_driver': failure('posted', 'driver', 'from'),
  'camera.not_understood': warning('problem'),
  'camera.misdirected': warning('camera', 'from'),
  'camera.without_key': warning(),
  'decision.opens': ok('plate', 'reason', 'product'),
  'decision.admits': ok('plate', 'reason'),
  'decision.denies': ok('plate', 'reason'),
  'decision.undecided': warning('plate'),
  'decision.held_closed': warning('plate', 'product'),
  'decision.no_zone': failure(),
  'decision.no_product': failure('product'),

  'sensor.ok': ok('places'),
  'sensor.none': ok(),
  'sensor.offline': failure('problem'),
  'sensor.unheard': failure(),
  'sensor.no_places': warning(),
  'sensor.silent': warning('places'),
  'sensor.fault': warning('problem'),
  'display.ok': ok(),
  'display.none': ok(),
  'display.fault': failure('problem'),
  'display.waiting': warning(),

  'clock.ok': ok('source'),
  'clock.unknown': failure('time'),
  'clock.time_unknown': ok('time'),
  'clock.off': failure('off_s'),
  'clock.synchronised': ok(),
  'clock.unsynchronised': warning(),
  'clock.sync_unknown': ok(),
  'clock.battery': ok(),
  'clock.no_battery': ok(),

  'store.ok': ok('size_bytes'),
  'store.failed': failure('problem'),
  'store.quarantined': warning('path'),
  'queue.ok': ok('waiting'),
  'queue.old': warning('waiting', 'oldest_s'),
  'queue.full': warning('percent'),
  'disk.ok': ok('free_bytes', 'percent'),
  'disk.low': warning('free_bytes', 'percent'),
  'disk.full': failure('free_bytes'),
  'disk.no_inodes': failure('free'),
  'disk.read_only': failure('problem'),
  'disk.unwritable': failure('path', 'problem'),
  'disk.unknown': warning('path', 'problem'),
  'wear.ok': ok('percent'),
  'wear.worn': warning('percent'),
  'wear.ending': failure(),
  'wear.unknown': ok(),
  'power.ok': ok(),
  'power.low': failure(),
  'power.was_low': warning(),
  'power.unknown': ok(),
  'heat.ok': ok('celsius'),
  'heat.high': warning('celsius'),
  'heat.critical': failure('celsius'),
  'heat.unknown': ok(),
  'memory.ok': ok('free_bytes'),
  'memory.low': warning('free_bytes'),
  'memory.unknown': ok(),

  'network.ok': ok('interfaces'),
  'network.down': failure(),
  'network.no_route': failure(),
  'network.weak_wifi': warning('signal'),
  'network.dead_v6': warning('address'),
  'dns.ok': ok('v4', 'v6'),
  'dns.unneeded': ok(),
  'dns.failed': failure('problem'),
  'dns.half': warning('family', 'problem'),
  'dns.silent': failure('servers'),
  'dns.no_server': failure(),
  'dns.no_such_name': failure('server'),
  'dns.wrong': failure('server', 'answer'),
  'dns.slow': warning('servers'),
  'cloud.ok': ok('latency_ms'),
  'cloud.slow': warning('latency_ms'),
  'cloud.unreachable': failure('problem'),
  'cloud.portal': failure('answer'),
  'cloud.proxy': failure(),
  'cloud.unwell': warning('status'),
  'broker.ok': ok('latency_ms'),
  'broker.unreachable': failure('problem'),
  'broker.refused': failure('problem'),
  'session.ok': ok('since_s'),
  'session.none': failure('since_s'),
  'certificate.ok': ok('days'),
  'certificate.near_end': warning('days'),
  'certificate.ended': failure('days'),
  'certificate.early': failure('days'),
  'certificate.refused': failure('problem'),
  'certificate.other_name': failure('name', 'expected'),
  'certificate.foreign': failure('name', 'expected'),
  'authority.ok': ok('days'),
  'authority.near_end': warning('days'),
  'authority.ended': failure('days'),

  'check.late': warning('check'),
  'check.failed': warning('check', 'problem'),
} as const satisfies Record<string, Known>;

export type FindingId = keyof typeof FINDINGS;
export const FINDING_IDS = Object.keys(FINDINGS) as FindingId[];

/** Text and numbers; null: not known. */
export type Fact = string | number | null;
type FactsOf<Id extends FindingId> = Record<(typeof FINDINGS)[Id]['facts'][number], Fact>;

/** The area of a finding: the part of its id before the point. */
export type FindingArea = FindingId extends infer Id ? (Id extends `${infer Area}.${string}` ? Area : never) : never;

/** One thing that `doctor` found. */
export interface Finding {
  id: string;
  level: FindingLevel;
  /** The thing that it is about, by its own name: a product, a camera, a host; null: the gateway itself. */
  about: string | null;
  facts: Record<string, Fact>;
  /** The one of the same report that it follows from, and ends with; left out: it stands for itself (`causes.ts`). */
  follows?: Cause;
}

export interface Cause {
  id: string;
  about: string | null;
}

/** Returns where the guide explains an id. null: this version has no words for it. */
export const guideOf = (id: string): string | null =>
  Object.keys(FINDINGS).includes(id) ? `/docs/guides/doctor#${id.replace('.', '')}` : null;

/** @param about what it is about, by its own name; null: the gateway itself */
export function found<Id extends FindingId>(id: Id, about: string | null, facts: FactsOf<Id>): Finding {
  return { id, level: FINDINGS[id].level, about, facts };
}
