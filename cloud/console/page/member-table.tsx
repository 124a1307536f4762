/** What a row of the list of members shows, and what it has to tell when it is open. */
import { standingOf } from '../members/member-standing.js';
import { paperTimeOf, words } from './browser.js';
import { choose, chooseNot, chosenMembers } from './member-choice.js';
import { type Member, timezoneOfMembers } from './member-reads.js';
import { memberWords } from './member-words.js';
import { Button, CallShown, type FactList, Facts } from './parts.js';
import { setQuery } from './place.js';
import { shownPlate } from './plate-mask.js';
import { Plate } from './plate-part.js';
import type { Column, RowTableOf } from './row-table.js';
import { serverMinute } from './store.js';

const say = memberWords.list;

const timeShown = (iso: string | null): string => (iso === null ? '' : paperTimeOf(iso, timezoneOfMembers()));

/** The keys of those that the service sorts by are its own names. */
const COLUMNS: readonly Column<Member>[] = [
  { key: 'pick', head: say.picked, look: 'col-pick', cell: (member) => <Pick member={member} /> },
  { key: 'name', head: words.members.name, look: 'col-id', cell: ({ name }) => name, sort: { isDownFirst: false } },
  {
    key: 'license_plate',
    head: words.members.plates,
    look: 'col-said',
    cell: ({ plates }) =>
      plates.length === 0 ? (
        <span class="tag warn">{words.members.noPlate}</span>
      ) : (
        <span class="plate">{plates.map(shownPlate).join(', ')}</span>
      ),
    sort: { isDownFirst: false },
  },
  { key: 'groups', head: words.members.groups, look: 'col-minor', cell: (member) => <Groups member={member} /> },
  {
    key: 'valid_from',
    head: words.forms.from,
    look: 'col-time',
    cell: ({ valid_from }) => timeShown(valid_from),
    sort: { isDownFirst: true },
  },
  {
    key: 'valid_until',
    head: words.forms.until,
    look: 'col-time',
    cell: ({ valid_until }) => timeShown(valid_until),
    sort: { isDownFirst: true },
  },
  { key: 'state', head: words.forms.status, look: 'col-said', cell: (member) => <Standing member={member} /> },
];

function Pick({ member: { id, name } }: { member: Member }) {
  const isChosen = chosenMembers.value.has(id);
  return (
    <input
      type="checkbox"
      class="pick"
      checked={isChosen}
      aria-label={say.pick(name)}
      onChange={() => (isChosen ? chooseNot([id]) : choose([[id, name]]))}
    />
  );
}

function Groups({ member: { groups } }: { member: Member }) {
  if (groups.length === 0) return <span class="tag warn">{words.members.noGroups}</span>;
  return <>{groups.map(({ name }) => name).join(', ')}</>;
}

/** Whether the plates of a member open anything now, and why not. */
function Standing({ member }: { member: Member }) {
  const { over, notYet, blockedSince } = words.members;
  switch (standingOf(member, serverMinute())) {
    case 'blocked':
      return <span class="tag bad">{blockedSince(timeShown(member.blocked_at), member.blocked_reason ?? '')}</span>;
    case 'over':
      return <span class="tag warn">{over}</span>;
    case 'later':
      return <span class="tag warn">{notYet}</span>;
    case 'admitted':
      return <span class="tag good">{say.mayEnter}</span>;
  }
}

export const MEMBER_TABLE: RowTableOf<Member> = {
  name: 'member',
  label: words.views.members,
  columns: COLUMNS,
  usual: { by: 'name', isDown: false },
  look: (member) => `member ${standingOf(member, serverMinute()) === 'blocked' ? 'bad' : ''}`,
  title: ({ name }) => name,
  details: (member) => <MemberDetails member={member} />,
};

function MemberDetails({ member }: { member: Member }) {
  const { id, name, plates, groups, valid_from, valid_until, email, description } = member;
  const shown = plates.map((plate) => (
    <span key={plate}>
      <Plate plate={plate} of={{ list: 'members', id }} />
    </span>
  ));
  const facts: FactList = [
    [words.forms.status, <Standing key="state" member={member} />],
    [words.members.plates, plates.length === 0 ? words.members.noPlate : <span class="plates">{shown}</span>],
    [words.members.groups, groups.length === 0 ? words.members.noGroups : groups.map((each) => each.name).join(', ')],
    ...(valid_from === null ? [] : [[words.forms.from, timeShown(valid_from)] as const]),
    ...(valid_until === null ? [] : [[words.forms.until, timeShown(valid_until)] as const]),
    ...(email === '' ? [] : [[words.forms.email, email] as const]),
    ...(description === '' ? [] : [[words.members.description, description] as const]),
  ];
  return (
    <div class="details">
      <div class="aside">
        <Facts facts={facts} />
        <div class="buttons">
          <Button look="main" word={words.forms.edit} about={name} onClick={() => setQuery({ edit: String(id) })} />
        </div>
        <CallShown call={{ method: 'GET', path: `/v2/members/${id}` }} />
      </div>
    </div>
  );
}
