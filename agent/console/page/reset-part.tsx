/** The way back to the factory's state, asked twice: by the name that a person types, and by a last question. */
import { useSignal } from '@preact/signals';
import { Field } from '../../../shared/page/fields.js';
import { Button, Dialog, Question } from '../../../shared/page/parts.js';
import { act, isBusy } from './acts.js';
import { words } from './browser.js';
import { ActNotice, Part } from './local-parts.js';

const KEY = 'reset';

/** @param props.name what has to be typed: the gateway's name, or its uuid as long as it has none */
export function ResetPart({ name }: { name: string }) {
  const { service: say, cancel } = words();
  const step = useSignal<'none' | 'name' | 'last'>('none');
  const typed = useSignal('');
  const fault = useSignal<string | undefined>(undefined);
  const end = () => {
    step.value = 'none';
    typed.value = '';
    fault.value = undefined;
  };
  const next = () => {
    if (typed.value.trim() === name) step.value = 'last';
    else fault.value = say.resetWrong;
  };
  const erase = () => {
    end();
    void act(
      KEY,
      '/api/reset',
      { confirm: name },
      {
        busy: say.resetYes,
        done: () => say.resetDone,
        // It was renamed in the meantime.
        failed: (why, status) => (status === 422 ? say.resetWrong : why),
      },
    );
  };
  return (
    <Part title={say.reset}>
      <div class="card">
        <p>{say.resetWhat}</p>
        <div class="buttons">
          <Button
            look="danger"
            word={say.resetButton}
            isBusy={isBusy(KEY)}
            onClick={() => !isBusy(KEY) && (step.value = 'name')}
          />
        </div>
        <ActNotice name={KEY} />
      </div>
      {step.value === 'name' && (
        <Dialog title={say.resetAsk} onClose={end}>
          <form noValidate class="fields" onSubmit={(event) => (event.preventDefault(), next())}>
            <p>{say.resetWhat}</p>
            <Field
              label={say.resetType(name)}
              value={typed.value}
              fault={fault.value}
              onValue={(value) => (typed.value = value)}
            />
            <div class="buttons">
              <Button word={cancel} onClick={end} />
              <Button look="danger" word={say.resetNext} />
            </div>
          </form>
        </Dialog>
      )}
      {step.value === 'last' && (
        <Question title={say.resetAsk} yes={say.resetYes} no={cancel} isNoFirst onYes={erase} onNo={end}>
          <p>{say.resetLast}</p>
        </Question>
      )}
    </Part>
  );
}
