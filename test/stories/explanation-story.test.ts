import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CONSOLE_WORDS as words } from '../../cloud/console/wording/en.js';
import { otherSentence, ruleSentence } from '../../cloud/console/wording/rule-sentences.js';
import { decisionSentence } from '../../cloud/console/wording/sentences.js';
import { TEST_SITE } from '../world/site.js';
import type { RealtimeListener } from '../world/realtime-listener.js';
import { waitUntil } from '../../scripts/sim/wait-until.js';
import { createWorld, type World } from '../world/world.js';

type Direction = 'in' | 'out' | 'undefined';

interface Explanation {
  plate_reading_id: number;
  decided_by: string | null;
  access_decision: string | null;
  access_decision_reason: string | null;
  rules: { rule: string; outcome: string; facts: Record<string, string | number | null> }[];
  would_change: {
    fact: string;
    value: unknown;
    instead: string | number | null;
    access_decision: string | null;
    access_decision_reason: string | null;
  }[];
}

/** A kind of reading, and why it is decided as it is. */
type Kind = [what: string, reason: string | null, rule: string | null, wouldChange: string];

describe('explanation story: every decision can be explained, and asked beforehand', () => {
  let world: World;
  let stream: RealtimeListener;
  let zone: { id: number; tariff_ids: number[] };
  const printed: string[] = [];

  beforeAll(async () => {
    // A camera that sees both ways, so that there are reads without a direction; and an entry that has to be sure.
    world = await createWorld({
      alterSite: (yaml) => yaml.replace('lpr_position: in,', 'lpr_position: in, min_confidence: 0.5,'),
    });
    stream = await world.listen();
    const { body } = await world.api<{ data: { id: number; tariff_ids: number[] }[] }>('/v2/zones');
    zone = body.data[0] as typeof zone;
  });
  afterAll(async () => {
    process.stdout.write(`\n${printed.join('\n')}\n`);
    await stream?.close();
    await world?.close();
  });

  async function explanationOf(
    camera: string,
    read: Record<string, unknown>,
  ): Promise<Explanation & { direction: Direction }> {
    const before = stream.of('plate_reading_create').length;
    await world.sim('POST', `/cameras/${camera}/read`, read);
    const created = (await stream.waitFor('plate_reading_create', before + 1)).at(-1);
    const { body } = await world.api<{ data: Explanation }>(`/v2/plate-readings/${created?.payload.id}/explanation`);
    return { ...body.data, direction: created?.payload.direction as Direction };
  }

  async function explain(
    [what, reason, rule, fact]: Kind,
    camera: string,
    read: Record<string, unknown>,
  ): Promise<void> {
    const explanation = await explanationOf(camera, read);
    printed.push(...shown(what, explanation));
    expect([what, explanation.access_decision_reason]).toEqual([what, reason]);
    expect([what, explanation.rules.at(-1)?.rule ?? null]).toEqual([what, rule]);
    expect(explanation.decided_by).toBe(TEST_SITE.gatewayUuid);
    expect(explanation.would_change.map((other) => other.fact)).toContain(fact);
  }

  const { entryCamera, exitCamera, memberPlate } = TEST_SITE;

  it('explains ten readings of ten kinds', async () => {
    await explain(['a member comes', 'whitelist', 'whitelist', 'direction'], entryCamera, { plate: memberPlate });
    await explain(['the same plate again', 'debounce', 'debounce', 'elapsed_ms'], entryCamera, { plate: memberPlate });
    await explain(['a stranger comes', 'tariff', 'tariff', 'has_tariff'], entryCamera, { plate: 'ST 55-AB' });
    await explain(['the wrong way', 'direction_mismatch', 'direction_mismatch', 'direction'], entryCamera, {
      plate: 'RI 1-A',
      direction: 'out',
    });
    await explain(['no direction', null, null, 'direction'], entryCamera, { plate: 'RI 2-B', direction: 'undefined' });
    await explain(['a member leaves', 'session_exit', 'session_exit', 'direction'], exitCamera, {
      plate: memberPlate,
    });
    await explain(['a look-alike leaves', 'session_exit', 'session_exit', 'look_alike_session_age_ms'], exitCamera, {
      plate: 'ST 55-A8',
    });
    await explain(
      ['nobody knows it at the exit', 'no_active_session', 'offline_exit', 'own_session_age_ms'],
      exitCamera,
      {
        plate: 'DU 777-AA',
      },
    );

    await world.sim('PATCH', `/places/${TEST_SITE.places[0]}`, { occupied: true });
    await world.call('PATCH', `/v2/zones/${zone.id}`, { body: { spot_count: 1 } });
    await reasonIs('max_capacity');
    await explain(['the zone is full', 'max_capacity', 'max_capacity', 'occupied_count'], entryCamera, {
      plate: 'KA 1-F',
    });
    await world.call('PATCH', `/v2/zones/${zone.id}`, { body: { tariff_ids: [] } });
    await reasonIs('no_tariff');
    await explain(['no tariff', 'no_tariff', 'tariff', 'whitelisted'], entryCamera, { plate: 'KA 2-T' });
  });

  it('explains a read that its camera is not sure of: it is a sighting', async () => {
    const before = stream.of('plate_reading_create').length;
    await world.sim('POST', `/cameras/${entryCamera}/read`, { plate: memberPlate, confidence: 0.3 });
    await waitUntil('the sighting', async () => {
      const { body } = await world.api<{ data: unknown[] }>('/v2/sightings');
      return body.data.length === 1;
    });
    expect(stream.of('plate_reading_create')).toHaveLength(before);
  });

  /** Sends strangers until the gateway knows the new rules. */
  async function reasonIs(reason: string): Promise<void> {
    let strangers = 0;
    await waitUntil(`a stranger to be ${reason}`, async () => {
      const plate = `XX ${strangers++}-${reason.slice(0, 2)}`;
      return (await explanationOf(entryCamera, { plate })).access_decision_reason === reason;
    });
    const { body } = await world.api<{ data: { id: number; device_id: string; zone_id: number }[] }>('/v2/lpr-cameras');
    const camera = body.data.find(({ device_id }) => device_id === entryCamera);
    const { body: lots } = await world.api<{ data: { id: number }[] }>('/v2/lots');
    const asked = `plate=QQ99&lpr_camera_id=${camera?.id}`;
    const admission = await world.api<{ data: Explanation }>(`/v2/lots/${lots.data[0]?.id}/would-admit?${asked}`);
    expect(admission.body.data.access_decision_reason).toBe(reason);
  }
});

/** As the console shows it to a person. */
function shown(what: string, explanation: Explanation & { direction: Direction }): string[] {
  const { direction, rules, would_change } = explanation;
  const say = words.rules;
  return [
    `${what}: ${decisionSentence(explanation, words)}`,
    ...rules.map(
      ({ rule, outcome, facts }) =>
        `    ${(say.names[rule] ?? rule).padEnd(22)} ${ruleSentence({ rule, facts }, words)} [${say.outcomes[outcome as keyof typeof say.outcomes]}]`,
    ),
    ...would_change.map((other) => `    ${say.otherwise}: ${otherSentence(other, direction, words)}`),
  ];
}
