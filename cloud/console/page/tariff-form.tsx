/** A tariff is made or changed: what is typed is kept, what is wrong stands at its field, and what it would cost is drawn meanwhile. */
import type { components } from '@parking-gateway/client';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect } from 'preact/hooks';
import {
  checkTariff,
  faultsOfRefusal,
  type TariffBody,
  type TariffForm as Typed,
  type WindowForm,
} from '../wording/money-checks.js';
import { drafts, weekdayOf, words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { Check, fieldsOf } from './fields.js';
import { callFor } from './form-parts.js';
import { Button, CallShown, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client } from './session.js';
import { TariffCurve } from './tariff-curve.js';

export type Tariff = components['schemas']['Tariff'];

const DAYS = ['1', '2', '3', '4', '5', '6', '7'];
const PRECONDITION_FAILED = 412;

/** A night: what most add. */
const NEW_WINDOW: WindowForm = { days: DAYS, start: '22:00', end: '06:00', price: '', step_minutes: '' };

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

interface TariffProps {
  /** null: a new one. */
  tariff: Tariff | null;
  /** Its version, as it was read. */
  etag?: string;
  currency: string;
  onSaved: (tariff: Tariff) => void;
  onCancel: () => void;
  onReadAgain?: () => void;
}

/** What is typed, what is wrong with it, and the sending of it. */
function useTariff({ tariff, etag = '', currency, onSaved }: TariffProps) {
  const draft = `tariff-${tariff?.id ?? 'new'}`;
  const { form, set: change, reset } = useKeyedDraft(draft, { ...typedOf(tariff, currency), etag, isTyped: false });
  // A draft in which nothing was typed is of an older version of the tariff, or of nothing.
  useEffect(() => {
    if (!form.isTyped) reset();
  }, []);
  const { faults, body } = checkTariff(form, words);
  const sending = useSending<string>([], () => faults);
  const set = (changed: Partial<Typed>) => {
    change({ ...changed, isTyped: true });
    sending.forgive();
  };
  const leave = () => {
    reset();
    drafts.forget(draft);
  };
  return {
    form,
    set,
    leave,
    body,
    sending,
    faults: { ...faultsOfRefusal(sending.refusal, words), ...sending.faults },
    async send(shown: HTMLFormElement) {
      if (body === null) focusFirstFault(shown);
      await sending.send(async () => {
        if (body === null) return;
        const saved = await sent(tariff, body, form.etag);
        leave();
        onSaved(saved);
      });
    },
  };
}

export function TariffForm(props: TariffProps) {
  const { tariff, onCancel, onReadAgain } = props;
  const { form, set, leave, body, sending, faults, send } = useTariff(props);
  const say = words.tariffs;
  const { field } = fieldsOf<Typed>(form, set, (name) => faults[name]);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    void send(event.currentTarget);
  };
  const readAgain = () => {
    leave();
    onReadAgain?.();
  };
  const cancel = () => {
    leave();
    onCancel();
  };
  return (
    <div class={tariff === null ? 'card tariff-form' : 'tariff-form'}>
      <form noValidate onSubmit={submit} aria-label={tariff === null ? say.add : say.editOf(tariff.name)}>
        {tariff === null ? <h2>{say.add}</h2> : <p class="facts">{say.keeps}</p>}
        <div class="fields">
          {field('name', words.forms.name)}
          {field('price', say.price)}
          {field('step_minutes', say.step, { hint: say.stepHint })}
          {field('free_minutes', say.free, { hint: say.freeHint })}
          {field('daily_max', say.dailyMax, { hint: say.dailyMaxHint })}
          {field('currency', say.currency, { hint: say.currencyHint })}
          {field('vat', say.vat, { hint: say.vatHint })}
        </div>
        <Windows
          windows={form.windows}
          faultOf={(path) => faults[`windows.${path}`]}
          onChange={(windows) => set({ windows })}
        />
        {sending.refusal?.status === PRECONDITION_FAILED ? (
          <p class="notice bad" role="alert">
            {say.changed} <Button look="small" word={say.readAgain} onClick={readAgain} />
          </p>
        ) : (
          <Refused refusal={sending.refusal} />
        )}
        <div class="buttons">
          <Button look="main" word={words.forms.save} isBusy={sending.isBusy} />
          <Button word={words.cancel} onClick={cancel} />
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
const focusFirstFault = (form: HTMLFormElement) =>
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());

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
      <Button look="small" word={say.addWindow} onClick={() => onChange([...windows, NEW_WINDOW])} />
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
  const { field } = fieldsOf<WindowForm>(window, onChange, (key) => faultOf(key as keyof WindowForm));
  return (
    <fieldset class="window">
      <legend>{say.window(number)}</legend>
      <div class="choices" role="group" aria-label={say.days}>
        {DAYS.map((day) => (
          <Check
            key={day}
            label={weekdayOf(Number(day))}
            value={window.days.includes(day)}
            onValue={(isChosen) =>
              onChange({ days: isChosen ? [...window.days, day] : window.days.filter((each) => each !== day) })
            }
          />
        ))}
      </div>
      {faultOf('days') !== undefined && <p class="fault">{faultOf('days')}</p>}
      <div class="fields">
        {field('start', words.forms.from, { type: 'time' })}
        {field('end', words.forms.until, { type: 'time' })}
        {field('price', say.price)}
        {field('step_minutes', say.step, { hint: say.windowStepHint })}
      </div>
      <Button look="small" word={say.removeWindow(number)} onClick={onRemove} />
    </fieldset>
  );
}
