/** Everybody who is inside, to go through in an emergency. */
import { spanOf } from '../wording/sentences.js';
import { timeOf, words } from './browser.js';
import { nameOfPlate } from './muster-names.js';
import { plateOf, shownPlateOf } from './session-plates.js';
import { stayedMs } from './session-rows.js';
import { type Session, timezoneOf, zoneName } from './store.js';
import { ColumnHeads } from './parts.js';

/** Thousands are put in order while somebody waits. */
const inOrder = new Intl.Collator(words.locale);

/** How often each text stands there, in the order in which they come. */
function countsOf(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return counts;
}

/**
 * The list on paper. It has everybody, whatever is filtered on the screen.
 * @param props.now of when it is. @param props.printed when it was printed, and by whom
 * @param props.missing who is not on it; null: nobody. @param props.lot names of the lots
 */
export function Muster(props: {
  stays: readonly Session[];
  now: string;
  printed: string;
  missing: string | null;
  lot: string;
}) {
  const { stays, now, printed, missing, lot } = props;
  const say = words.sessions;
  const placeOf = ({ zone_id }: Session) => zoneName(zone_id);
  const ordered = stays.toSorted(
    (a, b) => inOrder.compare(placeOf(a), placeOf(b)) || inOrder.compare(plateOf(a), plateOf(b)),
  );
  return (
    <>
      <h1>
        {words.stays.muster}: {lot}
      </h1>
      {missing !== null && (
        <p>
          <strong>{missing}</strong>
        </p>
      )}
      <p>
        {printed}. {say.printed(now)}. {words.stays.musterNote}
      </p>
      <p>
        <strong>{words.stays.total(stays.length)}</strong>
        {[...countsOf(ordered.map(placeOf))].map(([zone, count]) => ` · ${zone}: ${count}`)}
      </p>
      <table>
        <thead>
          <tr>
            <ColumnHeads
              names={[
                words.stays.found,
                words.forms.plate,
                words.forms.name,
                words.forms.zone,
                say.entered,
                say.stayed,
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {ordered.map((stay) => (
            <tr key={stay.id}>
              <td>
                <span class="box" />
              </td>
              <td>
                <strong>{shownPlateOf(stay)}</strong>
              </td>
              <td>{nameOfPlate(plateOf(stay)) ?? ''}</td>
              <td>{placeOf(stay)}</td>
              <td>{timeOf(stay.created_at, timezoneOf(stay.zone_id))}</td>
              <td>{spanOf(stayedMs(stay) / 1000, words)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
