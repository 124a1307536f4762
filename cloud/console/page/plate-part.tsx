/** A plate, or what is shown of it where the account masks plates, with the button that asks for it. */
import { useSignal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { Refused } from './parts.js';
import { type AskedPlates, isMasked, type PlateOwner, reveal, shownPlate } from './plate-mask.js';
import { refusalOf } from './session.js';

export function Plate({ plate, of }: { plate: string; of: PlateOwner }) {
  return (
    <>
      <span class="plate">{shownPlate(plate)}</span> <RevealButton asked={[{ of, plates: [plate] }]} />
    </>
  );
}

/**
 * Where nothing is masked there is no button.
 * @param props.word what stands on it instead of that the plate is shown
 */
export function RevealButton({ asked, word }: { asked: readonly AskedPlates[]; word?: string }) {
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | null>(null);
  const masked = asked.filter(({ plates }) => plates.some(isMasked));
  if (masked.length === 0) return null;
  const ask = async () => {
    if (isBusy.value) return;
    isBusy.value = true;
    refusal.value = null;
    try {
      for (const each of masked) await reveal(each);
    } catch (error) {
      refusal.value = refusalOf(error);
    }
    isBusy.value = false;
  };
  const shown = [...new Set(masked.flatMap(({ plates }) => plates.map(shownPlate)))].join(', ');
  return (
    <>
      <button
        type="button"
        class="small reveal"
        aria-disabled={isBusy.value}
        aria-label={word ?? `${words.mask.show}: ${shown}`}
        onClick={() => void ask()}
      >
        {word ?? words.mask.show}
      </button>
      <Refused refusal={refusal.value} />
    </>
  );
}
