/** Who did what: the audit log, narrowed down by filters, read page by page. */
import type { components } from '@parking-gateway/client';
import { type AuditNames, auditSentence, detailLines, platesIn, reasonOf } from '../wording/audit-sentences.js';
import { Facts, Listed } from './admin-parts.js';
import { namesOfActors, namesOfThings, NOBODY } from './actor-names.js';
import { type LongList, useLongList } from './long-list.js';
import { exactTimeOf, words } from './browser.js';
import { Choice, Field } from './parts.js';
import { query, setQuery } from './place.js';
import { type PlateOwner, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { client } from './session.js';
import { lots } from './store.js';
import { useRead } from './use-read.js';

const say = words.audit;

type Entry = components['schemas']['AuditRecord'];

const ACTORS = ['user', 'api_token', 'operator', 'public', 'system'] as const;
const DAY_LAST_MS = 86_399_999;

export function AuditView() {
  const of = (name: string) => query.value.get(name) ?? '';
  const [action, target, who, from, to] = [of('action'), of('target'), of('who'), of('from'), of('to')];
  const dayStart = (day: string) => new Date(`${day}T00:00:00`);
  const filter = [
    ...(action === '' ? [] : [`action:like:${action}`]),
    ...(target === '' ? [] : [`target:like:${target}`]),
    ...(who === '' ? [] : [`actor_type:eq:${who}`]),
    ...(from === '' ? [] : [`date_from:eq:${dayStart(from).toISOString()}`]),
    ...(to === '' ? [] : [`date_to:eq:${new Date(dayStart(to).getTime() + DAY_LAST_MS).toISOString()}`]),
  ];
  const entries: LongList<Entry> = useLongList(JSON.stringify(filter), ({ beyond, size }, signal) =>
    client().get('/v2/audit-log', { query: { filter: [...filter, ...beyond], size }, signal }),
  );
  const actors = useRead('names', namesOfActors).value.value ?? NOBODY;
  const things = namesOfThings();
  return (
    <>
      <h1 tabIndex={-1}>{say.title}</h1>
      <p class="facts">{say.what}</p>
      <search class="card filters">
        <Choice
          label={say.action}
          value={action}
          onValue={(value) => setQuery({ action: value })}
          options={[
            { value: '', text: say.everything },
            ...Object.entries<string>(kindsWith(action)).map(([value, text]) => ({ value, text })),
          ]}
        />
        <Field
          label={say.target}
          type="search"
          hint={say.targetHint}
          value={target}
          onValue={(value) => setQuery({ target: value })}
        />
        <Choice
          label={say.who}
          value={who}
          onValue={(value) => setQuery({ who: value })}
          options={[
            { value: '', text: say.everybody },
            ...ACTORS.map((each) => ({ value: each, text: say.actors[each] })),
          ]}
        />
        <Field label={say.from} type="date" value={from} onValue={(value) => setQuery({ from: value })} />
        <Field label={say.to} type="date" value={to} onValue={(value) => setQuery({ to: value })} />
      </search>
      <Listed list={entries} none={say.none}>
        <ol class="rows card">
          {entries.rows?.map((entry) => (
            <EntryRow key={entry.id} entry={entry} names={{ ...actors, things }} />
          ))}
        </ol>
      </Listed>
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
