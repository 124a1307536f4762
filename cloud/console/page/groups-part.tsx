/** Groups: which zones they open, whose members they have, and by which tariffs these park. */
import type { components } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { Listed } from './admin-parts.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { Field, missing } from './fields.js';
import { Editor, useEdit } from './editor.js';
import { allGroups, findMembers, type Group } from './member-reads.js';
import { Button, joined, Refused, Notice } from './parts.js';
import { setQuery } from './place.js';
import { shownPlate } from './plate-mask.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { all, products, zoneName, zones } from './store.js';
import { useRead } from './use-read.js';

type Tariff = components['schemas']['Tariff'];

/** @param props.tabs stand beside the title */
export function GroupsPart({ tabs }: { tabs: ComponentChildren }) {
  const list = useRead('groups', allGroups);
  const tariffs = useRead('tariffs', () => all(client().list('/v2/tariffs', { query: { sort: 'id:asc', size: 100 } })));
  // Its members are changed without its form, so that it is always read anew.
  const edit = useEdit(list.found, list.again);
  const say = words.groups;
  const make = <Button look="main" word={say.make} onClick={() => setQuery({ edit: 'new' })} />;
  return (
    <>
      <div class="head slim">
        <h1 tabIndex={-1}>{words.views.members}</h1>
        {tabs}
        <div class="buttons">{list.found?.length !== 0 && make}</div>
      </div>
      <Notice text={edit.notice} />
      <Refused refusal={tariffs.refusal} onAgain={tariffs.again} />
      <Listed
        list={list}
        none={say.none}
        first={make}
        class="cards"
        row={(group) => <GroupCard key={group.id} group={group} />}
      />
      {edit.isOpen && tariffs.found !== null && (
        <GroupEditor key={edit.thing?.id} group={edit.thing} tariffs={tariffs.found} onClose={edit.onClose} />
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
        <Button
          look="small"
          word={words.forms.edit}
          about={group.name}
          onClick={() => setQuery({ edit: String(group.id) })}
        />
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
      <p class="facts">{joined(facts)}</p>
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

function GroupEditor(props: { group: Group | null; tariffs: readonly Tariff[]; onClose: (notice: string) => void }) {
  const { group, tariffs, onClose } = props;
  const say = words.groups;
  const before = group === null ? EMPTY : formOf(group);
  return (
    <Editor
      list="/v2/groups"
      thing={group}
      title={group?.name ?? say.make}
      draft={`group-${group?.id ?? 'new'}`}
      formOf={(each) => (each === null ? EMPTY : formOf(each))}
      faultsOf={({ name }) => missing('name', name)}
      bodyOf={(form) => ({ ...changedOf(EMPTY, form), name: form.name })}
      changeOf={(form) => changedOf(before, form)}
      onClose={onClose}
      remove={group !== null && { title: say.deleteTitle(group.name), what: say.deleteWhat(group.members.length) }}
      beside={group && <MembersOf id={group.id} first={group.members} />}
    >
      {({ field, area, checks }) => (
        <>
          {field('name', words.members.name)}
          {area('description', words.members.description, { rows: 2 })}
          {checks(
            'zone_ids',
            say.zones,
            zones.value.map(({ id }) => ({ id, name: zoneName(id) })),
          )}
          {tariffs.length > 0 && checks('tariff_ids', say.tariffs, tariffs, { hint: say.tariffsHint })}
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
  const changing = useSending([]);
  const found = useRead(text.value, async (signal) =>
    text.value.trim() === '' ? null : await findMembers(text.value, { size: FOUND_MAX, signal }),
  );
  const change = (method: 'put' | 'delete', memberId: number) =>
    changing.send(async () => {
      const path = { id, memberId };
      members.value = (await client().request(method, '/v2/groups/{id}/members/{memberId}', { path })).data.members;
      if (method === 'put') text.value = '';
    });
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
        hint={words.members.searchHint}
        value={text.value}
        onValue={(value) => (text.value = value)}
      />
      <Refused refusal={changing.refusal ?? found.refusal} />
      {text.value.trim() !== '' && (
        <ul class="chips">
          {(found.found ?? [])
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
