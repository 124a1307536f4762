/** An emergency is a state of the whole console: who opened everything in which lot stands above each view until somebody ends it. */
import { lotPath } from '../console-paths.js';
import { AskButton } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { releaseLot } from './commands.js';
import { Link } from './parts.js';
import { type Gateway, gateways, type Lot, released } from './store.js';

export function EmergencyBand() {
  const say = words.emergency;
  return (
    <section aria-label={say.label} class={released.value.length === 0 ? 'hidden' : 'emergencies'}>
      {released.value.map(({ id, name, timezone, released_at, released_by }) => (
        <div key={id} class="emergency">
          <p role="alert">
            <strong>{say.at(name)}</strong>{' '}
            {released_at !== null && releasedText({ id, released_by, released_at, timezone })}
            {gatewayThatReleased({ id, released_by }) !== undefined && <small> {say.ends}</small>}
          </p>
          <Link class="button small" to={lotPath(id)} label={`${say.toLot}: ${name}`}>
            {say.toLot}
          </Link>
          <AskButton
            label={words.lot.releaseEnd}
            about={name}
            title={say.endTitle(name)}
            what={words.lot.releaseEndHint}
            onYes={() => releaseLot(id, 'clear')}
            call={{ method: 'POST', path: `/v2/lots/${id}/release/clear`, body: {} }}
          />
        </div>
      ))}
    </section>
  );
}

type ReleaseFacts = Pick<Lot, 'id' | 'released_by'>;

/** The gateway of the lot at which somebody opened everything; undefined: it was opened from here, or by a program. */
export const gatewayThatReleased = ({ id, released_by }: ReleaseFacts): Gateway | undefined =>
  gateways.value.find(({ lot_id, name }) => lot_id === id && name === released_by);

/** Who opened everything, where, and since when it is held open. */
export function releasedText(lot: ReleaseFacts & { released_at: string; timezone: string }): string {
  const since = timeOf(lot.released_at, lot.timezone);
  const gateway = gatewayThatReleased(lot);
  if (gateway !== undefined) return words.emergency.atGateway(gateway.name, since);
  return words.lot.releasedBy(lot.released_by ?? '–', since);
}
