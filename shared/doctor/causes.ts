/**
 * Finds the causes among findings: one cause is one failure, and its consequences stand under it. Pure. A finding follows from a cause that
 * stands for itself, so that there is no chain and no circle, whatever is found.
 */
import type { Finding, FindingId } from './findings.js';

const NAMES_FAILED = ['dns.silent', 'dns.no_server', 'dns.failed', 'dns.no_such_name', 'dns.wrong'] as const;
const UNREACHED = ['cloud.unreachable', 'broker.unreachable', 'session.none'] as const;
const STRANGERS = ['cloud.portal', 'cloud.proxy', 'certificate.foreign'] as const;
const UNHEARD = ['product.never_seen', 'product.lost'] as const;
const UNKEPT = ['store.failed', 'queue.old', 'queue.full'] as const;
const WRONG_TIME = ['certificate.early', 'certificate.ended', 'camera.clock_wrong', 'product.clock_wrong'] as const;
const BAD_CERTIFICATES = [
  'certificate.early',
  'certificate.ended',
  'certificate.refused',
  'certificate.other_name',
  'certificate.foreign',
  'certificate.near_end',
] as const;

interface Rule {
  causes: readonly FindingId[];
  bring: readonly FindingId[];
  /** The one has to be about the host of the other; a cause that is about nothing is about all hosts. */
  sameHost?: true;
}

/** In the order in which they are applied: what is a cause of causes comes before them. */
export const RULES: readonly Rule[] = [
  { causes: ['gateway.port_taken', 'gateway.port_refused'], bring: ['gateway.not_running', 'gateway.not_asked'] },
  { causes: ['wear.ending'], bring: ['disk.read_only', ...UNKEPT] },
  { causes: ['disk.full', 'disk.no_inodes', 'disk.read_only', 'disk.unwritable'], bring: UNKEPT },
  { causes: ['radio.off', 'radio.unavailable', 'radio.held'], bring: UNHEARD },
  {
    causes: ['network.down', 'network.no_route'],
    bring: [...NAMES_FAILED, 'dns.slow', 'dns.half', ...UNREACHED, 'clock.unsynchronised'],
  },
  { causes: ['network.down'], bring: ['camera.offline', 'sensor.offline', 'display.fault'] },
  { causes: ['clock.unknown', 'clock.off'], bring: WRONG_TIME },
  { causes: ['dns.silent', 'dns.no_server'], bring: [...UNREACHED, 'clock.unsynchronised'] },
  {
    causes: NAMES_FAILED,
    bring: ['cloud.unreachable', 'broker.unreachable', ...STRANGERS, 'certificate.refused'],
    sameHost: true,
  },
  { causes: NAMES_FAILED, bring: ['session.none'] },
  { causes: ['authority.ended'], bring: ['certificate.ended', 'certificate.refused'] },
  // One host that shows one certificate at two ports.
  ...BAD_CERTIFICATES.map((id): Rule => ({ causes: [id], bring: [id], sameHost: true })),
  { causes: STRANGERS, bring: ['broker.unreachable', 'session.none'] },
  { causes: ['cloud.unreachable'], bring: ['broker.unreachable'], sameHost: true },
  {
    causes: ['broker.unreachable', 'broker.refused', 'authority.ended', ...BAD_CERTIFICATES, 'cloud.unreachable'],
    bring: ['session.none'],
  },
  {
    causes: ['session.none'],
    bring: [
      'gateway.no_configuration',
      'gateway.rules_old',
      'queue.old',
      'queue.full',
      'product.credential_low',
      'product.credential_ended',
    ],
  },
  { causes: ['network.weak_wifi', 'dns.slow', 'dns.half', 'network.dead_v6'], bring: ['cloud.slow'] },
];

const RANKS = { ok: 0, warning: 1, failure: 2 } as const;

/**
 * Notes of each finding which other it follows from. A failure never follows from a warning, and nothing that is well from anything.
 * @returns the same findings in the same order; what they followed from before is forgotten
 */
export function withCauses(findings: readonly Finding[]): Finding[] {
  const causes: (Finding | null)[] = findings.map(() => null);
  const isCause = findings.map(() => false);
  const indexOf = new Map(findings.map((finding, at) => [finding, at]));
  const standing = (at: number): number => indexOf.get(causes[at] ?? (findings[at] as Finding)) ?? at;
  for (const { causes: ids, bring, sameHost = false } of RULES) {
    for (const [at, cause] of findings.entries()) {
      if (!includes(ids, cause.id)) continue;
      for (const [of, finding] of findings.entries()) {
        const from = standing(at);
        if (causes[of] !== null || isCause[of] || of === from || !includes(bring, finding.id)) continue;
        if (!isAsGrave(findings[from], finding) || (sameHost && !isOfOneHost(cause, finding))) continue;
        causes[of] = findings[from] ?? null;
        isCause[from] = true;
      }
    }
  }
  return findings.map(({ follows: _before, ...finding }, at) => {
    const cause = causes[at] ?? null;
    return cause === null ? finding : { ...finding, follows: { id: cause.id, about: cause.about } };
  });
}

const includes = (ids: readonly string[], id: string): boolean => ids.includes(id);

const isAsGrave = (cause: Finding | undefined, finding: Finding): boolean =>
  cause !== undefined && finding.level !== 'ok' && RANKS[cause.level] >= RANKS[finding.level];

/** Reads the host of what a finding is about: `cloud.example:443`, `[2001:db8::1]:443`, or a host without a port. */
const hostIn = (about: string): string => about.replace(/^(\[.*\]|[^:]*):\d+$/, '$1').replace(/^\[(.*)\]$/, '$1');

const isOfOneHost = (a: Finding, b: Finding): boolean =>
  a.about === null || b.about === null || hostIn(a.about) === hostIn(b.about);
