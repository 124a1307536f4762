/** Members as a table: searched, filtered and sorted by the service, and changed one by one or several at once. */
import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { localTimeText } from '../../../shared/local-time-text.js';
import { membersCsv } from '../members/member-csv.js';
import { STANDINGS, standingFilters } from '../members/member-standing.js';
import { fileName } from '../wording/file-name.js';
import { words } from './browser.js';
import { filterOf, named, QueryChoice, QueryField, worded } from './fields.js';
import { saveFile } from './files.js';
import { FoundRows } from './found-rows.js';
import { KeysOfList } from './list-keys.js';
import { type LongList, useLongList } from './long-list.js';
import { MemberBulk } from './member-bulk.js';
import { choose, chooseNone, chooseNot, chosenMembers } from './member-choice.js';
import { MemberEditor } from './member-editor.js';
import { allGroups, allMembers, type Group, type Member, timezoneOfMembers } from './member-reads.js';
import { MEMBER_TABLE } from './member-table.js';
import { memberWords } from './member-words.js';
import { Button, Notice, Refused } from './parts.js';
import { query, queryOf, setQuery } from './place.js';
import { orderOf } from './row-table.js';
import { useSending } from './sending.js';
import { serverNow } from './server-clock.js';
import { client, totalOf } from './session.js';
import { minute } from './store.js';
import { useRead } from './use-read.js';

const say = memberWords.list;
const count = new Intl.NumberFormat(words.locale);

const SEARCHED = ['find', 'group', 'state'];
const NO_GROUP = 'none';

/** What the address asks for, as the service's filters. */
function filterAsked(): string[] {
  const group = queryOf('group');
  return [
    ...filterOf({ 'search:like': queryOf('find').trim(), 'group_id:eq': group === NO_GROUP ? '' : group }),
    ...(group === NO_GROUP ? ['group_id:isnull'] : []),
    ...standingFilters(queryOf('state'), serverNow()),
  ];
}

type MemberSort = `${'name' | 'license_plate' | 'valid_from' | 'valid_until'}:${'asc' | 'desc'}`;

/** The members that the address asks for. @param total is set to how many there are */
function useFoundMembers(total: Signal<number | null>): LongList<Member> {
  const { by, isDown } = orderOf(MEMBER_TABLE);
  // The columns that sort are named as the service names them.
  const sort = `${by}:${isDown ? 'desc' : 'asc'}` as MemberSort;
  return useLongList<Member>(JSON.stringify([...SEARCHED, 'sort'].map(queryOf)), async ({ page, size }, signal) => {
    const { data, meta } = await client().request('get', '/v2/members', {
      query: { filter: filterAsked(), sort, page, size },
      signal,
    });
    total.value = totalOf(meta);
    return data;
  });
}

/** @param props.tabs stand beside the title */
export function MembersPart({ tabs }: { tabs: ComponentChildren }) {
  const total = useSignal<number | null>(null);
  const notice = useSignal('');
  const list = useFoundMembers(total);
  const groups = useRead('groups', allGroups);
  const edited = query.value.get('edit');
  const isSearched = SEARCHED.some((name) => queryOf(name) !== '');
  const again = (said: string) => {
    notice.value = said;
    list.again();
  };
  useEffect(() => chooseNone, []);
  const isEmpty = list.found?.length === 0 && !isSearched;
  const make = <Button look="main" word={words.members.make} onClick={() => setQuery({ edit: 'new' })} />;
  return (
    <>
      <div class="head slim">
        <h1 tabIndex={-1}>{words.views.members}</h1>
        {tabs}
        <div class="buttons">
          {!isEmpty && make}
          <ExportButton />
          <KeysOfList
            name="member"
            onKey={onKey}
            own={[
              ['e', say.editKey],
              ['x', say.pickKey],
            ]}
          />
        </div>
      </div>
      {!isEmpty && <Filters groups={groups.found ?? []} isSearched={isSearched} total={total.value} />}
      <Notice text={notice.value} />
      <MemberBulk
        shown={list.found ?? []}
        total={total.value}
        filter={filterAsked}
        groups={groups.found ?? []}
        onDone={again}
      />
      <FoundRows
        of={MEMBER_TABLE}
        list={list}
        none={isSearched ? words.members.noneFits : words.members.none}
        first={isEmpty && make}
      />
      {edited !== null && (
        <MemberEditor
          key={edited}
          id={edited === 'new' ? null : Number(edited)}
          onClose={(said) => {
            setQuery({ edit: '' });
            if (said !== '') again(said);
          }}
        />
      )}
    </>
  );
}

/** The keys that this list has besides those of every list. */
function onKey(key: string, { id }: { id: number | null }): boolean {
  const of = id ?? Number(queryOf('member'));
  if (of === 0 || (key !== 'e' && key !== 'x')) return false;
  if (key === 'e') setQuery({ edit: String(of) });
  else if (chosenMembers.value.has(of)) chooseNot([of]);
  else choose([[of, document.getElementById(`member-${of}`)?.textContent ?? '']]);
  return true;
}

function Filters(props: { groups: readonly Group[]; isSearched: boolean; total: number | null }) {
  const { groups, isSearched, total } = props;
  const groupOptions = [...named(groups, say.allGroups), { value: NO_GROUP, text: say.noGroup }];
  const states = worded({ '': say.anyState, ...say.states }, ['', ...STANDINGS]);
  // What may enter changes with the time.
  void minute.value;
  return (
    <search class="slim">
      <QueryField name="find" label={words.members.searchHint.replace(/\.$/, '')} type="search" />
      <QueryChoice name="group" label={say.group} options={groupOptions} />
      <QueryChoice name="state" label={words.forms.status} options={states} />
      {isSearched && (
        <Button
          look="small"
          word={words.found.empty}
          onClick={() => setQuery(Object.fromEntries(SEARCHED.map((name) => [name, ''])))}
        />
      )}
      <p class="facts" role="status">
        {total !== null && say.counted(count.format(total))}
      </p>
    </search>
  );
}

/** By the clocks of the lots. */
const today = (): string => localTimeText(serverNow(), timezoneOfMembers()).slice(0, 10);

function ExportButton() {
  const reading = useSending([]);
  const save = async () =>
    saveFile(fileName([words.members.tabs.members, today()], 'csv'), membersCsv(await allMembers()));
  return (
    <>
      <Button
        look="small"
        word={reading.isBusy ? words.members.exporting : words.forms.csv}
        isBusy={reading.isBusy}
        onClick={() => reading.send(save)}
      />
      <Refused refusal={reading.refusal} />
    </>
  );
}
