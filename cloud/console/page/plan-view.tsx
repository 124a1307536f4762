/** A lot as a drawing: what stands where and how it is, and, for who may, where it should stand. */
import { useSignal } from '@preact/signals';
import { arrange, type PlanThings, type SavedSpot, type Spot } from '../drawing/plan-layout.js';
import { savedOf } from '../drawing/plan-moves.js';
import { words } from './browser.js';
import { useDraft } from './draft.js';
import { Button, CallShown, Empty, Refused } from './parts.js';
import { Drawing } from './plan-drawing.js';
import { PlanPanel } from './plan-panel.js';
import { readPlanAgain, savePlan, shownLot } from './plan-store.js';
import { useSending } from './sending.js';
import { mayManage } from './session.js';
import { cameras, type Lot, type Place, products, zones } from './store.js';

const WAS_CHANGED = 412;

function thingsOf(lot_id: number, places: readonly Place[]): PlanThings {
  const own = zones.value.filter((zone) => zone.lot_id === lot_id);
  const ids = new Set(own.map(({ id }) => id));
  return {
    zones: own,
    places,
    products: products.value.filter((product) => product.lot_id === lot_id),
    cameras: cameras.value.filter(({ zone_id }) => ids.has(zone_id)),
  };
}

export function LotPlan({ lot }: { lot: Lot }) {
  const [form, reset] = useDraft(`plan-${lot.id}`, { isArranging: false, items: [] as SavedSpot[] });
  const sending = useSending([]);
  const saved = useSignal<SavedSpot[] | null>(null);
  const known = shownLot.value;
  if (known?.lot_id !== lot.id) return <Empty>{words.loading}</Empty>;
  const things = thingsOf(lot.id, known.places);
  const { isArranging, items } = form.value;
  const spots = arrange(things, isArranging ? items : known.plan);
  if (spots.length === 0) return <Empty>{words.plan.nothing}</Empty>;

  const change = (next: readonly Spot[]) => (form.value = { isArranging: true, items: savedOf(next) });
  const save = async () => {
    await savePlan(lot.id, items);
    saved.value = items;
    reset();
  };
  const readAgain = async (then: () => unknown) => {
    await readPlanAgain(lot.id);
    await then();
  };
  const begin = () => {
    saved.value = null;
    change(spots);
  };
  return (
    <section class="plan" aria-label={words.plan.title(lot.name)}>
      {mayManage.value && !isArranging && (
        <div class="buttons">
          <Button word={words.plan.arrange} onClick={begin} />
        </div>
      )}
      {mayManage.value && isArranging && (
        <ArrangeButtons
          onSave={() => sending.send(save)}
          onDiscard={reset}
          onAutomatic={() => change(arrange(things, []))}
        />
      )}
      {sending.refusal?.status === WAS_CHANGED ? (
        <WasChanged
          onTheirs={() => sending.send(() => readAgain(reset))}
          onMine={() => sending.send(() => readAgain(save))}
        />
      ) : (
        <Refused refusal={sending.refusal} />
      )}
      {saved.value !== null && !isArranging && (
        <div role="status">
          <p class="notice good">{words.plan.saved}</p>
          <CallShown call={{ method: 'PUT', path: `/v2/lots/${lot.id}/plan`, body: { items: saved.value } }} />
        </div>
      )}
      <div class="drawing">
        <Drawing lot={lot} spots={spots} places={known.places} onChange={isArranging ? change : null} />
        {!isArranging && <PlanPanel places={known.places} />}
      </div>
    </section>
  );
}

function ArrangeButtons(props: { onSave: () => unknown; onDiscard: () => void; onAutomatic: () => void }) {
  return (
    <div class="buttons">
      <Button look="main" word={words.plan.save} onClick={props.onSave} />
      <Button word={words.plan.discard} onClick={props.onDiscard} />
      <Button word={words.plan.automatic} onClick={props.onAutomatic} />
    </div>
  );
}

/** Somebody else arranged the lot meanwhile. */
function WasChanged({ onTheirs, onMine }: { onTheirs: () => unknown; onMine: () => unknown }) {
  return (
    <div class="notice bad" role="alert">
      <p>{words.plan.changed}</p>
      <div class="buttons">
        <Button look="small" word={words.plan.theirs} onClick={onTheirs} />
        <Button look="small" word={words.plan.mine} onClick={onMine} />
      </div>
    </div>
  );
}
