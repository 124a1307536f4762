/** The claim file of a gateway that was added: dropped on a written card, it claims the device at its first start. The Wi-Fi typed here is sent to nobody. */
import { useSignal } from '@preact/signals';
import type { ClaimFile } from '../../../shared/claim-file.js';
import { claimFileFaults } from '../wording/form-checks.js';
import { words } from './browser.js';
import { Field } from './fields.js';
import { saveFile } from './files.js';
import { Button } from './parts.js';

const say = words.devices;

/** @param code what the file claims with */
export function ClaimFilePart({ code }: { code: string }) {
  const form = useSignal({ ssid: '', password: '', country: '' });
  const isAsked = useSignal(false);
  const set = (change: Partial<typeof form.value>) => {
    form.value = { ...form.value, ...change };
  };
  const faults = isAsked.value ? claimFileFaults(form.value, words) : {};
  const save = () => {
    isAsked.value = true;
    if (Object.keys(claimFileFaults(form.value, words)).length > 0) return;
    const { ssid, password, country } = form.value;
    const secret = password === '' ? {} : { password };
    const wifi = { ssid, ...secret, country: country.toUpperCase() };
    const file: ClaimFile = {
      cloud_url: location.origin,
      claim_code: code,
      ...(ssid === '' ? {} : { network: { wifi } }),
    };
    saveFile('claim.json', new Blob([`${JSON.stringify(file, null, 2)}\n`], { type: 'application/json' }));
  };
  return (
    <details>
      <summary>{say.claimFile}</summary>
      <p class="facts">{say.claimFileWhat}</p>
      <div class="pair">
        <Field
          label={say.wifiName}
          value={form.value.ssid}
          onValue={(ssid) => set({ ssid })}
          fault={faults['ssid']}
          hint={say.wifiHint}
        />
        <Field
          label={say.wifiPassword}
          value={form.value.password}
          onValue={(password) => set({ password })}
          fault={faults['password']}
          hint={words.forms.optional}
        />
        <Field
          label={say.wifiCountry}
          value={form.value.country}
          onValue={(country) => set({ country })}
          fault={faults['country']}
          hint={say.wifiCountryHint}
        />
      </div>
      <Button look="small" word={say.saveClaimFile} onClick={save} />
    </details>
  );
}
