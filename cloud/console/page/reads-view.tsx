/** The search over all reads: by a part of a plate, by what looks like it, by camera, time, decision and look of the vehicle. */
import { useEffect, useMemo } from 'preact/hooks';
import { fileName } from '../wording/file-name.js';
import { filterOfPlate, isPlatePattern } from '../wording/read-search.js';
import { words } from './browser.js';
import { CsvButton } from './csv-part.js';
import { Check, DayFields, dayFilters, filterOf, named, QueryChoice, QueryField, worded } from './fields.js';
import { EmptySearch, FoundRows } from './found-rows.js';
import { LetQuestion } from './let-question.js';
import { KeysOfList } from './list-keys.js';
import { LoadingSign } from './loading-sign.js';
import { useLongList } from './long-list.js';
import { readWords } from './opening-words.js';
import { queryOf, setQuery } from './place.js';
import { letting } from './queue-part.js';
import { readingTable } from './reading-rows.js';
import { inOrderAsked } from './row-table.js';
import { client } from './session.js';
import { cameras, isLoaded, type Reading } from './store.js';

const say = readWords;

/** What the address asks for, as the service's filters. */
const filterAsked = (): string[] => [
  ...filterOfPlate({ plate: queryOf('plate'), isAlike: queryOf('alike') !== '' }),
  ...filterOf({
    'lpr_camera_id:eq': queryOf('camera'),
    'direction:eq': queryOf('direction'),
    'access_decision:eq': queryOf('decision'),
    'access_decision_reason:eq': queryOf('reason'),
    'color:like': queryOf('color'),
    'make:like': queryOf('make'),
  }),
  ...dayFilters(),
];

export function ReadsView() {
  useEffect(() => () => void (letting.value = null), []);
  const filter = filterAsked();
  const list = useLongList<Reading>(JSON.stringify(filter), ({ beyond, size }, signal) =>
    client().get('/v2/plate-readings', { query: { filter: [...filter, ...beyond], size }, signal }),
  );
  const { again, found } = list;
  const table = useMemo(() => readingTable({ onEnded: again, onChanged: again }), [JSON.stringify(filter)]);
  if (!isLoaded.value) return <LoadingSign />;
  return (
    <>
      <div class="head slim">
        <h1 tabIndex={-1}>{words.views.reads}</h1>
        <Filters />
        <div class="buttons">
          <CsvButton
            path="/v2/plate-readings/export"
            filter={filter}
            fileName={fileName([say.file, queryOf('from'), queryOf('to')], 'csv')}
            label={words.forms.csv}
            rowsAll={null}
          />
          <KeysOfList name="reading" />
        </div>
      </div>
      <p class="facts">
        {say.what} {say.plateHint}
      </p>
      {letting.value !== null && <LetQuestion key={letting.value.id} reading={letting.value} />}
      <FoundRows
        of={table}
        list={{ ...list, found: found === null ? null : inOrderAsked(found, table) }}
        none={say.none}
      />
    </>
  );
}

const SEARCHED = ['plate', 'alike', 'camera', 'direction', 'decision', 'reason', 'color', 'make', 'from', 'to'];

function Filters() {
  const { directions } = words.live;
  const isPattern = isPlatePattern(queryOf('plate'));
  return (
    <search class="slim">
      <QueryField name="plate" label={words.forms.plate} type="search" />
      {queryOf('plate').trim() !== '' && !isPattern && (
        <Check
          label={say.alike}
          value={queryOf('alike') !== ''}
          onValue={(isAlike) => setQuery({ alike: isAlike ? '1' : '' })}
        />
      )}
      <QueryChoice name="camera" label={words.rows.camera} options={named(cameras.value, say.allCameras)} />
      <DayFields />
      <QueryChoice
        name="direction"
        label={say.direction}
        options={worded({ '': say.any, in: directions.in, out: directions.out })}
      />
      <QueryChoice name="decision" label={words.rows.decision} options={worded({ '': say.any, ...say.decisions })} />
      <QueryChoice name="reason" label={say.reason} options={worded({ '': say.any, ...say.reasons })} />
      <QueryField name="color" label={say.color} type="search" />
      <QueryField name="make" label={say.make} type="search" />
      <EmptySearch of={SEARCHED} />
    </search>
  );
}
