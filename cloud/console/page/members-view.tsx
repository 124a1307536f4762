/** Members and their groups: whose plates open what. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { membersCsv } from '../members/member-csv.js';
import { ListState } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { QueryField } from './fields.js';
import { saveFile } from './files.js';
import { GroupsPart } from './groups-part.js';
import { LoadingSign } from './loading-sign.js';
import { MemberEditor } from './member-editor.js';
import { MemberImport } from './member-import-part.js';
import { allMembers, findMembers, type Member, timezoneOfMembers } from './member-reads.js';
import { Button, joined, Refused, Notice } from './parts.js';
import { query, queryOf, setQuery } from './place.js';
import { Plate } from './plate-part.js';
import { useSending } from './sending.js';
import { serverNow } from './server-clock.js';
import { isLoaded } from './store.js';
import { useRead } from './use-read.js';

const TABS = ['members', 'groups', 'import'] as const;

export function MembersView() {
  if (!isLoaded.value) return <LoadingSign />;
  const tab = TABS.find((each) => each === queryOf('show')) ?? 'members';
  const { tabs } = words.members;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.members}</h1>
        <div class="buttons">
          {TABS.map((each) => (
            <Button
              key={each}
              look="small"
              word={tabs[each]}
              isPressed={each === tab}
              onClick={() => setQuery({ show: each === 'members' ? '' : each, edit: '', find: '' })}
            />
          ))}
        </div>
      </div>
      {tab === 'members' && <MembersPart />}
      {tab === 'groups' && <GroupsPart />}
      {tab === 'import' && <MemberImport />}
    </>
  );
}

const PAGE = 50;
/** More members are found by searching. */
const SHOWN_MAX = 300;

function MembersPart() {
  const text = queryOf('find');
  const edited = query.value.get('edit');
  const size = useSignal(PAGE);
  const notice = useSignal('');
  const list = useRead(`${size.value} ${text}`, (signal) => findMembers(text, { size: size.value, signal }));
  useEffect(() => {
    size.value = PAGE;
  }, [text]);
  const { members, total } = list.found ?? { members: null, total: 0 };
  const say = words.members;
  return (
    <>
      <p class="facts">{say.what}</p>
      <div class="tools">
        <QueryField name="find" label={words.forms.search} type="search" hint={say.searchHint} />
        <div class="buttons">
          <Button look="main" word={say.make} onClick={() => setQuery({ edit: 'new' })} />
          <ExportButton />
        </div>
      </div>
      <Notice text={notice.value} />
      <ListState list={{ ...list, found: members }} none={text === '' ? say.none : say.noneFits} />
      {members !== null && members.length > 0 && (
        <>
          <ul class="records">
            {members.map((member) => (
              <MemberRow key={member.id} member={member} />
            ))}
          </ul>
          <div class="more">
            <p class="facts">{words.forms.shown(members.length, total)}</p>
            {members.length < Math.min(total, SHOWN_MAX) && (
              <Button word={words.forms.more} onClick={() => (size.value = Math.min(size.value + PAGE, SHOWN_MAX))} />
            )}
          </div>
        </>
      )}
      {edited !== null && (
        <MemberEditor
          key={edited}
          id={edited === 'new' ? null : Number(edited)}
          onClose={(said) => {
            setQuery({ edit: '' });
            notice.value = said;
            if (said !== '') list.again();
          }}
        />
      )}
    </>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { id, name, plates, email, description, valid_from, valid_until, groups } = member;
  const say = words.members;
  const shown = (iso: string | null) => (iso === null ? null : timeOf(iso, timezoneOfMembers()));
  const times = words.displays.window(shown(valid_from), shown(valid_until));
  return (
    <li class="record">
      <button
        type="button"
        class="name"
        aria-label={`${words.forms.edit}: ${name}`}
        onClick={() => setQuery({ edit: String(id) })}
      >
        {name}
      </button>
      {plates.length === 0 ? (
        <span class="facts">{say.noPlate}</span>
      ) : (
        <span class="plates">
          {plates.map((plate) => (
            <span key={plate}>
              <Plate plate={plate} of={{ list: 'members', id }} />
            </span>
          ))}
        </span>
      )}
      <span class="facts about">{joined([times, email, description])}</span>
      <span class="tags">
        <Standing member={member} />
        {groups.map((group) => (
          <span key={group.id} class="tag">
            {group.name}
          </span>
        ))}
        {groups.length === 0 && <span class="tag warn">{say.noGroups}</span>}
      </span>
    </li>
  );
}

/** Why the plates of a member open nothing now. */
function Standing({ member: { blocked_at, blocked_reason, valid_from, valid_until } }: { member: Member }) {
  const say = words.members;
  const now = serverNow();
  if (blocked_at !== null)
    return (
      <span class="tag bad">{say.blockedSince(timeOf(blocked_at, timezoneOfMembers()), blocked_reason ?? '')}</span>
    );
  if (valid_until !== null && Date.parse(valid_until) <= now) return <span class="tag warn">{say.over}</span>;
  if (valid_from !== null && Date.parse(valid_from) > now) return <span class="tag warn">{say.notYet}</span>;
  return null;
}

function ExportButton() {
  const reading = useSending([]);
  const save = async () =>
    saveFile(`members-${new Date().toISOString().slice(0, 10)}.csv`, membersCsv(await allMembers()));
  return (
    <>
      <Button
        word={reading.isBusy ? words.members.exporting : words.forms.csv}
        isBusy={reading.isBusy}
        onClick={() => reading.send(save)}
      />
      <Refused refusal={reading.refusal} />
    </>
  );
}
