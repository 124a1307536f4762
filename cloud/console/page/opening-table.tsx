/** What a row of the list of openings shows, and what it has to tell when it is open. */
import { failureSentence } from '../wording/sentences.js';
import { secondsTimeOf, words } from './browser.js';
import { openingWords } from './opening-words.js';
import { CallShown, type FactList, Facts, joined, Link } from './parts.js';
import { shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import type { Opening } from './records.js';
import type { Column, RowTableOf } from './row-table.js';
import { gatewayOf, productOf, timezoneOfLot } from './store.js';

const say = openingWords;

const gateName = ({ product_id }: Pick<Opening, 'product_id'>): string =>
  productOf(product_id)?.name ?? say.gone(product_id);
const gatewayName = ({ gateway_id }: Opening): string => gatewayOf(gateway_id)?.name ?? '';
const timeOfOpening = ({ at, lot_id }: Opening): string => secondsTimeOf(at, timezoneOfLot(lot_id));

/** `Camera · ZG•••AB`, `Person · Olga` */
const giverOf = ({ cause, by, plate }: Opening): string =>
  joined([say.causes[cause], by, plate !== null && shownPlate(plate)]);

function resultOf({ outcome, gateway_error }: Opening): string {
  if (outcome !== 'failed' || gateway_error === null) return say.outcomes[outcome];
  return say.failed(failureSentence(gateway_error.type, words));
}

const toneOf = ({ outcome }: Opening): string =>
  outcome === 'succeeded' ? 'good' : outcome === 'failed' ? 'bad' : 'warn';

const COLUMNS: readonly Column<Opening>[] = [
  { key: 'gate', head: say.gate, look: 'col-id', cell: gateName },
  { key: 'time', head: words.rows.time, look: 'col-time', cell: timeOfOpening },
  {
    key: 'happened',
    head: say.happened,
    look: 'col-said',
    cell: (opening) => (
      <span class="sentence">
        {giverOf(opening)}
        <br />
        {words.operations[opening.operation]} – {resultOf(opening)}
      </span>
    ),
  },
  { key: 'gateway', head: say.gateway, look: 'col-minor', cell: gatewayName },
];

export const OPENING_TABLE: RowTableOf<Opening> = {
  name: 'opening',
  label: words.views.openings,
  columns: COLUMNS,
  usual: { by: 'time', isDown: true },
  look: (opening) => `reading ${toneOf(opening)}`,
  title: (opening) => joined([gateName(opening), timeOfOpening(opening)]),
  details: (opening) => <OpeningDetails opening={opening} />,
};

function OpeningDetails({ opening }: { opening: Opening }) {
  const { id, cause, by, plate, plate_reading_id, event_id, operation } = opening;
  const facts: FactList = [
    [say.gate, gateName(opening)],
    [words.rows.time, timeOfOpening(opening)],
    [say.operation, words.operations[operation]],
    [say.by, joined([say.causes[cause], by])],
    ...(plate === null ? [] : [[words.forms.plate, shownPlate(plate)] as const]),
    ...(gatewayName(opening) === '' ? [] : [[say.gateway, gatewayName(opening)] as const]),
    ...(event_id === null ? [] : [[say.code, event_id] as const]),
  ];
  return (
    <div class="details">
      <div class="aside">
        <p class={`verdict ${toneOf(opening)}`}>{resultOf(opening)}</p>
        <Facts facts={facts} />
        {plate !== null && plate_reading_id !== null && (
          <RevealButton asked={[{ of: { list: 'plate-readings', id: plate_reading_id }, plates: [plate] }]} />
        )}
        {plate_reading_id !== null && (
          <p>
            <Link to={`/live?reading=${plate_reading_id}`}>{say.vehicle}</Link>
          </p>
        )}
        <CallShown call={{ method: 'GET', path: `/v2/openings?filter=id:eq:${id}` }} />
      </div>
    </div>
  );
}

/** Gates by their names, or by their numbers where they are gone. */
export const nameOfGate = (product_id: number): string => gateName({ product_id });
