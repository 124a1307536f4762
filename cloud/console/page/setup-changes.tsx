/** What stands in a lot, and the forms in which it is changed. */
import { useSignal } from '@preact/signals';
import { words } from './browser.js';
import { Button, Opened, Refused, Notice } from './parts.js';
import { PlaceForm } from './place-form.js';
import { client } from './session.js';
import { CameraForm, LotForm, ProductForm, ZoneForm } from './setup-forms.js';
import {
  all,
  type Camera,
  cameras,
  type Lot,
  type Place,
  type Product,
  products,
  wholeReads,
  type Zone,
  zones,
} from './store.js';
import { useRead } from './use-read.js';

type Changed = { lot: Lot } | { zone: Zone } | { product: Product } | { camera: Camera } | { place: Place };

const PAGE = 300;

export function SetupChanges({ lot }: { lot: Lot }) {
  const changed = useSignal<Changed | null>(null);
  const notice = useSignal('');
  const isOpen = useSignal(false);
  const ownZones = zones.value.filter(({ lot_id }) => lot_id === lot.id);
  const things: [name: string, what: Changed][] = [
    [lot.name, { lot }],
    ...ownZones.map((zone): [string, Changed] => [zone.name, { zone }]),
    ...products.value
      .filter(({ lot_id }) => lot_id === lot.id)
      .map((product): [string, Changed] => [product.name, { product }]),
    ...cameras.value
      .filter(({ zone_id }) => ownZones.some(({ id }) => id === zone_id))
      .map((camera): [string, Changed] => [camera.name, { camera }]),
  ];
  return (
    <>
      <details class="others" onToggle={({ currentTarget }) => (isOpen.value = currentTarget.open)}>
        <summary aria-label={`${words.setup.change}: ${lot.name}`}>{words.setup.change}</summary>
        <div class="buttons">
          {(isOpen.value ? things : []).map(([name, what], at) => (
            <EditButton key={at} name={name} onClick={() => (changed.value = what)} />
          ))}
        </div>
        {isOpen.value &&
          ownZones.map((zone) => (
            <PlacesOf key={zone.id} zone={zone} onChosen={(place) => (changed.value = { place })} />
          ))}
      </details>
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
function ChangeForm(props: { lot: Lot; what: Changed; onClose: (notice: string) => void }) {
  const { lot, what, onClose } = props;
  if ('lot' in what) return <LotForm lot={lot} onClose={onClose} />;
  if ('zone' in what) return <ZoneForm lot={lot} zone={what.zone} onClose={onClose} />;
  if ('product' in what) return <ProductForm lot={lot} product={what.product} onClose={onClose} />;
  if ('place' in what) return <PlaceForm lot={lot} place={what.place} onClose={onClose} />;
  return <CameraForm lot={lot} camera={what.camera} onClose={onClose} />;
}
