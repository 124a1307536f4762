/** A member is made, changed or deleted. */
import type { Faults } from '../wording/field-faults.js';
import { isEmail } from '../wording/form-checks.js';
import { inputOf, momentAt } from '../wording/lot-time.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { missing } from './fields.js';
import { Editor } from './editor.js';
import { allGroups, type Group, type Member, timezoneOfMembers } from './member-reads.js';
import { Dialog, Refused } from './parts.js';
import { isMasked } from './plate-mask.js';
import { Plate } from './plate-part.js';
import { client } from './session.js';
import { useRead } from './use-read.js';

interface MemberForm {
  name: string;
  license_plate: string;
  email: string;
  description: string;
  valid_from: string;
  valid_until: string;
  group_ids: number[];
}

const NO_TIMES = { valid_from: '', valid_until: '' };
const EMPTY: MemberForm = { name: '', license_plate: '', email: '', description: '', ...NO_TIMES, group_ids: [] };

const formOf = (member: Member, timezone: string): MemberForm => ({
  name: member.name,
  license_plate: member.license_plate,
  email: member.email,
  description: member.description,
  valid_from: inputOf(member.valid_from, timezone),
  valid_until: inputOf(member.valid_until, timezone),
  group_ids: member.groups.map(({ id }) => id),
});

/** As the service has it. */
const wholeOf = ({ valid_from, valid_until, ...form }: MemberForm, timezone: string) => ({
  ...form,
  valid_from: momentAt(valid_from, timezone),
  valid_until: momentAt(valid_until, timezone),
});

/** @param props.id null: a new one */
export function MemberEditor({ id, onClose }: { id: number | null; onClose: (notice: string) => void }) {
  const read = useRead(String(id), async (signal) => ({
    member: id === null ? null : await client().get('/v2/members/{id}', { path: { id }, signal }),
    groups: await allGroups(),
  }));
  const found = read.found;
  if (found !== null) return <MemberFields {...found} onClose={onClose} />;
  return (
    <Dialog title={words.members.make} onClose={() => onClose('')}>
      <Refused refusal={read.refusal} onAgain={read.again} />
      {read.refusal === null && <p>{words.loading}</p>}
    </Dialog>
  );
}

function faultsOf({ name, license_plate, email, valid_from, valid_until }: MemberForm): Faults {
  const { forms, keys } = words;
  return {
    ...missing('name', name),
    ...(license_plate !== '' && !/[\p{L}\p{Nd}]/u.test(license_plate)
      ? { license_plate: forms.noPlate(license_plate) }
      : {}),
    ...(email !== '' && !isEmail(email) ? { email: keys.wrongEmail(email) } : {}),
    ...(valid_until !== '' && valid_until <= valid_from ? { valid_until: keys.endBeforeStart } : {}),
  };
}

function MemberFields(props: { member: Member | null; groups: readonly Group[]; onClose: (notice: string) => void }) {
  const { member, groups, onClose } = props;
  const say = words.members;
  const timezone = timezoneOfMembers();
  const before = member === null ? EMPTY : formOf(member, timezone);
  const differing = (from: MemberForm, to: MemberForm) => changedOf(wholeOf(from, timezone), wholeOf(to, timezone));
  return (
    <Editor
      list="/v2/members"
      thing={member}
      title={member?.name ?? say.make}
      draft={`member-${member?.id ?? 'new'}`}
      formOf={(each) => (each === null ? EMPTY : formOf(each, timezone))}
      faultsOf={faultsOf}
      bodyOf={(form) => ({ ...differing(EMPTY, form), name: form.name })}
      changeOf={(form) => differing(before, form)}
      onClose={onClose}
      remove={member !== null && { title: say.deleteTitle(member.name), what: say.deleteWhat }}
    >
      {({ field, area, checks, time }) => (
        <>
          <div class="pair">
            {field('name', say.name)}
            {member !== null && isMasked(member.license_plate) ? (
              <div class="field">
                <span>{words.forms.plate}</span>
                <span>
                  <Plate plate={member.license_plate} of={{ list: 'members', id: member.id }} />
                </span>
              </div>
            ) : (
              field('license_plate', words.forms.plate, { hint: say.plateHint })
            )}
          </div>
          {groups.length === 0 ? <p class="hint">{say.noGroupYet}</p> : checks('group_ids', say.groups, groups)}
          <div class="pair">
            {time('valid_from', words.displays.from, timezone, { hint: words.displays.always })}
            {time('valid_until', words.displays.until, timezone, { hint: words.displays.always })}
          </div>
          {field('email', words.forms.email, { type: 'email', hint: words.forms.optional })}
          {area('description', say.description, { rows: 2 })}
        </>
      )}
    </Editor>
  );
}
