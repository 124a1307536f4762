/** Who did what: the audit log, narrowed down by filters, read page by page. */
import type { components } from '@parking-gateway/client';
import { type AuditNames, auditSentence, detailLines, platesIn, reasonOf } from '../wording/audit-sentences.js';
import { filterOfKind } from '../wording/audit-kinds.js';
import { namesOfActors, namesOfThings, NOBODY } from './actor-names.js';
import { Listed } from './admin-parts.js';
import { exactTimeOf, words } from './browser.js';
import { DayFields, dayFilters, filterOf, QueryChoice, QueryField, worded } from './fields.js';
import { type LongList, useLongList } from './long-list.js';
import { Facts } from './parts.js';
import { queryOf } from './place.js';
import { type PlateOwner, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { client } from './session.js';
import { lots } from './store.js';
import { useRead } from './use-read.js';

const say = words.audit;

type Entry = components['schemas']['AuditRecord'];

export function AuditView() {
  const action = queryOf('action');
  const filter = [
    ...filterOfKind(action),
    ...filterOf({ 'target:like': queryOf('target'), 'actor_type:eq': queryOf('who') }),
    ...dayFilters(),
  ];
  const entries: LongList<Entry> = useLongList(JSON.stringify(filter), ({ beyond, size }, signal) =>
    client().get('/v2/audit-log', { query: { filter: [...filter, ...beyond], size }, signal }),
  );
  const actors = useRead('names', namesOfActors).found ?? NOBODY;
  const things = namesOfThings();
  return (
    <>
      <h1 tabIndex={-1}>{words.views.audit}</h1>
      <p class="facts">{say.what}</p>
      <search class="card filters">
        <QueryChoice
          name="action"
          label={say.action}
          options={[{ value: '', text: say.everything }, ...worded(kindsWith(action))]}
        />
        <QueryField name="target" label={say.target} type="search" hint={say.targetHint} />
        <QueryChoice name="who" label={say.who} options={worded({ '': say.everybody, ...say.actors })} />
        <DayFields />
      </search>
      <Listed
        list={entries}
        none={say.none}
        as="ol"
        class="rows card"
        row={(entry) => <EntryRow key={entry.id} entry={entry} names={{ ...actors, things }} />}
      />
    </>
  );
}

/** An address may ask for any other action. */
const kindsWith = (action: string): Record<string, string> =>
  action === '' || Object.hasOwn(say.kinds, action) ? say.kinds : { [action]: action, ...say.kinds };

function EntryRow({ entry, names }: { entry: Entry; names: AuditNames }) {
  const { id, created_at, details, hash } = entry;
  const reason = reasonOf(details);
  const plates = platesIn(entry);
  const owner = ownerOf(entry.target);
  return (
    <li>
      <span class="facts at">{exactTimeOf(created_at)}</span>
      <span class="what">
        {auditSentence(entry, names, words)} {reason !== null && <q>{reason}</q>}
      </span>
      <details>
        <summary aria-label={say.detailsOf(id)}>{say.details}</summary>
        <Facts facts={[...detailLines(entry, words, shownPlate), [say.hash, hash]]} />
        {owner !== undefined && plates.length > 0 && <RevealButton asked={[{ of: owner, plates }]} />}
      </details>
    </li>
  );
}

/** What targets call the things that have plates, and their lists. */
const LISTS: Readonly<Record<string, PlateOwner['list']>> = {
  'plate reading': 'plate-readings',
  session: 'sessions',
  member: 'members',
  'license plate alert': 'license-plate-alerts',
  'key log': 'key-logs',
  lot: 'lots',
};

/** Where to ask for the plates of an entry: at the thing that it is about, or else at a lot, as for all plates. */
function ownerOf(target: string): PlateOwner | undefined {
  for (const part of target.split(', ')) {
    const [, noun = '', id = ''] = /^([a-z ]+) (\d+)$/.exec(part) ?? [];
    const list = LISTS[noun];
    if (list !== undefined) return { list, id: Number(id) };
  }
  const [first] = lots.value;
  return first === undefined ? undefined : { list: 'lots', id: first.id };
}
