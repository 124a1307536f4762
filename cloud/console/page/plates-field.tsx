/** The plates of one thing, each in a field of its own. */
import { useRef } from 'preact/hooks';
import { judgePlate, platesIn } from '../../../shared/plate/typed-plate.js';
import { words } from './browser.js';
import { Field } from './fields.js';
import { Button } from './parts.js';

/** Several plates that stand in one field, or are pasted into it, are offered as several. */
export function PlatesField(props: {
  plates: readonly string[];
  onPlates: (plates: string[]) => void;
  countMax: number;
  /** By the number of the plate, from 0. */
  faultOf: (at: number) => string | undefined;
}) {
  const { plates, onPlates, countMax, faultOf } = props;
  const shown = plates.length === 0 ? [''] : plates;
  const fields = useRef<HTMLDivElement>(null);
  const say = words.members;
  const replace = (at: number, others: readonly string[]) => onPlates(shown.toSpliced(at, 1, ...others));
  // A field of one line would glue lines together.
  const paste = (at: number) => (event: ClipboardEvent) => {
    const pasted = platesIn(event.clipboardData?.getData('text') ?? '');
    if (pasted.length < 2 || shown[at] !== '') return;
    event.preventDefault();
    replace(at, pasted);
  };
  const add = () => {
    onPlates([...shown, '']);
    requestAnimationFrame(() => [...(fields.current?.querySelectorAll('input') ?? [])].at(-1)?.focus());
  };
  return (
    <div class="plates-field" ref={fields}>
      {shown.map((plate, at) => {
        const { fault } = judgePlate(plate);
        const several = fault?.kind === 'several' ? fault.plates : null;
        return (
          <div key={at} class="plate-line" onPaste={paste(at)}>
            <Field
              label={say.plateOf(at + 1)}
              value={plate}
              onValue={(value) => replace(at, [value])}
              fault={faultOf(at)}
              hint={at === 0 ? say.plateHint : undefined}
            />
            {shown.length > 1 && (
              <Button look="small" word="×" label={say.removePlate(plate)} onClick={() => replace(at, [])} />
            )}
            {several !== null && (
              <div class="split">
                <Button look="small" word={say.splitPlates(several.join(', '))} onClick={() => replace(at, several)} />
              </div>
            )}
          </div>
        );
      })}
      {shown.length < countMax && <Button look="small" word={say.addPlate} onClick={add} />}
    </div>
  );
}
