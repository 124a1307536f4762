/** A tariff is made or changed: what is typed is kept, what is wrong stands at its field, and what it would cost is drawn meanwhile. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { useEffect } from 'preact/hooks';
import {
  checkTariff,
  faultsOfRefusal,
  type TariffBody,
  type TariffForm as Typed,
  type WindowForm,
} from '../wording/money-checks.js';
import type { Refusal } from '../wording/sentences.js';
import { drafts, words } from './browser.js';
import { useDraft } from './draft.js';
import { callFor } from './form-parts.js';
import { CallShown, Field, Refused } from './parts.js';
import { client, refusalOf } from './session.js';
import { TariffCurve } from './tariff-curve.js';

export type Tariff = components['schemas']['Tariff'];

const weekday = new Intl.DateTimeFormat(words.locale, { weekday: 'short', timeZone: 'UTC' });
/** @param day 1 is Monday */
export const weekdayOf = (day: number): string => weekday.format(Date.UTC(2026, 0, 4 + day));

const DAYS = [1, 2, 3, 4, 5, 6, 7];
const PRECONDITION_FAILED = 412;

const EMPTY_WINDOW: WindowForm = { days: ['6', '7'], start: '00:00', end: '00:00', price: '', step_minutes: '' };

const typedOf = (tariff: Tariff | null, currency: string): Typed =>
  tariff === null
    ? { name: '', currency, vat: '', free_minutes: '0', price: '', step_minutes: '60', daily_max: '', windows: [] }
    : {
        name: tariff.name,
        currency: tariff.currency,
        vat: tariff.vat,
        free_minutes: String(tariff.free_minutes),
        price: String(tariff.price),
        step_minutes: String(tariff.step_minutes),
        daily_max: tariff.daily_max === null ? '' : String(tariff.daily_max),
        windows: tariff.windows.map(({ days, start, end, price, step_minutes }) => ({
          days: days.map(String),
          start,
          end,
          price: String(price),
          step_minutes: String(step_minutes),
        })),
      };

