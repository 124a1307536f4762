/** Forms for what a car park is made of, in which it is made and changed: the lot itself, and what stands in it. */
import { useSignal } from '@preact/signals';
import { parseUpdateHours } from '../../../shared/update-hours.js';
import { CAMERA_DRIVER_NAMES } from '../../../shared/drivers/camera-driver-list.js';
import { leadsElsewhere } from '../../rest/field/masked-secret-codec.js';
import { deviceFault } from '../wording/form-checks.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { Field, missing, named, worded } from './fields.js';
import { Editor } from './editor.js';
import { HIDDEN } from './form-parts.js';
import { PlaceForm } from './place-form.js';
import { ProductSettings } from './product-settings.js';
import { client } from './session.js';
import {
  camerasIn,
  countsOfLot,
  firstZone,
  idOf,
  printedId,
  type SetupFormProps,
  timezoneOptions,
  wholeFault,
  zoneOptions,
  zonesOf,
} from './setup-fields.js';
import { type Camera, gateways, loadAll, type Lot, type Product, products, type Zone } from './store.js';
import { useRead } from './use-read.js';

const OFFLINE_EXITS = ['open', 'deny'] as const;
const AUTONOMY_DAYS = { least: 7, most: 366 };

const lotFormOf = (lot: Lot | null) => ({
  name: lot?.name ?? '',
  address: lot?.address ?? '',
  timezone: lot?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
  offline_exit: String(lot?.offline_exit ?? OFFLINE_EXITS[0]),
  autonomy_days: String(lot?.autonomy_days ?? 31),
  update_hours: lot?.update_hours ?? '',
});

/** @param props.lot that is changed; left out: a new one is made */
export function LotForm({ lot, onClose }: { lot?: Lot; onClose: SetupFormProps['onClose'] }) {
  const say = words.setup;
  return (
    <Editor
      list="/v2/lots"
      thing={lot}
      title={lot?.name ?? say.lot}
      draft={`lot-${lot?.id ?? 'new'}`}
      formOf={lotFormOf}
      faultsOf={({ name, autonomy_days, update_hours }) => ({
        ...missing('name', name),
        ...wholeFault('autonomy_days', autonomy_days, AUTONOMY_DAYS),
        ...(update_hours === '' || parseUpdateHours(update_hours) !== null
          ? {}
          : { update_hours: words.updates.hoursWrong }),
      })}
      bodyOf={({ offline_exit, autonomy_days, update_hours, ...form }) => ({
        ...form,
        offline_exit: OFFLINE_EXITS.find((each) => each === offline_exit) ?? OFFLINE_EXITS[0],
        autonomy_days: Number(autonomy_days),
        update_hours: update_hours === '' ? null : update_hours,
      })}
      after={loadAll}
      onClose={onClose}
      remove={lot && { title: words.admin.deleteTitle(lot.name), what: say.deleteLot(...countsOfLot(lot)) }}
    >
      {({ form, field, choice }) => (
        <>
          {field('name', words.forms.name)}
          {field('address', words.forms.address, { hint: words.forms.optional })}
          {choice('timezone', say.timezone, timezoneOptions(form.timezone))}
          <div class="pair">
            {choice('offline_exit', say.offlineExit, worded(say.offlineExits, OFFLINE_EXITS))}
            {field('autonomy_days', say.autonomyDays, { inputmode: 'numeric', hint: say.autonomyDaysHint })}
          </div>
          {field('update_hours', words.updates.hours, { hint: words.updates.hoursHint })}
        </>
      )}
    </Editor>
  );
}

const TARIFFS_MAX = 100;
const HOURS = { least: 1, most: 87_600 };

const zoneFormOf = (zone: Zone | null) => ({
  name: zone?.name ?? '',
  spots: String(zone?.spot_count ?? 0),
  hours: String(zone?.occupancy_max_hours ?? 72),
  tariff_ids: zone?.tariff_ids ?? [],
});

