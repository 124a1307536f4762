/** Why a vehicle was let through or not: asked for when somebody wants to know. */
import type { components } from '@parking-gateway/client';
import { timeOf, words } from './browser.js';
import { CallShown, Refused } from './parts.js';
import { isMasked } from './plate-mask.js';
import { Otherwise, Rules } from './rules-part.js';
import { client } from './session.js';
import { gateways, type Reading, timezoneOf } from './store.js';
import { useRead } from './use-read.js';

type Explanation = components['schemas']['DecisionExplanation'];

export function Explanation({ reading }: { reading: Reading }) {
  const say = words.rules;
  const { id, direction, access_decision } = reading;
  // A decision that was made anew, after a better picture, has other rules.
  const { found, refusal } = useRead(`${id} ${access_decision}`, (signal) =>
    client().get('/v2/plate-readings/{id}/explanation', { path: { id }, signal }),
  );
  return (
    <section class="why" aria-labelledby={`why-${id}`}>
      <h2 id={`why-${id}`}>{say.why}</h2>
      <Refused refusal={refusal} />
      {found?.rules.length === 0 && <p class="facts">{say.unknown}</p>}
      {found !== null && found.rules.length > 0 && (
        <>
          <Rules rules={found.rules} isMasked={isMasked(reading.plate)} />
          <Otherwise others={found.would_change} direction={direction} />
          <p class="facts">{decidedBy(found, timezoneOf(reading.zone_id))}</p>
        </>
      )}
      <CallShown call={{ method: 'GET', path: `/v2/plate-readings/${id}/explanation` }} />
    </section>
  );
}

function decidedBy({ decided_by, decided_at }: Explanation, timezone: string | undefined): string {
  if (decided_by === null || decided_at === null) return '';
  const name = gateways.value.find(({ uuid }) => uuid === decided_by)?.name ?? decided_by;
  return words.rules.decidedBy(name, timeOf(decided_at, timezone));
}
