/** Forms for what a car park is made of, in which it is made and changed: the lot itself, and what stands in it. */
import { useSignal } from '@preact/signals';
import { CAMERA_DRIVER_NAMES } from '../../../shared/drivers/camera-driver-names.js';
import { deviceFault } from '../wording/form-checks.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { callFor, Checks, Editor } from './form-parts.js';
import { Choice, Field, named } from './parts.js';
import { PlaceForm } from './place-form.js';
import { ProductSettings } from './product-settings.js';
import { client } from './session.js';
import {
  done,
  firstZone,
  idOf,
  missing,
  nameOf,
  type SetupFormProps,
  wholeFault,
  ZoneChoice,
  zonesOf,
} from './setup-fields.js';
import { type Camera, gateways, type Lot, type Product, products, type Zone } from './store.js';
import { useRead } from './use-read.js';

const OFFLINE_EXITS = ['open', 'deny'] as const;
const AUTONOMY_DAYS = { least: 7, most: 366 };

/** @param props.lot that is changed; left out: a new one is made */
export function LotForm({ lot, onClose }: { lot?: Lot; onClose: SetupFormProps['onClose'] }) {
  const say = words.setup;
  const initial = {
    name: lot?.name ?? '',
    address: lot?.address ?? '',
    timezone: lot?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone,
    offline_exit: String(lot?.offline_exit ?? OFFLINE_EXITS[0]),
    autonomy_days: String(lot?.autonomy_days ?? 31),
  };
  const bodyOf = ({ offline_exit, autonomy_days, ...form }: typeof initial) => ({
    ...form,
    offline_exit: OFFLINE_EXITS.find((each) => each === offline_exit) ?? OFFLINE_EXITS[0],
    autonomy_days: Number(autonomy_days),
  });
  const changeOf = (form: typeof initial) => changedOf(bodyOf(initial), bodyOf(form));
  return (
    <Editor
      title={lot?.name ?? say.lot}
      name={`lot-${lot?.id ?? 'new'}`}
      isThere={lot !== undefined}
      initial={initial}
      faultsOf={({ name, timezone, autonomy_days }) => ({
        ...missing('name', name),
        ...missing('timezone', timezone),
        ...wholeFault('autonomy_days', autonomy_days, AUTONOMY_DAYS),
      })}
      save={(form, idempotencyKey) =>
        done(
          lot === undefined
            ? client().post('/v2/lots', { body: bodyOf(form), idempotencyKey })
            : client().patch('/v2/lots/{id}', { path: { id: lot.id }, body: changeOf(form) }),
        )
      }
      callOf={(form) => callFor('/v2/lots', lot?.id, lot === undefined ? bodyOf(form) : changeOf(form))}
      nameOf={nameOf}
      onClose={onClose}
    >
      {({ form, set, faultOf, field }) => (
        <>
          {field('name', say.name)}
          {field('address', say.address, { hint: words.forms.optional })}
          {field('timezone', say.timezone, { hint: say.timezoneHint })}
          <div class="pair">
            <Choice
              label={say.offlineExit}
              value={form.offline_exit}
              options={OFFLINE_EXITS.map((each) => ({ value: each, text: say.offlineExits[each] }))}
              onValue={(offline_exit) => set({ offline_exit })}
              fault={faultOf('offline_exit')}
            />
            {field('autonomy_days', say.autonomyDays, { inputmode: 'numeric', hint: say.autonomyDaysHint })}
          </div>
        </>
      )}
    </Editor>
  );
}

const TARIFFS_MAX = 100;
const HOURS = { least: 1, most: 87_600 };

