/** Forms for what stands in a lot, in which it is made and changed. */
import { words } from './browser.js';
import { CameraForm } from './camera-form.js';
import { DisplayEditor } from './display-editor.js';
import { missing } from './fields.js';
import { Editor } from './editor.js';
import { PlaceForm } from './place-form.js';
import { ProductForm } from './product-form.js';
import { SensorForm } from './sensor-form.js';
import { client } from './session.js';
import { camerasIn, type SetupFormProps, wholeFault, zonesOf } from './setup-fields.js';
import { setupWords } from './setup-words.js';
import { loadAll, type Lot, type Zone } from './store.js';
import { useRead } from './use-read.js';

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

const FORMS = {
  zone: ZoneForm,
  product: ProductForm,
  lpr_camera: CameraForm,
  parking_place: PlaceForm,
  parking_gateway: SensorForm,
  rgb_display: NewDisplay,
} as const;
export type Made = keyof typeof FORMS;

/** In the order in which a car park is set up. What stands in a zone needs one. */
export const makeable = (lot: Lot): readonly Made[] =>
  zonesOf(lot).length === 0 ? ['zone', 'product'] : (Object.keys(FORMS) as Made[]);

/** The word of the button that makes one. */
export const makeWordOf = (made: Made): string =>
  made === 'parking_gateway'
    ? setupWords.sensors.make
    : made === 'rgb_display'
      ? words.displays.make
      : words.setup[made];

function NewDisplay({ lot, onClose }: SetupFormProps) {
  return <DisplayEditor display={null} lot={lot} after={loadAll} onClose={onClose} />;
}

/** @param props.what as the address names it */
export function SetupForm({ what, ...shown }: SetupFormProps & { what: Made }) {
  const Form = FORMS[what];
  return <Form {...shown} />;
}
