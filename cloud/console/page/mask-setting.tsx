/** The setting by which a Super Admin masks the plates of the account. */
import { useSignal } from '@preact/signals';
import { words } from './browser.js';
import { CallShown, Refused, Notice } from './parts.js';
import { areSettingsKnown, changeSettings } from './account-settings.js';
import { masksPlates } from './plate-mask.js';
import { useSending } from './sending.js';

export function MaskSetting() {
  const say = words.mask;
  const notice = useSignal('');
  const sending = useSending([]);
  const body = { mask_plates: masksPlates.value ? 0 : 1 } as const;
  const change = async () => {
    notice.value = '';
    await sending.send(async () => {
      await changeSettings(body);
      notice.value = masksPlates.value ? say.nowMasked : say.nowShown;
    });
  };
  return (
    <section class="card" aria-labelledby="mask-setting">
      <h2 id="mask-setting">{say.title}</h2>
      <p class="facts">{say.what}</p>
      <label class="check">
        <input
          type="checkbox"
          checked={masksPlates.value}
          disabled={!areSettingsKnown.value}
          onChange={(event) => {
            // The box shows the state that the service confirmed.
            event.currentTarget.checked = masksPlates.value;
            void change();
          }}
        />
        {say.masks}
      </label>
      <Notice text={notice.value} />
      <Refused refusal={sending.refusal} />
      <CallShown call={{ method: 'PATCH', path: '/v2/account', body }} />
    </section>
  );
}
