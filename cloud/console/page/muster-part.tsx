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

/**
 * The list on paper. It has everybody, whatever is filtered on the screen.
 * @param props.missing who is not on it; null: nobody
 */
export function Muster(props: {
  stays: readonly Session[];
  now: string;
  missing: string | null;
  lot: string | undefined;
}) {
  const { stays, now, missing, lot } = props;
  const say = words.sessions;
  const placeOf = ({ zone_id }: Session) => zoneName(zone_id);
  const ordered = stays.toSorted(
    (a, b) => inOrder.compare(placeOf(a), placeOf(b)) || inOrder.compare(plateOf(a), plateOf(b)),
  );
  return (
    <>
      <h1>
        {words.stays.muster}
        {lot !== undefined && `: ${lot}`}
      </h1>
      {missing !== null && (
        <p>
          <strong>{missing}</strong>
        </p>
      )}
      <p>
        {say.printed(now)}. {words.stays.total(stays.length)}. {words.stays.musterNote}
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
