/** Plates that somebody is told of when a camera reads them. */
import type { components } from '@parking-gateway/client';
import { normalisePlate } from '../../../shared/plate/normalise-plate.js';
import { platesIn } from '../../../shared/plate/typed-plate.js';
import { cutText } from '../wording/cut-text.js';
import type { Faults } from '../wording/field-faults.js';
import { isEmail } from '../wording/form-checks.js';
import { plateFaultSentence } from '../wording/plate-fault.js';
import { Listed } from './admin-parts.js';
import { words } from './browser.js';
import { Field, filterOf, named, QueryChoice, QueryField } from './fields.js';
import { Editor, useEdit } from './editor.js';
import { LoadingSign } from './loading-sign.js';
import { Button, Notice } from './parts.js';
import { queryOf, setQuery } from './place.js';
import { isMasked, shownPlate } from './plate-mask.js';
import { RevealButton } from './plate-part.js';
import { client } from './session.js';
import { idOf } from './setup-fields.js';
import { isLoaded, zoneName, zones } from './store.js';
import { useRead } from './use-read.js';

type Alert = components['schemas']['LicensePlateAlert'];

const PAGE = 100;

export function AlertsView() {
  const filter = filterOf({
    'name:like': queryOf('name'),
    'plate:like': queryOf('plate'),
    'zone_id:eq': queryOf('zone'),
  });
  const list = useRead(JSON.stringify(filter), (signal) =>
    client().get('/v2/license-plate-alerts', { query: { filter, size: PAGE, sort: 'name:asc' }, signal }),
  );
  const edit = useEdit(list.found, list.again);
  if (!isLoaded.value) return <LoadingSign />;
  const say = words.alerts;
  const make = <Button look="main" word={say.make} onClick={() => setQuery({ edit: 'new' })} />;
  const isFirst = list.found?.length === 0 && filter.length === 0;
  return (
    <>
      <div class="head">
        <div>
          <h1 tabIndex={-1}>{words.views.alerts}</h1>
          <p class="facts">{say.what}</p>
        </div>
        {!isFirst && make}
      </div>
      <search class="card filters">
        <QueryField name="name" label={words.forms.name} type="search" />
        <QueryField name="plate" label={words.forms.plate} type="search" />
        <QueryChoice name="zone" label={say.zone} options={zoneOptions()} />
      </search>
      <Notice text={edit.notice} />
      <Listed
        list={list}
        none={filter.length === 0 ? say.none : say.noneFits}
        first={isFirst && make}
        class="cards"
        row={(alert) => <AlertCard key={alert.id} alert={alert} />}
      />
      {edit.isOpen && <AlertEditor key={edit.thing?.id} alert={edit.thing} onClose={edit.onClose} />}
    </>
  );
}

const zoneOptions = () =>
  named(
    zones.value.map(({ id }) => ({ id, name: zoneName(id) })),
    words.forms.allZones,
  );

const often = (minutes: number): string => (minutes === 0 ? words.alerts.everyTime : words.alerts.atMost(minutes));

