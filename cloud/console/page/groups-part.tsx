/** Groups: which zones they open, whose members they have, and by which tariffs these park. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import type { Faults } from '../wording/field-faults.js';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { callFor, Checks, Editor, TextArea, Told } from './form-parts.js';
import { allGroups, findMembers, type Group } from './member-reads.js';
import { Empty, Field, Refused, SmallButton } from './parts.js';
import { query, setQuery } from './place.js';
import { shownPlate } from './plate-mask.js';
import { client, refusalOf } from './session.js';
import { all, products, zones } from './store.js';
import { useRead } from './use-read.js';
import { zoneName } from './zone-names.js';

type Tariff = components['schemas']['Tariff'];

export function GroupsPart() {
  const edited = query.value.get('edit');
  const told = useSignal('');
  const read = useRead('groups', async () => {
    const [groups, tariffs] = await Promise.all([
      allGroups(),
      all(client().list('/v2/tariffs', { query: { sort: 'id:asc', size: 100 } })),
    ]);
    return { groups, tariffs };
  });
  const found = read.value.value;
  const chosen = found?.groups.find(({ id }) => String(id) === edited) ?? null;
  const say = words.groups;
  return (
    <>
      <div class="tools">
        <div class="buttons">
          <button type="button" class="main" onClick={() => setQuery({ edit: 'new' })}>
            {say.make}
          </button>
        </div>
      </div>
      <Told text={told.value} />
      <Refused refusal={read.refusal.value} onAgain={read.again} />
      {found === null && read.refusal.value === null && <Empty>{words.loading}</Empty>}
      {found?.groups.length === 0 && <Empty>{say.none}</Empty>}
      <ul class="cards">
        {found?.groups.map((group) => (
          <GroupCard key={group.id} group={group} />
        ))}
      </ul>
      {found !== null && (edited === 'new' || chosen !== null) && (
        <GroupEditor
          key={edited}
          group={chosen}
          tariffs={found.tariffs}
          onClose={(said) => {
            setQuery({ edit: '' });
            told.value = said;
            read.again();
          }}
        />
      )}
    </>
  );
}

function GroupCard({ group }: { group: Group }) {
  const say = words.groups;
  const opened = products.value.filter(({ zone_id }) => group.zones.some(({ id }) => id === zone_id));
  const facts = [
    say.count(group.members.length),
    group.tariffs.length === 0 ? say.noTariff : group.tariffs.map(({ name }) => name).join(', '),
  ];
  return (
    <li class="card">
      <header>
        <h2>{group.name}</h2>
        <SmallButton word={words.forms.edit} about={group.name} onClick={() => setQuery({ edit: String(group.id) })} />
      </header>
      {group.description !== '' && <p>{group.description}</p>}
      <p class="tags">
        {group.zones.map(({ id }) => (
          <span key={id} class="tag good">
            {zoneName(id)}
          </span>
        ))}
        {group.zones.length === 0 && <span class="tag warn">{say.noZones}</span>}
      </p>
      {opened.length > 0 && <p class="facts">{say.through(opened.map(({ name }) => name).join(', '))}</p>}
      <p class="facts">{facts.join(' · ')}</p>
    </li>
  );
}

interface GroupForm {
  name: string;
  description: string;
  zone_ids: number[];
  tariff_ids: number[];
}

const EMPTY: GroupForm = { name: '', description: '', zone_ids: [], tariff_ids: [] };
const idsOf = (things: readonly { id: number }[]): number[] => things.map(({ id }) => id);
const formOf = ({ name, description, zones: opened, tariffs }: Group): GroupForm => ({
  name,
  description,
  zone_ids: idsOf(opened),
  tariff_ids: idsOf(tariffs),
});
const faultsOf = ({ name }: GroupForm): Faults => (name.trim() === '' ? { name: words.signIn.missing } : {});

function GroupEditor(props: { group: Group | null; tariffs: readonly Tariff[]; onClose: (told: string) => void }) {
  const { group, tariffs, onClose } = props;
  const say = words.groups;
  const before = group === null ? EMPTY : formOf(group);
  const save = (form: GroupForm, idempotencyKey: string) =>
    group === null
      ? client().post('/v2/groups', { body: form, idempotencyKey })
      : client().patch('/v2/groups/{id}', { path: { id: group.id }, body: changedOf(before, form) });

  return (
    <Editor
      title={group === null ? say.make : group.name}
      name={`group-${group?.id ?? 'new'}`}
      initial={before}
      faultsOf={faultsOf}
      save={save}
      callOf={(form) => callFor('/v2/groups', group?.id, changedOf(before, form))}
      nameOf={({ name }) => name}
      onClose={onClose}
      remove={
        group && {
          title: say.deleteTitle(group.name),
          what: say.deleteWhat(group.members.length),
          run: () => client().delete('/v2/groups/{id}', { path: { id: group.id } }),
        }
      }
      beside={group && <MembersOf id={group.id} first={group.members} />}
    >
      {({ form, set, faultOf, field }) => (
        <>
          {field('name', words.members.name)}
          <TextArea
            label={words.members.description}
            rows={2}
            value={form.description}
            onValue={(description) => set({ description })}
            fault={faultOf('description')}
          />
          <Checks
            legend={say.zones}
            options={zones.value.map(({ id }) => ({ id, name: zoneName(id) }))}
            chosen={form.zone_ids}
            onChosen={(zone_ids) => set({ zone_ids })}
            fault={faultOf('zone_ids')}
          />
          {tariffs.length > 0 && (
            <Checks
              legend={say.tariffs}
              hint={say.tariffsHint}
              options={tariffs}
              chosen={form.tariff_ids}
              onChosen={(tariff_ids) => set({ tariff_ids })}
              fault={faultOf('tariff_ids')}
            />
          )}
        </>
      )}
    </Editor>
  );
}

const FOUND_MAX = 8;
const SHOWN_MAX = 100;

/** Each is added and removed at once, without the form. */
function MembersOf({ id, first }: { id: number; first: Group['members'] }) {
  const members = useSignal(first);
  const text = useSignal('');
  const refusal = useSignal<Refusal | null>(null);
  const found = useRead(text.value, async (signal) =>
    text.value.trim() === '' ? null : await findMembers(text.value, { size: FOUND_MAX, signal }),
  );
  const change = async (method: 'put' | 'delete', memberId: number) => {
    refusal.value = null;
    try {
      const path = { id, memberId };
      members.value = (await client().request(method, '/v2/groups/{id}/members/{memberId}', { path })).data.members;
      if (method === 'put') text.value = '';
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  const isIn = new Set(idsOf(members.value));
  const say = words.groups;
  return (
    <section class="members-of" aria-label={say.members}>
      <h3>
        {say.members} <span class="tag">{members.value.length}</span>
      </h3>
      <Field
        label={say.add}
        type="search"
        hint={say.addHint}
        value={text.value}
        onValue={(value) => (text.value = value)}
      />
      <Refused refusal={refusal.value ?? found.refusal.value} />
      {text.value.trim() !== '' && (
        <ul class="chips">
          {(found.value.value?.members ?? [])
            .filter((each) => !isIn.has(each.id))
            .map((each) => (
              <li key={each.id}>
                <button
                  type="button"
                  class="small"
                  aria-label={say.addOne(each.name)}
                  onClick={() => void change('put', each.id)}
                >
                  + {each.name} {each.license_plate !== '' && <small>{shownPlate(each.license_plate)}</small>}
                </button>
              </li>
            ))}
        </ul>
      )}
      {members.value.length === 0 && <p class="hint">{say.noMembers}</p>}
      <ul class="chips">
        {members.value.slice(0, SHOWN_MAX).map((each) => (
          <li key={each.id}>
            <button
              type="button"
              class="small"
              aria-label={words.forms.remove(each.name)}
              onClick={() => void change('delete', each.id)}
            >
              {each.name} ×
            </button>
          </li>
        ))}
      </ul>
      {members.value.length > SHOWN_MAX && <p class="facts">{words.forms.shown(SHOWN_MAX, members.value.length)}</p>}
    </section>
  );
}