export function TariffForm(props: {
  /** null: a new one. */
  tariff: Tariff | null;
  /** Its version, as it was read. */
  etag?: string;
  currency: string;
  onSaved: (tariff: Tariff) => void;
  onCancel: () => void;
  onReadAgain?: () => void;
}) {
  const { tariff, etag = '', currency, onSaved, onCancel, onReadAgain } = props;
  const draft = `tariff-${tariff?.id ?? 'new'}`;
  const [form, reset] = useDraft(draft, { ...typedOf(tariff, currency), etag, isTyped: false });
  const isSent = useSignal(false);
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  // A draft in which nothing was typed is of an older version of the tariff, or of nothing.
  useEffect(() => {
    if (!form.value.isTyped) reset();
  }, []);
  const say = words.tariffs;
  const { faults, body } = checkTariff(form.value, words);
  const shownFaults = { ...faultsOfRefusal(refusal.value, words), ...(isSent.value ? faults : {}) };
  const hasChanged = refusal.value?.status === PRECONDITION_FAILED;
  const set = (changed: Partial<Typed>) => {
    form.value = { ...form.value, ...changed, isTyped: true };
    refusal.value = null;
  };
  const leave = () => {
    reset();
    drafts.forget(draft);
  };
  const send = async (event: SubmitEvent) => {
    event.preventDefault();
    isSent.value = true;
    if (isBusy.value) return;
    if (body === null) {
      focusFirstFault(event.currentTarget);
      return;
    }
    isBusy.value = true;
    refusal.value = null;
    try {
      const saved = await sent(tariff, body, form.value.etag);
      leave();
      onSaved(saved);
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const field = (key: Exclude<keyof Typed, 'windows'>, label: string, hint = '') => (
    <Field
      label={label}
      value={form.value[key]}
      onValue={(value) => set({ [key]: value })}
      fault={shownFaults[key]}
      hint={hint}
    />
  );
  return (
    <div class={tariff === null ? 'card tariff-form' : 'tariff-form'}>
      <form
        noValidate
        onSubmit={(event) => void send(event)}
        aria-label={tariff === null ? say.add : say.editOf(tariff.name)}
      >
        {tariff === null ? <h2>{say.add}</h2> : <p class="facts">{say.keeps}</p>}
        <div class="fields">
          {field('name', say.name)}
          {field('price', say.price)}
          {field('step_minutes', say.step, say.stepHint)}
          {field('free_minutes', say.free, say.freeHint)}
          {field('daily_max', say.dailyMax, say.dailyMaxHint)}
          {field('currency', say.currency, say.currencyHint)}
          {field('vat', say.vat, say.vatHint)}
        </div>
        <Windows
          windows={form.value.windows}
          faultOf={(path) => shownFaults[`windows.${path}`]}
          onChange={(windows) => set({ windows })}
        />
        {hasChanged ? (
          <p class="notice bad" role="alert">
            {say.changed}{' '}
            <button
              type="button"
              class="small"
              onClick={() => {
                leave();
                onReadAgain?.();
              }}
            >
              {say.readAgain}
            </button>
          </p>
        ) : (
          <Refused refusal={refusal.value} />
        )}
        <div class="buttons">
          <button type="submit" class="main" aria-disabled={isBusy.value}>
            {say.save}
          </button>
          <button
            type="button"
            onClick={() => {
              leave();
              onCancel();
            }}
          >
            {words.cancel}
          </button>
        </div>
        {body !== null && <CallShown call={callFor('/v2/tariffs', tariff?.id, body)} />}
      </form>
      {body === null ? <p class="empty">{say.curveWhen}</p> : <TariffCurve body={body} before={tariff ?? undefined} />}
    </div>
  );
}

/** @param ifMatch the version that is changed; empty: whichever there is */
const sent = (tariff: Tariff | null, body: TariffBody, ifMatch: string): Promise<Tariff> =>
  tariff === null
    ? client().post('/v2/tariffs', { body })
    : client().patch('/v2/tariffs/{id}', {
        path: { id: tariff.id },
        body,
        ...(ifMatch === '' ? {} : { ifMatch }),
      });

/** After the faults are drawn. */
const focusFirstFault = (form: EventTarget | null) =>
  requestAnimationFrame(() => {
    if (form instanceof HTMLFormElement) form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  });

/** At which times another price holds. @param props.faultOf of a path such as `0.price` */
function Windows(props: {
  windows: readonly WindowForm[];
  faultOf: (path: string) => string | undefined;
  onChange: (windows: WindowForm[]) => void;
}) {
  const { windows, faultOf, onChange } = props;
  const say = words.tariffs;
  return (
    <fieldset class="windows">
      <legend>{say.windows}</legend>
      <p class="hint">{say.windowsHint}</p>
      {windows.map((window, at) => (
        <WindowFields
          key={at}
          number={at + 1}
          window={window}
          faultOf={(key) => faultOf(`${at}.${key}`)}
          onChange={(changed) =>
            onChange(windows.map((each, index) => (index === at ? { ...each, ...changed } : each)))
          }
          onRemove={() => onChange(windows.filter((_, index) => index !== at))}
        />
      ))}
      <button type="button" class="small" onClick={() => onChange([...windows, EMPTY_WINDOW])}>
        {say.addWindow}
      </button>
    </fieldset>
  );
}

function WindowFields(props: {
  number: number;
  window: WindowForm;
  faultOf: (key: keyof WindowForm) => string | undefined;
  onChange: (changed: Partial<WindowForm>) => void;
  onRemove: () => void;
}) {
  const { number, window, faultOf, onChange, onRemove } = props;
  const say = words.tariffs;
  const toggle = (day: string, isChosen: boolean) =>
    onChange({ days: isChosen ? [...window.days, day] : window.days.filter((each) => each !== day) });
  const field = (
    key: Exclude<keyof WindowForm, 'days'>,
    label: string,
    look: { type?: 'time'; hint?: string } = {},
  ) => (
    <Field
      {...look}
      label={label}
      value={window[key]}
      onValue={(value) => onChange({ [key]: value })}
      fault={faultOf(key)}
    />
  );
  return (
    <fieldset class="window">
      <legend>{say.window(number)}</legend>
      <div class="choices" role="group" aria-label={say.days}>
        {DAYS.map((day) => (
          <label key={day} class="check">
            <input
              type="checkbox"
              checked={window.days.includes(String(day))}
              onChange={(event) => toggle(String(day), event.currentTarget.checked)}
            />
            {weekdayOf(day)}
          </label>
        ))}
      </div>
      {faultOf('days') !== undefined && <p class="fault">{faultOf('days')}</p>}
      <div class="fields">
        {field('start', say.start, { type: 'time' })}
        {field('end', say.end, { type: 'time' })}
        {field('price', say.price)}
        {field('step_minutes', say.step, { hint: say.windowStepHint })}
      </div>
      <button type="button" class="small" onClick={onRemove}>
        {say.removeWindow(number)}
      </button>
    </fieldset>
  );
}
