/** Members and their groups: whose plates open what. */
import { words } from './browser.js';
import { GroupsPart } from './groups-part.js';
import { LoadingSign } from './loading-sign.js';
import { MemberImport } from './member-import-part.js';
import { MembersPart } from './member-list.js';
import { Button } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { isLoaded } from './store.js';

const TABS = ['members', 'groups', 'import'] as const;

export function MembersView() {
  if (!isLoaded.value) return <LoadingSign />;
  const tab = TABS.find((each) => each === queryOf('show')) ?? 'members';
  const closed = { edit: '', find: '', group: '', state: '', sort: '', member: '' };
  const tabs = (
    <div class="buttons tabs">
      {TABS.map((each) => (
        <Button
          key={each}
          look="small"
          word={words.members.tabs[each]}
          isPressed={each === tab}
          onClick={() => setQuery({ show: each === 'members' ? '' : each, ...closed })}
        />
      ))}
    </div>
  );
  if (tab === 'members') return <MembersPart tabs={tabs} />;
  if (tab === 'groups') return <GroupsPart tabs={tabs} />;
  return (
    <>
      <div class="head slim">
        <h1 tabIndex={-1}>{words.views.members}</h1>
        {tabs}
      </div>
      <MemberImport />
    </>
  );
}
