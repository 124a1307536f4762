/** Whether the account masks plates: for who rules it. */
import { useSignal } from '@preact/signals';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { Told } from './form-parts.js';
import { CallShown, Refused } from './parts.js';
import { isMaskKnown, masksPlates } from './plate-mask.js';
import { client, refusalOf } from './session.js';

export function MaskSetting() {
  const say = words.mask;
  const told = useSignal('');
  const refusal = useSignal<Refusal | null>(null);
  const body = { mask_plates: masksPlates.value ? 0 : 1 } as const;
  const change = async (): Promise<void> => {
    told.value = '';
    refusal.value = null;
    try {
      masksPlates.value = (await client().patch('/v2/account', { body })).mask_plates === 1;
      told.value = masksPlates.value ? say.nowMasked : say.nowShown;
    } catch (error) {
      refusal.value = refusalOf(error);
    }
  };
  return (
    <section class="card" aria-labelledby="mask-setting">
      <h2 id="mask-setting">{say.title}</h2>
      <p class="facts">{say.what}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={masksPlates.value}
          disabled={!isMaskKnown.value}
          onChange={(event) => {
            // It shows what holds, which the service says.
            event.currentTarget.checked = masksPlates.value;
            void change();
          }}
        />
        {say.masks}
      </label>
      <Told text={told.value} />
      <Refused refusal={refusal.value} />
      <CallShown call={{ method: 'PATCH', path: '/v2/account', body }} />
    </section>
  );
}
