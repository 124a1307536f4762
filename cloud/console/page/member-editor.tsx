/** A member is made, changed or deleted. */
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { cutText } from '../wording/cut-text.js';
import type { Faults } from '../wording/field-faults.js';
import { isEmail } from '../wording/form-checks.js';
import { inputOf, momentAt } from '../wording/lot-time.js';
import { plateFaultSentence } from '../wording/plate-fault.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { missing } from './fields.js';
import { Editor } from './editor.js';
import type { Warning } from './form-parts.js';
import { allGroups, type Group, type Member, timezoneOfMembers } from './member-reads.js';
import { Dialog, Refused } from './parts.js';
import { isMasked, shownPlate } from './plate-mask.js';
import { Plate } from './plate-part.js';
import { PlatesField } from './plates-field.js';
import { client } from './session.js';
import { useRead } from './use-read.js';

interface MemberForm {
  name: string;
  plates: string[];
  email: string;
  description: string;
  valid_from: string;
  valid_until: string;
  is_blocked: boolean;
  blocked_reason: string;
  group_ids: number[];
}

const PLATES_MAX = 10;
const OPEN = { valid_from: '', valid_until: '', is_blocked: false, blocked_reason: '' };
const EMPTY: MemberForm = { name: '', plates: [], email: '', description: '', ...OPEN, group_ids: [] };

const formOf = (member: Member, timezone: string): MemberForm => ({
  name: member.name,
  plates: member.plates,
  email: member.email,
  description: member.description,
  valid_from: inputOf(member.valid_from, timezone),
  valid_until: inputOf(member.valid_until, timezone),
  is_blocked: member.blocked_at !== null,
  blocked_reason: member.blocked_reason ?? '',
  group_ids: member.groups.map(({ id }) => id),
});

const platesOf = ({ plates }: MemberForm): string[] => plates.map((each) => each.trim()).filter((each) => each !== '');

/** As the service has it. It says itself since when a member is blocked for whom it gets a reason. */
const wholeOf = ({ is_blocked, blocked_reason, ...form }: MemberForm, timezone: string) => ({
  ...form,
  plates: platesOf({ is_blocked, blocked_reason, ...form }),
  valid_from: momentAt(form.valid_from, timezone),
  valid_until: momentAt(form.valid_until, timezone),
  ...(is_blocked ? { blocked_reason: blocked_reason.trim() } : { blocked_at: null }),
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

function faultsOf(form: MemberForm): Faults {
  const { name, email, valid_from, valid_until, is_blocked, blocked_reason } = form;
  const { keys } = words;
  return {
    ...missing('name', name),
    ...plateFaults(form.plates),
    ...(email !== '' && !isEmail(email) ? { email: keys.wrongEmail(cutText(email)) } : {}),
    ...(valid_until !== '' && valid_until <= valid_from ? { valid_until: keys.endBeforeStart } : {}),
    ...(is_blocked ? missing('blocked_reason', blocked_reason) : {}),
  };
}

/** By the fields' names; an empty field is no plate. */
function plateFaults(plates: readonly string[]): Faults {
  const normalised = plates.map(normalisePlate);
  return Object.fromEntries(
    plates.flatMap((plate, at) => {
      if (plate.trim() === '') return [];
      const isTwice = normalised.indexOf(normalised[at] ?? '') !== at;
      const fault = plateFaultSentence(plate, words) ?? (isTwice ? words.members.plateTwice(plate.trim()) : null);
      return fault === null ? [] : [[`plates.${at}`, fault]];
    }),
  );
}

function warningOf({ code, field }: Warning, form: MemberForm): string {
  const plate = platesOf(form)[Number(field.split('.')[1] ?? 0)] ?? '';
  return code === 'plate_taken' ? words.members.plateShared(shownPlate(plate)) : '';
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
      warningOf={warningOf}
      changeOf={(form) => differing(before, form)}
      onClose={onClose}
      remove={member !== null && { title: say.deleteTitle(member.name), what: say.deleteWhat }}
    >
      {({ form, set, faultOf, field, area, check, checks, time }) => (
        <>
          {field('name', say.name)}
          {member !== null && member.plates.some(isMasked) ? (
            <div class="field">
              <span>{say.plates}</span>
              <span class="plates">
                {member.plates.map((plate) => (
                  <Plate key={plate} plate={plate} of={{ list: 'members', id: member.id }} />
                ))}
              </span>
            </div>
          ) : (
            <PlatesField
              plates={form.plates}
              onPlates={(plates) => set({ plates })}
              countMax={PLATES_MAX}
              faultOf={(at) => faultOf(`plates.${at}`)}
            />
          )}
          {groups.length === 0 ? <p class="hint">{say.noGroupYet}</p> : checks('group_ids', say.groups, groups)}
          <div class="pair">
            {time('valid_from', words.displays.from, timezone, { hint: words.displays.always })}
            {time('valid_until', words.displays.until, timezone, { hint: words.displays.always })}
          </div>
          <fieldset>
            <legend>{say.block}</legend>
            {check('is_blocked', say.isBlocked)}
            {form.is_blocked && field('blocked_reason', say.blockedReason, { hint: say.blockedReasonHint })}
          </fieldset>
          {field('email', words.forms.email, { type: 'email', hint: words.forms.optional })}
          {area('description', say.description, { rows: 2 })}
        </>
      )}
    </Editor>
  );
}
