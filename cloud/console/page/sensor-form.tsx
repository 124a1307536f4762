/** Sensors are made, changed or deleted: how they are reached and read, and the place that each watches. */
import { BYTE_ORDERS } from '../../../shared/drivers/byte-order.js';
import { SENSOR_DRIVER_LIST } from '../../../shared/drivers/sensor-driver-list.js';
import type { Faults } from '../wording/field-faults.js';
import {
  jsonObjectIn,
  REGISTER_FUNCTIONS,
  sensorBodyOf,
  sensorDriverFacts,
  type SensorForm as Form,
  sensorFormOf,
  usualFields,
  wholeFields,
} from '../wording/sensor-settings.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { type EditedForm, Editor } from './editor.js';
import { Choice, missing, named, worded } from './fields.js';
import type { ParkingGateway } from './records.js';
import { SensorPlaces } from './sensor-places.js';
import { type SetupFormProps, wholeFault } from './setup-fields.js';
import { setupWords } from './setup-words.js';
import { gateways, loadAll } from './store.js';

const WHOLE = { least: 0, most: 3_600_000 };
/** What the service calls a field of the form. */
const SERVICE_NAMES: Partial<Record<keyof Form, string>> = {
  poll: 'poll_ms',
  heartbeat: 'heartbeat_s',
  base: 'register.base',
  mask: 'register.occupied',
  below: 'register.occupied',
  hysteresis: 'register.occupied',
};
const serviceName = (key: keyof Form): string => SERVICE_NAMES[key] ?? key;

function faultsOf(form: Form): Faults {
  const wrong = wholeFields(form).map((key) => wholeFault(serviceName(key), String(form[key]), WHOLE));
  return {
    ...missing('name', form.name),
    ...Object.assign({}, ...wrong),
    ...(jsonObjectIn(form.mapping) === undefined ? { mapping: setupWords.sensors.wrongJson } : {}),
  };
}

export function SensorForm({ lot, sensors = null, onClose }: SetupFormProps & { sensors?: ParkingGateway | null }) {
  const say = setupWords.sensors;
  const ownGateways = gateways.value.filter(({ lot_id }) => lot_id === lot.id);
  const formOf = (each: ParkingGateway | null) => sensorFormOf(each, String(ownGateways[0]?.id ?? ''));
  const initial = formOf(sensors);
  return (
    <Editor
      list="/v2/parking-gateways"
      thing={sensors}
      title={sensors?.name ?? say.make}
      draft={sensors === null ? `sensors-new-${lot.id}` : `sensors-${sensors.id}`}
      formOf={formOf}
      faultsOf={faultsOf}
      bodyOf={(form) => ({ ...sensorBodyOf(form, null), lot_id: lot.id })}
      changeOf={(form) => changedOf(sensorBodyOf(initial, sensors), sensorBodyOf(form, sensors))}
      after={loadAll}
      onClose={onClose}
      beside={sensors && <SensorPlaces lot={lot} sensors={sensors} />}
      remove={sensors !== null && { title: words.admin.deleteTitle(sensors.name), what: words.devices.deleteSensor }}
    >
      {(edited) => (
        <>
          <div class="pair">
            {edited.field('name', words.forms.name)}
            <Choice
              label={say.driver}
              value={edited.form.driver}
              options={Object.entries(SENSOR_DRIVER_LIST).map(([value, { label }]) => ({ value, text: label }))}
              onValue={(driver) => edited.set({ driver, ...usualFields(driver) })}
              fault={edited.faultOf('driver')}
            />
          </div>
          {edited.choice('gateway', words.devices.readBy, named(ownGateways, '–'), { as: 'gateway_id' })}
          {settingFields(edited)}
        </>
      )}
    </Editor>
  );
}

/** The settings that the driver has. No component: the form has to know at once which faults these fields show. */
function settingFields(edited: EditedForm<Form>) {
  const say = setupWords.sensors;
  const { form, field, area } = edited;
  const uses = sensorDriverFacts(form.driver)?.uses ?? [];
  const isPushed = form.driver === 'http';
  const whole = { inputmode: 'numeric' } as const;
  return (
    <>
      {uses.includes('address') &&
        field('address', words.forms.address, { hint: say.addressHints[form.driver] ?? words.forms.optional })}
      {uses.includes('application') &&
        field('application', isPushed ? say.pushKey : say.application, {
          hint: isPushed ? say.pushKeyHint : say.applicationHint,
        })}
      <div class="pair">
        {uses.includes('unit') && field('unit', say.unit, whole)}
        {uses.includes('poll_ms') && field('poll', say.poll, { as: 'poll_ms', ...whole })}
        {field('heartbeat', say.heartbeat, { as: 'heartbeat_s', hint: say.heartbeatHint, ...whole })}
      </div>
      {uses.includes('register') && registerFields(edited)}
      {uses.includes('mapping') && area('mapping', say.mapping, { hint: say.mappingHint, rows: 4 })}
    </>
  );
}

function registerFields({ form, field, choice }: EditedForm<Form>) {
  const say = setupWords.sensors;
  const look = { as: 'register.occupied', inputmode: 'numeric' } as const;
  return (
    <>
      <div class="pair">
        {choice('function', say.function, worded(say.functions, REGISTER_FUNCTIONS.map(String)), {
          as: 'register.function',
        })}
        {field('base', say.base, { as: 'register.base', inputmode: 'numeric' })}
        {Number(form.function) > 2 &&
          choice('byte_order', say.byteOrder, [{ value: '', text: '–' }, ...worded({}, BYTE_ORDERS)], {
            as: 'register.byte_order',
          })}
      </div>
      <div class="pair">
        {choice('rule', say.rule, worded(say.rules))}
        {form.rule === 'mask' ? (
          field('mask', say.mask, look)
        ) : (
          <>
            {field('below', say.below, look)}
            {field('hysteresis', say.hysteresis, look)}
          </>
        )}
      </div>
    </>
  );
}
