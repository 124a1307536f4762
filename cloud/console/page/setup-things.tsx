/** What stands in a lot, and the forms in which it is changed. */
import { useSignal } from '@preact/signals';
import { words } from './browser.js';
import { DisplayEditor } from './display-editor.js';
import type { Display } from './display-sign.js';
import { LotForm } from './lot-form.js';
import { Button, Opened, Refused, Notice } from './parts.js';
import { PlaceForm } from './place-form.js';
import { ProductForm } from './product-form.js';
import type { ParkingGateway } from './records.js';
import { SensorForm } from './sensor-form.js';
import { client } from './session.js';
import { camerasIn, displaysIn, sensorsIn, zonesOf } from './setup-fields.js';
import { CameraForm } from './camera-form.js';
import { ZoneForm } from './setup-forms.js';
import {
  all,
  type Camera,
  loadAll,
  type Lot,
  type Place,
  type Product,
  products,
  wholeReads,
  type Zone,
} from './store.js';
import { useRead } from './use-read.js';

/** One of the things that stand in a lot, or the lot itself. */
export type Changed =
  | { lot: Lot }
  | { zone: Zone }
  | { product: Product }
  | { camera: Camera }
  | { place: Place }
  | { sensors: ParkingGateway }
  | { display: Display };

const PAGE = 300;

/** Everything that stands in a lot, each with its form. */
export function SetupThings({ lot }: { lot: Lot }) {
  const changed = useSignal<Changed | null>(null);
  const notice = useSignal('');
  const choose = (what: Changed) => void (changed.value = what);
  const ownZones = zonesOf(lot);
  const things: [name: string, what: Changed][] = [
    [lot.name, { lot }],
    ...ownZones.map((zone): [string, Changed] => [zone.name, { zone }]),
    ...products.value
      .filter(({ lot_id }) => lot_id === lot.id)
      .map((product): [string, Changed] => [product.name, { product }]),
    ...camerasIn(ownZones).map((camera): [string, Changed] => [camera.name, { camera }]),
  ];
  return (
    <>
      <div class="buttons">
        {things.map(([name, what], at) => (
          <EditButton key={at} name={name} onClick={() => choose(what)} />
        ))}
      </div>
      <FurtherThings lot={lot} onChosen={choose} />
      {ownZones.map((zone) => (
        <PlacesOf key={zone.id} zone={zone} onChosen={(place) => choose({ place })} />
      ))}
      <Notice text={notice.value} />
      {changed.value !== null && (
        <ChangeForm
          lot={lot}
          what={changed.value}
          onClose={(said) => {
            changed.value = null;
            notice.value = said;
          }}
        />
      )}
    </>
  );
}

function EditButton({ name, onClick }: { name: string; onClick: () => void }) {
  return <Button look="small" word={name} label={`${words.forms.edit}: ${name}`} onClick={onClick} />;
}

/** What no store has: sensors and displays. */
function FurtherThings({ lot, onChosen }: { lot: Lot; onChosen: (what: Changed) => void }) {
  const read = useRead(`things ${lot.id} ${wholeReads.value}`, (signal) =>
    Promise.all([sensorsIn(lot, signal), displaysIn(lot, signal)]),
  );
  const [sensors, displays] = read.found ?? [[], []];
  const things: [name: string, what: Changed][] = [
    ...sensors.map((each): [string, Changed] => [each.name, { sensors: each }]),
    ...displays.map((display): [string, Changed] => [display.name, { display }]),
  ];
  return (
    <>
      <Refused refusal={read.refusal} onAgain={read.again} />
      <div class="buttons">
        {things.map(([name, what], at) => (
          <EditButton key={at} name={name} onClick={() => onChosen(what)} />
        ))}
      </div>
    </>
  );
}

/** The places of a zone may be many: they are read when somebody looks for one. */
function PlacesOf({ zone, onChosen }: { zone: Zone; onChosen: (place: Place) => void }) {
  return (
    <Opened summary={`${words.plan.places}: ${zone.name}`}>
      <PlaceButtons zone={zone} onChosen={onChosen} />
    </Opened>
  );
}

function PlaceButtons({ zone, onChosen }: { zone: Zone; onChosen: (place: Place) => void }) {
  const query = { filter: [`zone_id:eq:${zone.id}`], sort: 'name:asc' as const, size: PAGE };
  // A saved form reads everything anew, and `wholeReads` counts that: the places are then read again.
  const places = useRead(`places ${zone.id} ${wholeReads.value}`, (signal) =>
    all(client().list('/v2/parking-places', { query, signal })),
  );
  return (
    <>
      <Refused refusal={places.refusal} onAgain={places.again} />
      {places.found === null && places.refusal === null && <p>{words.loading}</p>}
      {places.found?.length === 0 && <p class="facts">{words.setup.noPlaces}</p>}
      <div class="buttons">
        {places.found?.map((place) => (
          <EditButton key={place.id} name={place.name ?? `#${place.id}`} onClick={() => onChosen(place)} />
        ))}
      </div>
    </>
  );
}

/** @param props.what one of those that stand in the lot */
export function ChangeForm(props: { lot: Lot; what: Changed; onClose: (notice: string) => void }) {
  const { lot, what, onClose } = props;
  if ('lot' in what) return <LotForm lot={lot} onClose={onClose} />;
  if ('zone' in what) return <ZoneForm lot={lot} zone={what.zone} onClose={onClose} />;
  if ('product' in what) return <ProductForm lot={lot} product={what.product} onClose={onClose} />;
  if ('place' in what) return <PlaceForm lot={lot} place={what.place} onClose={onClose} />;
  if ('sensors' in what) return <SensorForm lot={lot} sensors={what.sensors} onClose={onClose} />;
  if ('display' in what) return <DisplayEditor display={what.display} after={loadAll} onClose={onClose} />;
  return <CameraForm lot={lot} camera={what.camera} onClose={onClose} />;
}