export function ZoneForm({ lot, zone, onClose }: SetupFormProps & { zone?: Zone }) {
  const say = words.setup;
  const tariffs = useRead('tariffs', (signal) =>
    client().get('/v2/tariffs', { query: { sort: 'name:asc', size: TARIFFS_MAX }, signal }),
  );
  return (
    <Editor
      list="/v2/zones"
      thing={zone}
      title={zone?.name ?? say.zone}
      draft={zone === undefined ? `zone-new-${lot.id}` : `zone-${zone.id}`}
      formOf={zoneFormOf}
      faultsOf={({ name, spots, hours }) => ({
        ...missing('name', name),
        ...missing('spot_count', spots),
        ...wholeFault('occupancy_max_hours', hours, HOURS),
      })}
      bodyOf={({ name, spots, hours, tariff_ids }) => ({
        name,
        lot_id: lot.id,
        spot_count: Number(spots),
        occupancy_max_hours: Number(hours),
        tariff_ids,
      })}
      after={loadAll}
      onClose={onClose}
      remove={zone && { title: words.admin.deleteTitle(zone.name), what: say.deleteZone(camerasIn([zone]).length) }}
    >
      {({ field, checks }) => (
        <>
          {field('name', words.forms.name)}
          <div class="pair">
            {field('spots', say.spots, { as: 'spot_count', type: 'number', hint: say.spotsHint })}
            {field('hours', say.hours, { as: 'occupancy_max_hours', inputmode: 'numeric', hint: say.hoursHint })}
          </div>
          {checks('tariff_ids', say.tariffs, tariffs.found ?? [], { hint: say.tariffsHint })}
        </>
      )}
    </Editor>
  );
}

const PRODUCT_KINDS = [1, 2, 3, 4, 5] as const;

export function ProductForm({ lot, product, onClose }: SetupFormProps & { product?: Product }) {
  const say = words.setup;
  const formOf = (each: Product | null) => ({
    name: each?.name ?? '',
    device_id: each?.device_id ?? '',
    kind: String(each?.product_type_id ?? 1),
    zone: each === null ? firstZone(lot) : String(each.zone_id ?? ''),
  });
  const initial = formOf(product ?? null);
  /** The fields that can be changed: neither kind nor identifier; and a product that is in a zone cannot leave all zones. */
  const changeable = ({ name, zone }: typeof initial) => ({ name, ...(zone === '' ? {} : { zone_id: Number(zone) }) });
  return (
    <Editor
      list="/v2/products"
      thing={product}
      title={product?.name ?? say.product}
      draft={product === undefined ? `product-new-${lot.id}` : `product-${product.id}`}
      formOf={formOf}
      faultsOf={({ name, device_id }) => ({ ...missing('name', name), ...deviceFault(printedId(device_id), words) })}
      bodyOf={({ name, device_id, kind, zone }) => ({
        name,
        device_id: printedId(device_id),
        product_type_id: PRODUCT_KINDS.find((each) => String(each) === kind) ?? 1,
        lot_id: lot.id,
        zone_id: idOf(zone),
      })}
      changeOf={(form) => changedOf(changeable(initial), changeable(form))}
      after={loadAll}
      onClose={onClose}
      beside={product && <ProductSettings product={product} />}
      remove={product && { title: words.admin.deleteTitle(product.name), what: say.deleteProduct }}
    >
      {({ field, choice }) => (
        <>
          {field('name', words.forms.name)}
          <div class="pair">
            {product === undefined && choice('kind', say.kind, worded(words.kinds))}
            {choice('zone', words.forms.zone, zoneOptions(lot, initial.zone === '' || product === undefined))}
          </div>
          {product === undefined && field('device_id', say.deviceId, { hint: say.deviceIdHint })}
        </>
      )}
    </Editor>
  );
}

const POSITIONS = ['in', 'out', 'in/out'] as const;

interface CameraForm {
  name: string;
  device_id: string;
  driver: string;
  position: string;
  zone: string;
  product: string;
  gateway: string;
  address: string;
  username: string;
  push_without_key: boolean;
}

/** @param first what is chosen for a new one */
const cameraFormOf = (
  camera: Camera | undefined,
  first: { zone: string; product: number | undefined; gateway: number | undefined },
): CameraForm => ({
  name: camera?.name ?? '',
  device_id: camera?.device_id ?? '',
  driver: camera?.driver ?? CAMERA_DRIVER_NAMES[0],
  position: camera?.lpr_position ?? POSITIONS[0],
  zone: camera === undefined ? first.zone : String(camera.zone_id),
  product: String((camera === undefined ? first.product : camera.product_id) ?? ''),
  gateway: String((camera === undefined ? first.gateway : camera.gateway_id) ?? ''),
  address: camera?.address ?? '',
  username: '',
  push_without_key: camera?.push_without_key === 1,
});

