/** A text is sent to a display, to see whether it arrives. */
import { useSignal } from '@preact/signals';
import { AskState } from './ask-state.js';
import type { Display } from './display-sign.js';
import { Field } from './fields.js';
import { CallsShown } from './made-calls.js';
import { Button } from './parts.js';
import { client } from './session.js';
import { setupWords } from './setup-words.js';
import { gatewayOf } from './store.js';
import { useAsk } from './use-ask.js';

export function DisplayTest({ display: { id, gateway_id } }: { display: Display }) {
  const say = setupWords.display;
  const text = useSignal('');
  const asking = useAsk(`test of display ${id}`, (signal) =>
    client().get('/v2/rgb-displays/{id}/test', { path: { id }, signal }),
  );
  const body = { text: text.value };
  const send = () =>
    asking.begin(() => client().post('/v2/rgb-displays/{id}/test', { path: { id }, body }), {
      call: { method: 'POST', path: `/v2/rgb-displays/${id}/test`, body },
    });
  const shown = asking.isWaiting || asking.last?.state !== 'answered' ? null : asking.last.answer;
  return (
    <section aria-label={say.test}>
      <Field label={say.test} value={text.value} onValue={(value) => (text.value = value)} />
      <div class="buttons">
        <Button look="small" word={say.testSend} isBusy={asking.isWaiting} onClick={send} />
      </div>
      <AskState asking={asking} gateway={gatewayOf(gateway_id) ?? null} />
      {shown !== null && (
        <p class="notice good" role="status">
          {say.testDone(shown.text)}
        </p>
      )}
      <CallsShown made={asking.made} />
    </section>
  );
}