function AlertCard({ alert }: { alert: Alert }) {
  const { id, name, zone, receivers, min_minutes_between_emails } = alert;
  const say = words.alerts;
  return (
    <li class="card">
      <header>
        <h2>{name}</h2>
        <Button look="small" word={words.forms.edit} about={name} onClick={() => setQuery({ edit: String(id) })} />
      </header>
      <PlatesOf alert={alert} />
      <p class="facts">
        {[zone === null ? words.forms.allZones : say.inZone(zoneName(zone.id)), often(min_minutes_between_emails)].join(
          ' · ',
        )}
      </p>
      {receivers.length === 0 ? (
        <p class="notice bad">{say.noReceivers}</p>
      ) : (
        <ul class="receivers">
          {receivers.map((receiver) => (
            <li key={receiver.id}>
              {receiver.name} <span class="facts">{receiver.receiver_email}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  );
}

function PlatesOf({ alert: { id, plates } }: { alert: Alert }) {
  return (
    <p class="plates">
      {plates.map((plate) => (
        <span key={plate} class="plate">
          {shownPlate(plate)}
        </span>
      ))}
      <RevealButton asked={[{ of: { list: 'license-plate-alerts', id }, plates }]} />
    </p>
  );
}

interface AlertForm {
  name: string;
  /** As they are typed: lines and commas between them. */
  plates: string;
  zone: string;
  minutes: string;
  receivers: { name: string; receiver_email: string }[];
}

const EMPTY: AlertForm = {
  name: '',
  plates: '',
  zone: '',
  minutes: '30',
  receivers: [{ name: '', receiver_email: '' }],
};

const formOf = ({ name, plates, zone, receivers, min_minutes_between_emails }: Alert): AlertForm => ({
  name,
  plates: plates.join('\n'),
  zone: String(zone?.id ?? ''),
  minutes: String(min_minutes_between_emails),
  receivers: receivers.map((each) => ({ name: each.name, receiver_email: each.receiver_email })),
});

/** Plates hold spaces, so that these separate none. */
const platesOf = (text: string): string[] => text.split(/[\n,;]+/).flatMap(platesIn);

/** A line that was left empty is no receiver. */
const receiversIn = ({ receivers }: AlertForm): AlertForm['receivers'] =>
  receivers
    .map((each) => ({ name: each.name.trim(), receiver_email: each.receiver_email.trim() }))
    .filter(({ name, receiver_email }) => name !== '' || receiver_email !== '');

const MINUTES_MAX = 525_600;

function bodyOf(form: AlertForm) {
  return {
    name: form.name,
    plates: platesOf(form.plates),
    zone_id: idOf(form.zone),
    min_minutes_between_emails: Number(form.minutes),
    receivers: receiversIn(form),
  };
}

function plateFault(text: string): string | null {
  const plates = platesOf(text);
  const wrong = plates.flatMap((each) => plateFaultSentence(each, words) ?? []);
  const normalised = plates.map(normalisePlate);
  const twice = plates.find((_, at) => normalised.indexOf(normalised[at] ?? '') !== at);
  if (plates.length === 0) return words.alerts.platesMissing;
  if (wrong[0] !== undefined) return wrong[0];
  return twice === undefined ? null : words.alerts.plateTwice(twice);
}

function faultsOf(form: AlertForm): Faults {
  const { alerts: say, forms, keys, signIn } = words;
  const found = new Map<string, string>();
  const minutes = Number(form.minutes);
  const plates = plateFault(form.plates);
  if (form.name.trim() === '') found.set('name', signIn.missing);
  if (plates !== null) found.set('plates', plates);
  if (form.minutes === '' || !Number.isInteger(minutes) || minutes < 0 || minutes > MINUTES_MAX)
    found.set('min_minutes_between_emails', forms.number(0, MINUTES_MAX));
  const receivers = receiversIn(form);
  if (receivers.length === 0) found.set('receivers', say.receiverMissing);
  const addresses = receivers.map(({ receiver_email }) => receiver_email.toLowerCase());
  for (const [at, { name, receiver_email }] of receivers.entries()) {
    if (name === '') found.set(`receivers.${at}.name`, signIn.missing);
    if (!isEmail(receiver_email))
      found.set(
        `receivers.${at}.receiver_email`,
        receiver_email === '' ? signIn.missing : keys.wrongEmail(cutText(receiver_email)),
      );
    else if (addresses.indexOf(receiver_email.toLowerCase()) !== at)
      found.set(`receivers.${at}.receiver_email`, say.receiverTwice);
  }
  return Object.fromEntries(found);
}

function AlertEditor({ alert, onClose }: { alert: Alert | null; onClose: (notice: string) => void }) {
  const say = words.alerts;
  return (
    <Editor
      list="/v2/license-plate-alerts"
      thing={alert}
      title={alert?.name ?? say.make}
      draft={`alert-${alert?.id ?? 'new'}`}
      formOf={(each) => (each === null ? EMPTY : formOf(each))}
      faultsOf={faultsOf}
      bodyOf={bodyOf}
      onClose={onClose}
      remove={alert !== null && { title: say.deleteTitle(alert.name), what: say.deleteWhat }}
    >
      {({ form, set, faultOf, field, area, choice }) => (
        <>
          {field('name', words.forms.name)}
          {alert?.plates.some(isMasked) === true ? (
            <PlatesOf alert={alert} />
          ) : (
            area('plates', say.plates, { hint: say.platesHint })
          )}
          <Receivers receivers={form.receivers} onReceivers={(receivers) => set({ receivers })} faultOf={faultOf} />
          <div class="pair">
            {choice('zone', say.zone, zoneOptions())}
            {field('minutes', say.minutes, { as: 'min_minutes_between_emails', type: 'number', hint: say.minutesHint })}
          </div>
        </>
      )}
    </Editor>
  );
}

function Receivers(props: {
  receivers: AlertForm['receivers'];
  onReceivers: (receivers: AlertForm['receivers']) => void;
  faultOf: (field: string) => string | undefined;
}) {
  const { receivers, onReceivers, faultOf } = props;
  const say = words.alerts;
  const change = (at: number, changed: Partial<AlertForm['receivers'][number]>) =>
    onReceivers(receivers.map((each, index) => (index === at ? { ...each, ...changed } : each)));
  // Lines that are left empty are not sent: the places of the others are counted without them.
  const placeOf = (at: number) =>
    receivers.slice(0, at).filter(({ name, receiver_email }) => (name + receiver_email).trim() !== '').length;
  const isNone = receivers.every(({ name, receiver_email }) => (name + receiver_email).trim() === '');
  return (
    <fieldset class="receivers-form">
      <legend>{say.receivers}</legend>
      {receivers.map((each, at) => {
        const isEmpty = (each.name + each.receiver_email).trim() === '';
        const fault = (part: string) => (isEmpty ? undefined : faultOf(`receivers.${placeOf(at)}.${part}`));
        return (
          <div key={at} class="receiver">
            <Field
              label={say.receiverName}
              value={each.name}
              onValue={(name) => change(at, { name })}
              fault={fault('name')}
            />
            <Field
              label={words.forms.email}
              type="email"
              value={each.receiver_email}
              onValue={(receiver_email) => change(at, { receiver_email })}
              fault={fault('receiver_email')}
            />
            <Button
              look="small"
              word="×"
              label={words.forms.remove(each.name || String(at + 1))}
              onClick={() => onReceivers(receivers.filter((_, index) => index !== at))}
            />
          </div>
        );
      })}
      {isNone && <p class="fault">{faultOf('receivers')}</p>}
      <Button
        look="small"
        word={say.addReceiver}
        onClick={() => onReceivers([...receivers, { name: '', receiver_email: '' }])}
      />
    </fieldset>
  );
}