const cameraBodyOf = ({ zone, product, gateway, driver, position, ...form }: CameraForm, { timezone }: Lot) => ({
  ...form,
  driver: CAMERA_DRIVER_NAMES.find((each) => each === driver) ?? CAMERA_DRIVER_NAMES[0],
  lpr_position: POSITIONS.find((each) => each === position) ?? POSITIONS[0],
  timezone,
  zone_id: Number(zone),
  product_id: idOf(product),
  gateway_id: idOf(gateway),
});

export function CameraForm({ lot, camera, onClose }: SetupFormProps & { camera?: Camera }) {
  const say = words.setup;
  // Not kept as a draft: nobody else must find it in this browser.
  const password = useSignal('');
  const ownProducts = products.value.filter(({ lot_id }) => lot_id === lot.id);
  const ownGateways = gateways.value.filter(({ lot_id }) => lot_id === lot.id);
  const first = { zone: firstZone(lot), product: ownProducts[0]?.id, gateway: ownGateways[0]?.id };
  const formOf = (each: Camera | null) => cameraFormOf(each ?? undefined, first);
  const initial = formOf(camera ?? null);
  const emptyHint = camera === undefined ? words.forms.optional : say.keptWhenEmpty;
  return (
    <Editor
      list="/v2/lpr-cameras"
      thing={camera}
      title={camera?.name ?? say.lpr_camera}
      draft={camera === undefined ? `camera-new-${lot.id}` : `camera-form-${camera.id}`}
      formOf={formOf}
      faultsOf={({ name, device_id }) => ({ ...missing('name', name), ...missing('device_id', device_id) })}
      bodyOf={(form) => ({ ...cameraBodyOf(form, lot), password: password.value })}
      changeOf={(form) => ({
        ...changedOf(cameraBodyOf(initial, lot), cameraBodyOf(form, lot)),
        ...(password.value === '' ? {} : { password: password.value }),
      })}
      hide={(body) => ('password' in body ? { ...body, password: HIDDEN } : body)}
      after={loadAll}
      onClose={onClose}
      remove={camera && { title: words.admin.deleteTitle(camera.name), what: words.devices.deleteCamera }}
    >
      {({ form, field, choice, check, faultOf }) => (
        <div class="pair">
          {field('name', words.forms.name)}
          {field('device_id', say.deviceId, { hint: say.cameraIdHint })}
          {choice('driver', say.driver, worded({}, CAMERA_DRIVER_NAMES))}
          {choice('position', say.position, worded(say.positions, POSITIONS))}
          {choice('zone', words.forms.zone, zoneOptions(lot))}
          {choice('product', say.opens, named(ownProducts, '–'))}
          {choice('gateway', say.gateway, named(ownGateways, '–'))}
          {field('address', say.cameraAddress, { hint: say.cameraAddressHint })}
          {field('username', say.username, { hint: emptyHint })}
          <Field
            label={say.password}
            type="password"
            autocomplete="new-password"
            hint={camera !== undefined && leadsElsewhere(camera.address, form.address) ? say.passwordAgain : emptyHint}
            value={password.value}
            onValue={(value) => (password.value = value)}
            fault={faultOf('password')}
          />
          {check('push_without_key', say.pushWithoutKey)}
        </div>
      )}
    </Editor>
  );
}

const FORMS = { zone: ZoneForm, parking_place: PlaceForm, product: ProductForm, lpr_camera: CameraForm } as const;
export type Made = keyof typeof FORMS;

/** In the order in which a car park is set up. What stands in a zone needs one. */
export const makeable = (lot: Lot): readonly Made[] =>
  zonesOf(lot).length === 0 ? ['zone', 'product'] : ['zone', 'product', 'lpr_camera', 'parking_place'];

/** @param props.what as the address names it */
export function SetupForm({ what, ...shown }: SetupFormProps & { what: Made }) {
  const Form = FORMS[what];
  return <Form {...shown} />;
}
