/** A member is made, changed or deleted. */
import type { Faults } from '../wording/field-faults.js';
import { isEmail } from '../wording/form-checks.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { callFor, Checks, Editor, TextArea } from './form-parts.js';
import { allGroups, type Group, type Member } from './member-reads.js';
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
  group_ids: number[];
}

const EMPTY: MemberForm = { name: '', license_plate: '', email: '', description: '', group_ids: [] };

const formOf = ({ name, license_plate, email, description, groups }: Member): MemberForm => ({
  name,
  license_plate,
  email,
  description,
  group_ids: groups.map(({ id }) => id),
});

/** @param props.id null: a new one */
export function MemberEditor({ id, onClose }: { id: number | null; onClose: (told: string) => void }) {
  const read = useRead(String(id), async (signal) => ({
    member: id === null ? null : await client().get('/v2/members/{id}', { path: { id }, signal }),
    groups: await allGroups(),
  }));
  const found = read.value.value;
  if (found !== null) return <MemberFields {...found} onClose={onClose} />;
  return (
    <Dialog title={words.members.make} onClose={() => onClose('')}>
      <Refused refusal={read.refusal.value} onAgain={read.again} />
      {read.refusal.value === null && <p>{words.loading}</p>}
    </Dialog>
  );
}

function faultsOf({ name, license_plate, email }: MemberForm): Faults {
  const { forms, signIn, keys } = words;
  return {
    ...(name.trim() === '' ? { name: signIn.missing } : {}),
    ...(license_plate !== '' && !/[\p{L}\p{Nd}]/u.test(license_plate)
      ? { license_plate: forms.noPlate(license_plate) }
      : {}),
    ...(email !== '' && !isEmail(email) ? { email: keys.wrongEmail(email) } : {}),
  };
}

function MemberFields(props: { member: Member | null; groups: readonly Group[]; onClose: (told: string) => void }) {
  const { member, groups, onClose } = props;
  const say = words.members;
  const bodyOf = (form: MemberForm) => changedOf(member === null ? EMPTY : formOf(member), form);
  const save = (form: MemberForm, idempotencyKey: string) =>
    member === null
      ? client().post('/v2/members', { body: form, idempotencyKey })
      : client().patch('/v2/members/{id}', { path: { id: member.id }, body: bodyOf(form) });
  return (
    <Editor
      title={member === null ? say.make : member.name}
      name={`member-${member?.id ?? 'new'}`}
      initial={member === null ? EMPTY : formOf(member)}
      faultsOf={faultsOf}
      save={save}
      callOf={(form) => callFor('/v2/members', member?.id, bodyOf(form))}
      nameOf={({ name }) => name}
      onClose={onClose}
      remove={
        member && {
          title: say.deleteTitle(member.name),
          what: say.deleteWhat,
          run: () => client().delete('/v2/members/{id}', { path: { id: member.id } }),
        }
      }
    >
      {({ form, set, faultOf, field }) => (
        <>
          <div class="pair">
            {field('name', say.name)}
            {member !== null && isMasked(member.license_plate) ? (
              <div class="field">
                <span>{say.plate}</span>
                <span>
                  <Plate plate={member.license_plate} of={{ list: 'members', id: member.id }} />
                </span>
              </div>
            ) : (
              field('license_plate', say.plate, { hint: say.plateHint })
            )}
          </div>
          {groups.length === 0 ? (
            <p class="hint">{say.noGroupYet}</p>
          ) : (
            <Checks
              legend={say.groups}
              options={groups}
              chosen={form.group_ids}
              onChosen={(group_ids) => set({ group_ids })}
              fault={faultOf('group_ids')}
            />
          )}
          {field('email', say.email, { type: 'email', hint: words.forms.optional })}
          <TextArea
            label={say.description}
            rows={2}
            value={form.description}
            onValue={(description) => set({ description })}
            fault={faultOf('description')}
          />
        </>
      )}
    </Editor>
  );
}
