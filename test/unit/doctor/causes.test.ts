/** One cause is one failure: what follows from what, by the table and for whatever is found. */
import { describe, expect, it } from 'vitest';
import { RULES, withCauses } from '../../../shared/doctor/causes.js';
import { inGroups } from '../../../shared/doctor/in-groups.js';
import { countLevels } from '../../../shared/doctor/describe-finding.js';
import { EN } from '../../../shared/doctor/en.js';
import { type Finding, FINDING_IDS, FINDINGS, type FindingId } from '../../../shared/doctor/findings.js';
import { boundFindings } from '../../../shared/doctor/report.js';
import { array, assert, constantFrom, property, record } from '../../property.js';

const of = (id: FindingId, about: string | null = null): Finding => ({
  id,
  level: FINDINGS[id].level,
  about,
  facts: {},
});

/** What follows from what: `id about <- id about`. */
const shown = (...findings: Finding[]): string[] =>
  withCauses(findings).map(({ id, about, follows }) =>
    [id, ...(about === null ? [] : [about]), ...(follows === undefined ? [] : ['<-', follows.id])].join(' '),
  );

const CLOUD = 'c.example:443';
const BROKER = 'c.example:8883';

describe('a cause', () => {
  it.each([
    ['no network', 'network.down'],
    ['a silent name server', 'dns.silent'],
  ] as const)('%s: cloud, broker and connection follow from it, and what they bring about', (_what, id) => {
    expect(
      shown(
        of('session.none'),
        of('cloud.unreachable', CLOUD),
        of('broker.unreachable', BROKER),
        of(id),
        of('queue.old'),
        of('gateway.rules_old'),
        of('disk.ok'),
      ),
    ).toEqual([
      `session.none <- ${id}`,
      `cloud.unreachable ${CLOUD} <- ${id}`,
      `broker.unreachable ${BROKER} <- ${id}`,
      id,
      `queue.old <- ${id}`,
      `gateway.rules_old <- ${id}`,
      'disk.ok',
    ]);
  });

  it('about one host is none of another one', () => {
    expect(
      shown(
        of('dns.no_such_name', 'c.example'),
        of('cloud.unreachable', CLOUD),
        of('broker.unreachable', 'b.example:1883'),
      ),
    ).toEqual([
      'dns.no_such_name c.example',
      `cloud.unreachable ${CLOUD} <- dns.no_such_name`,
      'broker.unreachable b.example:1883',
    ]);
    expect(shown(of('cloud.unreachable', '[fd00::1]:443'), of('broker.unreachable', '[fd00::1]:8883'))[1]).toContain(
      '<-',
    );
    expect(
      shown(of('cloud.unreachable', '[fd00::1]:443'), of('broker.unreachable', '[fd00::2]:8883'))[1],
    ).not.toContain('<-');
  });

  it.each([
    [['radio.unavailable', 'product.never_seen', 'product.lost'], 2],
    [['disk.full', 'store.failed', 'queue.full', 'queue.old'], 3],
    [['disk.read_only', 'store.failed'], 1],
    [['clock.off', 'certificate.early', 'camera.clock_wrong'], 2],
    [['gateway.port_taken', 'gateway.not_running'], 1],
    [['broker.refused', 'session.none', 'gateway.no_configuration'], 2],
    [['radio.unavailable', 'store.failed', 'cloud.unreachable'], 0],
    // What is a warning brings about no failure.
    [['network.weak_wifi', 'cloud.unreachable', 'session.none'], 1],
  ] as [FindingId[], number][])('%j', (ids, following) => {
    expect(countLevels(withCauses(ids.map((id) => of(id)))).following).toBe(following);
  });

  it('is counted once, and those that follow from it are counted apart', () => {
    const findings = withCauses([
      of('network.down'),
      of('dns.silent'),
      of('cloud.unreachable'),
      of('session.none'),
      of('heat.ok'),
    ]);
    expect(countLevels(findings)).toEqual({ failures: 1, warnings: 0, following: 3, oks: 1, unknowns: 0 });
    expect(EN.summary(countLevels(findings))).toBe('1 failure, 0 warnings, 3 that follow from it, 1 ok');
  });
});

it('stands in the table before what it brings about, where that is a cause, too', () => {
  for (const [at, { causes, bring }] of RULES.entries()) {
    const earlier = new Set(RULES.slice(0, at).flatMap((rule) => rule.causes));
    const isOneOfItself = causes.length === 1 && causes[0] === bring[0];
    if (!isOneOfItself)
      expect(
        bring.filter((id) => earlier.has(id) && !causes.includes(id)),
        `rule ${at}`,
      ).toEqual([]);
  }
});

it('whatever is found, each finding follows from one of the report that follows from none, and none is lost', () => {
  const anyFinding = record({ id: constantFrom(...FINDING_IDS), about: constantFrom(null, 'a', 'a:1', 'b:1') });
  assert(
    property(array(anyFinding, { maxLength: 30 }), (some) => {
      const findings = boundFindings(some.map(({ id, about }) => of(id, about)));
      const heads = findings.filter(({ follows }) => follows === undefined);
      for (const { follows, level } of findings) {
        if (follows === undefined) continue;
        const head = heads.find(({ id, about }) => id === follows.id && about === follows.about);
        expect(head).toBeDefined();
        expect(level).not.toBe('ok');
        expect(head?.level === 'failure' || level === 'warning').toBe(true);
      }
      const groups = inGroups(findings);
      expect(new Set(groups.flatMap(({ finding, following }) => [finding, ...following]))).toEqual(new Set(findings));
      expect(boundFindings(findings)).toEqual(findings);
      if (findings.some(({ level }) => level === 'failure')) expect(countLevels(findings).failures).toBeGreaterThan(0);
    }),
    { numRuns: 300 },
  );
});
