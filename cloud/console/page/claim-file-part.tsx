/** The claim file of a gateway that was added: dropped on a written card, it claims the device at its first start. The Wi-Fi typed here is sent to nobody. */
import { useSignal } from '@preact/signals';
import type { ClaimFile } from '../../../shared/claim-file.js';
import { claimFileFaults } from '../wording/form-checks.js';
import { words } from './browser.js';
import type { ClaimCodeFacts } from './claim-part.js';
import { Choice, Field } from './fields.js';
import { saveFile } from './files.js';
import { Button, Refused } from './parts.js';
import { client, refusalOf } from './session.js';

const say = words.devices;

/** For how many days the code of a file is good: cards are flashed ahead. Empty: it has the code that is shown. */
const DAYS = ['', '1', '7', '30'] as const;

interface FileCode {
  id: number;
  code: string;
  onMade: (made: ClaimCodeFacts) => void;
}

/** The code for a file: the shown one, or one that is good for days and ends the shown one. */
async function codeForFile({ id, code, onMade, days }: FileCode & { days: string }): Promise<string> {
  if (days === '') return code;
  const body = { expires_in_days: Number(days) };
  const made = await client().post('/v2/gateways/{id}/claim-code', { path: { id }, body });
  onMade(made);
  return made.claim_code ?? code;
}

/**
 * @param props.code what the file claims with, unless it shall be good for days
 * @param props.onMade hears of the code that takes its place then
 */
export function ClaimFilePart(props: FileCode) {
  const { id, code, onMade } = props;
  const form = useSignal({ ssid: '', password: '', country: '', days: '' });
  const isAsked = useSignal(false);
  const refusal = useSignal<ReturnType<typeof refusalOf> | null>(null);
  const set = (change: Partial<typeof form.value>) => {
    form.value = { ...form.value, ...change };
  };
  const faults = isAsked.value ? claimFileFaults(form.value, words) : {};
  const save = async () => {
    isAsked.value = true;
    refusal.value = null;
    if (Object.keys(claimFileFaults(form.value, words)).length > 0) return;
    const { ssid, password, country } = form.value;
    let claim_code: string;
    try {
      claim_code = await codeForFile({ id, code, onMade, days: form.value.days });
      set({ days: '' });
    } catch (error) {
      refusal.value = refusalOf(error);
      return;
    }
    const secret = password === '' ? {} : { password };
    const wifi = { ssid, ...secret, country: country.toUpperCase() };
    const file: ClaimFile = {
      cloud_url: location.origin,
      claim_code,
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
      <Choice
        label={say.claimFileDays}
        value={form.value.days}
        onValue={(days) => set({ days })}
        options={DAYS.map((days) => ({ value: days, text: say.days(days) }))}
      />
      <Button look="small" word={say.saveClaimFile} onClick={() => void save()} />
      <Refused refusal={refusal.value} />
    </details>
  );
}
