/** Tariffs: what they cost, as a curve; made, changed and deleted. */
import { useSignal } from '@preact/signals';
import { Listed } from './admin-parts.js';
import { moneyOf, weekdayOf, words } from './browser.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Empty, joined, Question, Refused, Notice } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { all, isLoaded, zones } from './store.js';
import { lengthOf, TariffCurve } from './tariff-curve.js';
import { type Tariff, TariffForm } from './tariff-form.js';
import { useRead } from './use-read.js';

export function TariffsView() {
  const tariffs = useRead('tariffs', async () =>
    (await all(client().list('/v2/tariffs', { query: { sort: 'id:asc' } }))).toSorted((a, b) =>
      a.name.localeCompare(b.name),
    ),
  );
  const notice = useSignal('');
  const edited = queryOf('edit');
  if (!isLoaded.value) return <LoadingSign />;
  const say = words.tariffs;
  const saved = (tariff: Tariff) => {
    notice.value = say.saved(tariff.name);
    setQuery({ edit: '', tariff: String(tariff.id) });
    tariffs.again();
  };
  const make = <Button look="main" word={say.add} onClick={() => setQuery({ edit: 'new' })} />;
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1}>{words.views.tariffs}</h1>
        {edited !== 'new' && tariffs.found?.length !== 0 && make}
      </div>
      <Notice text={edited === '' ? notice.value : ''} />
      {edited === 'new' && (
        <TariffForm
          tariff={null}
          currency={tariffs.found?.[0]?.currency ?? 'EUR'}
          onSaved={saved}
          onCancel={() => setQuery({ edit: '' })}
        />
      )}
      <Listed
        list={tariffs}
        none={edited === 'new' ? undefined : say.none}
        first={make}
        row={(tariff) => (
          <li key={tariff.id} class="card tariff">
            <TariffRow tariff={tariff} onSaved={saved} onChanged={tariffs.again} />
          </li>
        )}
      />
    </>
  );
}

/** `1,50 € per 1 h · free up to 10 min · at most 12 € per 24 h` */
function factsOf({ price, currency, step_minutes, free_minutes, daily_max, vat }: Tariff): string {
  const say = words.tariffs;
  return joined([
    say.perStep(moneyOf(price, currency), lengthOf(step_minutes)),
    free_minutes === 0 ? say.noFree : say.freeUntil(lengthOf(free_minutes)),
    daily_max === null ? say.noMost : say.mostPerDay(moneyOf(daily_max, currency)),
    vat !== '' && say.withVat(vat),
  ]);
}

function TariffRow(props: { tariff: Tariff; onSaved: (tariff: Tariff) => void; onChanged: () => void }) {
  const { tariff, onSaved, onChanged } = props;
  const { id, name } = tariff;
  const isOpen = queryOf('tariff') === String(id);
  const isEdited = queryOf('edit') === String(id);
  const isAsking = useSignal(false);
  const removing = useSending([]);
  const say = words.tariffs;
  const used = zones.value
    .filter(({ tariff_ids }) => tariff_ids.includes(id))
    .map((zone) => zone.name)
    .join(', ');
  const remove = async () => {
    if (await removing.send(() => client().delete('/v2/tariffs/{id}', { path: { id } }))) onChanged();
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
          <Button
            look="small"
            word={words.forms.change}
            label={say.editOf(name)}
            onClick={() => setQuery({ edit: String(id), tariff: '' })}
          />
          <Button
            look="small"
            word={words.forms.delete}
            label={say.removeOf(name)}
            onClick={() => (isAsking.value = true)}
          />
        </div>
      </div>
      <Refused refusal={removing.refusal} />
      {isEdited && <EditTariff id={id} onSaved={onSaved} onCancel={() => setQuery({ edit: '' })} />}
      {isOpen && !isEdited && <TariffCurve body={tariff} />}
      {isAsking.value && (
        <Question
          title={say.removeTitle(name)}
          yes={words.forms.delete}
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

/** Reads the tariff with its version before it is edited: a change by somebody else is then not overwritten. */
function EditTariff(props: { id: number; onSaved: (tariff: Tariff) => void; onCancel: () => void }) {
  const { id, onSaved, onCancel } = props;
  const read = useRead(`tariff ${id}`, async (signal) => {
    const { data, etag } = await client().request('get', '/v2/tariffs/{id}', { path: { id }, signal });
    return { tariff: data, etag: etag ?? '' };
  });
  if (read.found === null)
    return read.refusal === null ? (
      <Empty>{words.loading}</Empty>
    ) : (
      <Refused refusal={read.refusal} onAgain={read.again} />
    );
  const { tariff, etag } = read.found;
  return (
    <TariffForm
      key={etag}
      tariff={tariff}
      etag={etag}
      currency={tariff.currency}
      onSaved={onSaved}
      onCancel={onCancel}
      onReadAgain={read.again}
    />
  );
}
