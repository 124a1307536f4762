/** The form in which a camera is made and changed: one that a gateway found fills it in, and what is saved is connected at once. */
import { type Signal, useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { CAMERA_DRIVER_NAMES } from '../../../shared/drivers/camera-driver-list.js';
import { leadsElsewhere } from '../../rest/field/masked-secret-codec.js';
import { suggestedCamera } from '../wording/camera-suggestion.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { Field, missing, named, worded } from './fields.js';
import { type EditedForm, Editor } from './editor.js';
import { HIDDEN } from './form-parts.js';
import { lazyView } from './lazy-views.js';
import { Button, Dialog, Notice, Opened } from './parts.js';
import { firstZone, idOf, type SetupFormProps, zoneOptions } from './setup-fields.js';
import { type Camera, cameras, type Gateway, gateways, loadAll, type Lot, products } from './store.js';

const CameraSearch = lazyView(async () => (await import('./camera-search-part.js')).CameraSearch);
const CameraSetupPart = lazyView(async () => (await import('./camera-setup-part.js')).CameraSetupPart);

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

/** A new camera is connected in the place of its form, once it is saved. */
export function CameraForm({ lot, camera, onClose }: SetupFormProps & { camera?: Camera }) {
  const device = useRef('');
  const saved = useSignal<{ camera: Camera; notice: string } | null>(null);
  if (saved.value !== null) {
    const { camera: made, notice } = saved.value;
    const end = () => onClose('');
    return (
      <Dialog title={made.name} class="editor" onClose={end}>
        <Notice text={notice} />
        <CameraSetupPart camera={made} />
        <div class="buttons">
          <Button look="main" word={words.done} onClick={end} />
        </div>
      </Dialog>
    );
  }
  return (
    <CameraEditor
      lot={lot}
      camera={camera}
      onSaved={(device_id) => (device.current = device_id)}
      onClose={(notice) => {
        const made = camera === undefined && cameras.value.find(({ device_id }) => device_id === device.current);
        if (made && notice !== '') saved.value = { camera: made, notice };
        else onClose(notice);
      }}
    />
  );
}

function CameraEditor(props: SetupFormProps & { camera: Camera | undefined; onSaved: (device_id: string) => void }) {
  const { lot, camera, onSaved, onClose } = props;
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
      after={async ({ device_id }) => {
        await loadAll();
        onSaved(device_id);
      }}
      onClose={onClose}
      beside={
        camera && (
          <Opened summary={say.connect}>
            <CameraSetupPart camera={camera} />
          </Opened>
        )
      }
      remove={camera && { title: words.admin.deleteTitle(camera.name), what: words.devices.deleteCamera }}
    >
      {({ form, set, field, choice, check, faultOf }) => (
        <>
          {camera === undefined && <FromNetwork form={form} set={set} choice={choice} own={ownGateways} />}
          <div class="pair">
            {field('name', words.forms.name)}
            {field('device_id', say.deviceId, { hint: say.cameraIdHint })}
            {choice('driver', say.driver, worded({}, CAMERA_DRIVER_NAMES))}
            {choice('position', say.position, worded(say.positions, POSITIONS))}
            {choice('zone', words.forms.zone, zoneOptions(lot))}
            {choice('product', say.opens, named(ownProducts, '–'))}
            {camera !== undefined && choice('gateway', say.gateway, named(ownGateways, '–'))}
            {field('address', say.cameraAddress, { hint: say.cameraAddressHint })}
            {field('username', say.username, { hint: emptyHint })}
            <PasswordField
              password={password}
              hint={camera && leadsElsewhere(camera.address, form.address) ? say.passwordAgain : emptyHint}
              fault={faultOf('password')}
            />
            {check('push_without_key', say.pushWithoutKey)}
          </div>
        </>
      )}
    </Editor>
  );
}

function PasswordField(props: { password: Signal<string>; hint: string; fault: string | undefined }) {
  const { password, hint, fault } = props;
  return (
    <Field
      label={words.setup.password}
      type="password"
      autocomplete="new-password"
      hint={hint}
      value={password.value}
      onValue={(value) => (password.value = value)}
      fault={fault}
    />
  );
}

/** The gateway comes first: it finds the camera that fills in the rest. */
function FromNetwork(props: Pick<EditedForm<CameraForm>, 'form' | 'set' | 'choice'> & { own: readonly Gateway[] }) {
  const { form, set, choice, own } = props;
  const gateway = own.find(({ id }) => String(id) === form.gateway);
  return (
    <>
      {choice('gateway', words.setup.gateway, named(own, '–'))}
      {gateway !== undefined && (
        // Another gateway has found other cameras.
        <CameraSearch key={gateway.id} gateway={gateway} onChosen={(found) => set(suggestedCamera(found, form))} />
      )}
    </>
  );
}
