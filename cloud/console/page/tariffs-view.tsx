/** Tariffs: what they cost, as a curve; made, changed and deleted. */
import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { moneyOf, words } from './browser.js';
import { Empty, Question, Refused } from './parts.js';
import { query, setQuery } from './place.js';
import { client, refusalOf } from './session.js';
import { isLoaded, zones } from './store.js';
import { lengthOf, TariffCurve } from './tariff-curve.js';
import { type Tariff, TariffForm, weekdayOf } from './tariff-form.js';

export function TariffsView() {
  const tariffs = useSignal<Tariff[] | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const told = useSignal('');
  const edited = query.value.get('edit');
  const read = async () => {
    try {
      const found: Tariff[] = [];
      for await (const tariff of client().list('/v2/tariffs', { query: { sort: 'id:asc' } })) found.push(tariff);
      tariffs.value = found.toSorted((a, b) => a.name.localeCompare(b.name));
      refusal.value = null;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  useEffect(() => void read(), []);
  if (!isLoaded.value) return <Empty>{words.loading}</Empty>;
  const say = words.tariffs;
  const saved = (tariff: Tariff) => {
    told.value = say.saved(tariff.name);
    setQuery({ edit: '', tariff: String(tariff.id) });
    void read();
  };
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{say.title}</h1>
        {edited !== 'new' && (
          <button type="button" class="main" onClick={() => setQuery({ edit: 'new' })}>
            {say.add}
          </button>
        )}
      </div>
      <p role="status" class={told.value === '' || edited !== null ? 'hidden' : 'notice good'}>
        {edited === null ? told.value : ''}
      </p>
      {edited === 'new' && (
        <TariffForm
          tariff={null}
          currency={tariffs.value?.[0]?.currency ?? 'EUR'}
          onSaved={saved}
          onCancel={() => setQuery({ edit: '' })}
        />
      )}
      <Refused refusal={refusal.value} onAgain={() => void read()} />
      {tariffs.value === null && refusal.value === null && <Empty>{words.loading}</Empty>}
      {tariffs.value?.length === 0 && edited !== 'new' && <Empty>{say.none}</Empty>}
      <ul class="stays">
        {tariffs.value?.map((tariff) => (
          <li key={tariff.id} class="card tariff">
            <TariffRow tariff={tariff} onSaved={saved} onChanged={() => void read()} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** `1,50 € per 1 h · free up to 10 min · at most 12 € per 24 h` */
function factsOf({ price, currency, step_minutes, free_minutes, daily_max, vat }: Tariff): string {
  const say = words.tariffs;
  return [
    say.perStep(moneyOf(price, currency), lengthOf(step_minutes)),
    free_minutes === 0 ? say.noFree : say.freeUntil(lengthOf(free_minutes)),
    daily_max === null ? say.noMost : say.mostPerDay(moneyOf(daily_max, currency)),
    ...(vat === '' ? [] : [say.withVat(vat)]),
  ].join(' · ');
}

function TariffRow(props: { tariff: Tariff; onSaved: (tariff: Tariff) => void; onChanged: () => void }) {
  const { tariff, onSaved, onChanged } = props;
  const { id, name } = tariff;
  const isOpen = query.value.get('tariff') === String(id);
  const isEdited = query.value.get('edit') === String(id);
  const isAsking = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const say = words.tariffs;
  const used = zones.value
    .filter(({ tariff_ids }) => tariff_ids.includes(id))
    .map((zone) => zone.name)
    .join(', ');
  const remove = async () => {
    try {
      await client().delete('/v2/tariffs/{id}', { path: { id } });
      onChanged();
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isAsking.value = false;
  };
  return (
    <>
      <div class="head">
        <div>
          <h2>
            <button
              type="button"
              class="plain"
              aria-expanded={isOpen}
              onClick={() => setQuery({ tariff: isOpen ? '' : String(id), edit: '' })}
            >
              {name}
            </button>
          </h2>
          <p>{factsOf(tariff)}</p>
          {tariff.windows.length > 0 && <Windows tariff={tariff} />}
          <p class="facts">{used === '' ? say.unused : say.usedIn(used)}</p>
        </div>
        <div class="buttons">
          <button
            type="button"
            class="small"
            aria-label={say.editOf(name)}
            onClick={() => setQuery({ edit: String(id), tariff: '' })}
          >
            {say.edit}
          </button>
          <button type="button" class="small" aria-label={say.removeOf(name)} onClick={() => (isAsking.value = true)}>
            {say.remove}
          </button>
        </div>
      </div>
      <Refused refusal={refusal.value} />
      {isEdited && <EditTariff id={id} onSaved={onSaved} onCancel={() => setQuery({ edit: '' })} />}
      {isOpen && !isEdited && <TariffCurve body={tariff} />}
      {isAsking.value && (
        <Question
          title={say.removeTitle(name)}
          yes={say.remove}
          onYes={() => void remove()}
          onNo={() => (isAsking.value = false)}
        >
          {used !== '' && <p>{say.removeUsed(used)}</p>}
          <p>{say.removeWhat}</p>
        </Question>
      )}
    </>
  );
}

function Windows({ tariff: { windows, currency } }: { tariff: Tariff }) {
  return (
    <ul class="facts">
      {windows.map(({ days, start, end, price, step_minutes }, at) => (
        <li key={at}>
          {days.map(weekdayOf).join(' ')} {start}–{end}:{' '}
          {words.tariffs.perStep(moneyOf(price, currency), lengthOf(step_minutes))}
        </li>
      ))}
    </ul>
  );
}

/** Reads the tariff with its version first: what was changed meanwhile is not overwritten. */
function EditTariff(props: { id: number; onSaved: (tariff: Tariff) => void; onCancel: () => void }) {
  const { id, onSaved, onCancel } = props;
  const found = useSignal<{ tariff: Tariff; etag: string } | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const round = useSignal(0);
  const read = async () => {
    try {
      const { data, etag } = await client().request('get', '/v2/tariffs/{id}', { path: { id } });
      found.value = { tariff: data, etag: etag ?? '' };
      refusal.value = null;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  useEffect(() => void read(), [id, round.value]);
  if (found.value === null)
    return refusal.value === null ? (
      <Empty>{words.loading}</Empty>
    ) : (
      <Refused refusal={refusal.value} onAgain={() => void read()} />
    );
  return (
    <TariffForm
      key={found.value.etag}
      tariff={found.value.tariff}
      etag={found.value.etag}
      currency={found.value.tariff.currency}
      onSaved={onSaved}
      onCancel={onCancel}
      onReadAgain={() => (round.value += 1)}
    />
  );
}
