/** Members and their groups: whose plates open what. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { membersCsv } from '../members/member-csv.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { saveFile } from './files.js';
import { Told } from './form-parts.js';
import { GroupsPart } from './groups-part.js';
import { MemberImport } from './member-import-part.js';
import { MemberEditor } from './member-editor.js';
import { allMembers, findMembers, type Member } from './member-reads.js';
import { Empty, Field, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { Plate } from './plate-part.js';
import { refusalOf } from './session.js';
import { isLoaded } from './store.js';
import { useRead } from './use-read.js';

const TABS = ['members', 'groups', 'import'] as const;

export function MembersView() {
  if (!isLoaded.value) return <Empty>{words.loading}</Empty>;
  const tab = TABS.find((each) => each === query.value.get('show')) ?? 'members';
  const { title, tabs } = words.members;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{title}</h1>
        <div class="buttons">
          {TABS.map((each) => (
            <button
              key={each}
              type="button"
              class="small"
              aria-pressed={each === tab}
              onClick={() => setQuery({ show: each === 'members' ? '' : each, edit: '', find: '' })}
            >
              {tabs[each]}
            </button>
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
/** Who has more to look through searches. */
const SHOWN_MAX = 300;

function MembersPart() {
  const text = query.value.get('find') ?? '';
  const edited = query.value.get('edit');
  const size = useSignal(PAGE);
  const told = useSignal('');
  const list = useRead(`${size.value} ${text}`, (signal) => findMembers(text, { size: size.value, signal }));
  useEffect(() => {
    size.value = PAGE;
  }, [text]);
  const found = list.value.value;
  const say = words.members;
  return (
    <>
      <p class="facts">{say.what}</p>
      <div class="tools">
        <Field
          label={words.forms.search}
          type="search"
          value={text}
          hint={say.searchHint}
          onValue={(value) => setQuery({ find: value })}
        />
        <div class="buttons">
          <button type="button" class="main" onClick={() => setQuery({ edit: 'new' })}>
            {say.make}
          </button>
          <ExportButton />
        </div>
      </div>
      <Told text={told.value} />
      <Refused refusal={list.refusal.value} onAgain={list.again} />
      {found === null && list.refusal.value === null && <Empty>{words.loading}</Empty>}
      {found?.members.length === 0 && <Empty>{text === '' ? say.none : say.noneFits}</Empty>}
      {found !== null && found.members.length > 0 && (
        <>
          <ul class="records">
            {found.members.map((member) => (
              <MemberRow key={member.id} member={member} />
            ))}
          </ul>
          <div class="more">
            <p class="facts">{words.forms.shown(found.members.length, found.total)}</p>
            {found.members.length < Math.min(found.total, SHOWN_MAX) && (
              <button type="button" onClick={() => (size.value = Math.min(size.value + PAGE, SHOWN_MAX))}>
                {words.forms.more}
              </button>
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
            told.value = said;
            if (said !== '') list.again();
          }}
        />
      )}
    </>
  );
}

function MemberRow({ member }: { member: Member }) {
  const { id, name, license_plate, email, description, groups } = member;
  const say = words.members;
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
      {license_plate === '' ? (
        <span class="facts">{say.noPlate}</span>
      ) : (
        <span>
          <Plate plate={license_plate} of={{ list: 'members', id }} />
        </span>
      )}
      <span class="facts about">{[email, description].filter(Boolean).join(' · ')}</span>
      <span class="tags">
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

function ExportButton() {
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const run = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      saveFile(`members-${new Date().toISOString().slice(0, 10)}.csv`, membersCsv(await allMembers()));
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  return (
    <>
      <button type="button" aria-disabled={isBusy.value} onClick={() => void run()}>
        {isBusy.value ? words.members.exporting : words.members.export}
      </button>
      <Refused refusal={refusal.value} />
    </>
  );
}