export function ZoneForm({ lot, zone, onClose }: SetupFormProps & { zone?: Zone }) {
  const say = words.setup;
  const tariffs = useRead('tariffs', (signal) =>
    client().get('/v2/tariffs', { query: { sort: 'name:asc', size: TARIFFS_MAX }, signal }),
  );
  const initial = {
    name: zone?.name ?? '',
    spots: String(zone?.spot_count ?? 0),
    hours: String(zone?.occupancy_max_hours ?? 72),
    tariff_ids: zone?.tariff_ids ?? [],
  };
  const bodyOf = ({ name, spots, hours, tariff_ids }: typeof initial) => ({
    name,
    lot_id: lot.id,
    spot_count: Number(spots),
    occupancy_max_hours: Number(hours),
    tariff_ids,
  });
  const changeOf = (form: typeof initial) => changedOf(bodyOf(initial), bodyOf(form));
  return (
    <Editor
      title={zone?.name ?? say.zone}
      name={zone === undefined ? `zone-new-${lot.id}` : `zone-${zone.id}`}
      isThere={zone !== undefined}
      initial={initial}
      faultsOf={({ name, spots, hours }) => ({
        ...missing('name', name),
        ...missing('spot_count', spots),
        ...wholeFault('occupancy_max_hours', hours, HOURS),
      })}
      save={(form, idempotencyKey) =>
        done(
          zone === undefined
            ? client().post('/v2/zones', { body: bodyOf(form), idempotencyKey })
            : client().patch('/v2/zones/{id}', { path: { id: zone.id }, body: changeOf(form) }),
        )
      }
      callOf={(form) => callFor('/v2/zones', zone?.id, zone === undefined ? bodyOf(form) : changeOf(form))}
      nameOf={nameOf}
      onClose={onClose}
    >
      {({ form, set, faultOf, field }) => (
        <>
          {field('name', say.name)}
          <div class="pair">
            {field('spots', say.spots, { as: 'spot_count', type: 'number', hint: say.spotsHint })}
            {field('hours', say.hours, { as: 'occupancy_max_hours', inputmode: 'numeric', hint: say.hoursHint })}
          </div>
          <Checks
            legend={say.tariffs}
            hint={say.tariffsHint}
            options={tariffs.value.value ?? []}
            chosen={form.tariff_ids}
            onChosen={(tariff_ids) => set({ tariff_ids })}
            fault={faultOf('tariff_ids')}
          />
        </>
      )}
    </Editor>
  );
}

const PRODUCT_KINDS = [1, 2, 3, 4, 5] as const;

export function ProductForm({ lot, product, onClose }: SetupFormProps & { product?: Product }) {
  const say = words.setup;
  const initial = {
    name: product?.name ?? '',
    device_id: product?.device_id ?? '',
    kind: String(product?.product_type_id ?? 1),
    zone: product === undefined ? firstZone(lot) : String(product.zone_id ?? ''),
  };
  const bodyOf = ({ name, device_id, kind, zone }: typeof initial) => ({
    name,
    // It is printed in pairs, and in capitals.
    device_id: device_id.replaceAll(/[\s:.-]/g, '').toLowerCase(),
    product_type_id: PRODUCT_KINDS.find((each) => String(each) === kind) ?? 1,
    lot_id: lot.id,
    zone_id: idOf(zone),
  });
  /** What it is, and what is printed on it, stays; and once in a zone, it stands in one. */
  const changeOf = ({ name, zone }: typeof initial) =>
    changedOf(
      { name: initial.name, ...(initial.zone === '' ? {} : { zone_id: Number(initial.zone) }) },
      { name, ...(zone === '' ? {} : { zone_id: Number(zone) }) },
    );
  return (
    <Editor
      title={product?.name ?? say.product}
      name={product === undefined ? `product-new-${lot.id}` : `product-${product.id}`}
      isThere={product !== undefined}
      initial={initial}
      faultsOf={(form) => ({ ...missing('name', form.name), ...deviceFault(bodyOf(form).device_id, words) })}
      save={(form, idempotencyKey) =>
        done(
          product === undefined
            ? client().post('/v2/products', { body: bodyOf(form), idempotencyKey })
            : client().patch('/v2/products/{id}', { path: { id: product.id }, body: changeOf(form) }),
        )
      }
      callOf={(form) => callFor('/v2/products', product?.id, product === undefined ? bodyOf(form) : changeOf(form))}
      nameOf={nameOf}
      onClose={onClose}
      beside={product && <ProductSettings product={product} />}
    >
      {({ form, set, field }) => (
        <>
          {field('name', say.name)}
          <div class="pair">
            {product === undefined && (
              <Choice
                label={say.kind}
                value={form.kind}
                options={PRODUCT_KINDS.map((each) => ({
                  value: String(each),
                  text: words.kinds[each] ?? String(each),
                }))}
                onValue={(kind) => set({ kind })}
              />
            )}
            <ZoneChoice
              lot={lot}
              value={form.zone}
              onValue={(zone) => set({ zone })}
              isOptional={initial.zone === '' || product === undefined}
            />
          </div>
          {product === undefined && field('device_id', say.deviceId, { hint: say.deviceIdHint })}
        </>
      )}
    </Editor>
  );
}

