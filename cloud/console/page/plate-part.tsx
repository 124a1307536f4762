/** A plate, or what is shown of it where the account masks plates, with the button that asks for it. */
import { words } from './browser.js';
import { Refused } from './parts.js';
import { type AskedPlates, isMasked, type PlateOwner, reveal, shownPlate } from './plate-mask.js';
import { useSending } from './sending.js';

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
  const sending = useSending([]);
  const masked = asked.filter(({ plates }) => plates.some(isMasked));
  if (masked.length === 0) return null;
  const ask = () =>
    sending.send(async () => {
      for (const each of masked) await reveal(each);
    });
  const shown = [...new Set(masked.flatMap(({ plates }) => plates.map(shownPlate)))].join(', ');
  return (
    <>
      <button
        type="button"
        class="small reveal"
        aria-disabled={sending.isBusy}
        aria-label={word ?? `${words.mask.show}: ${shown}`}
        onClick={() => void ask()}
      >
        {word ?? words.mask.show}
      </button>
      <Refused refusal={sending.refusal} />
    </>
  );
}