const POSITIONS = ['in', 'out', 'in/out'] as const;
const HIDDEN = '…';

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
  // No draft: nobody is to find it in this browser.
  const password = useSignal('');
  const ownProducts = products.value.filter(({ lot_id }) => lot_id === lot.id);
  const ownGateways = gateways.value.filter(({ lot_id }) => lot_id === lot.id);
  const first = { zone: firstZone(lot), product: ownProducts[0]?.id, gateway: ownGateways[0]?.id };
  const initial = cameraFormOf(camera, first);
  const makeOf = (form: CameraForm, secret: string) => ({ ...cameraBodyOf(form, lot), password: secret });
  const changeOf = (form: CameraForm, secret: string) => ({
    ...changedOf(cameraBodyOf(initial, lot), cameraBodyOf(form, lot)),
    ...(secret === '' ? {} : { password: secret }),
  });
  return (
    <Editor<CameraForm>
      title={camera?.name ?? say.lpr_camera}
      name={camera === undefined ? `camera-new-${lot.id}` : `camera-form-${camera.id}`}
      isThere={camera !== undefined}
      initial={initial}
      faultsOf={({ name, device_id }) => ({ ...missing('name', name), ...missing('device_id', device_id) })}
      save={(form, idempotencyKey) =>
        done(
          camera === undefined
            ? client().post('/v2/lpr-cameras', { body: makeOf(form, password.value), idempotencyKey })
            : client().patch('/v2/lpr-cameras/{id}', { path: { id: camera.id }, body: changeOf(form, password.value) }),
        )
      }
      callOf={(form) => {
        const body = camera === undefined ? makeOf(form, HIDDEN) : changeOf(form, password.value && HIDDEN);
        return callFor('/v2/lpr-cameras', camera?.id, body);
      }}
      nameOf={nameOf}
      onClose={onClose}
    >
      {({ form, set, faultOf, field }) => (
        <>
          <div class="pair">
            {field('name', say.name)}
            {field('device_id', say.deviceId, { hint: say.cameraIdHint })}
            <Choice
              label={say.driver}
              value={form.driver}
              options={CAMERA_DRIVER_NAMES.map((each) => ({ value: each, text: each }))}
              onValue={(driver) => set({ driver })}
            />
            <Choice
              label={say.position}
              value={form.position}
              options={POSITIONS.map((each) => ({ value: each, text: say.positions[each] }))}
              onValue={(position) => set({ position })}
            />
            <ZoneChoice lot={lot} value={form.zone} onValue={(zone) => set({ zone })} />
            <Choice
              label={say.opens}
              value={form.product}
              options={[{ value: '', text: '–' }, ...named(ownProducts)]}
              onValue={(product) => set({ product })}
            />
            <Choice
              label={say.gateway}
              value={form.gateway}
              options={[{ value: '', text: '–' }, ...named(ownGateways)]}
              onValue={(gateway) => set({ gateway })}
            />
            {field('address', say.cameraAddress, { hint: say.cameraAddressHint })}
            {field('username', say.username, { hint: camera === undefined ? words.forms.optional : say.keptWhenEmpty })}
            <Field
              label={say.password}
              type="password"
              autocomplete="new-password"
              hint={camera === undefined ? words.forms.optional : say.keptWhenEmpty}
              value={password.value}
              onValue={(value) => (password.value = value)}
              fault={faultOf('password')}
            />
          </div>
        </>
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
