/** What this browser tells of while nobody looks at the console: chosen for each lot and kind, and tried out. */
import { useSignal } from '@preact/signals';
import { ALERT_KINDS, type AlertKind, offName } from '../wording/browser-alerts.js';
import { isSilent } from './alert-sound.js';
import { browserAlertWords as say } from './browser-alert-words.js';
import { announce, changeSettings, hasNoNotices, settings } from './browser-alerts.js';
import { Check } from './fields.js';
import { Button, Notice } from './parts.js';
import { lots } from './store.js';

const isSupported = 'Notification' in globalThis;

export function BrowserAlertsPart() {
  const permission = useSignal(isSupported ? Notification.permission : 'unsupported');
  const isTried = useSignal(false);
  const { hasNotice, hasSound, off } = settings.value;
  const isOn = hasNotice || hasSound;
  const chooseNotice = async (chosen: boolean) => {
    changeSettings({ hasNotice: chosen });
    // Browsers ask the person only because of a click, and once.
    if (chosen && permission.value === 'default') permission.value = await Notification.requestPermission();
  };
  const choose = (name: string, isChosen: boolean) =>
    changeSettings({ off: isChosen ? off.filter((each) => each !== name) : [...off, name] });
  const tryIt = () => {
    announce([{ key: 'try', kind: 'waits', lotId: null, title: say.sample, text: say.sampleText, path: '/' }]);
    isTried.value = true;
  };
  const refusal = permissionText(permission.value);
  return (
    <section class="card browser-alerts" aria-labelledby="browser-alerts">
      <h2 id="browser-alerts">{say.title}</h2>
      <p class="facts">{say.what}</p>
      <div class="choices">
        <Check label={say.notice} value={hasNotice} onValue={(chosen) => void chooseNotice(chosen)} />
        <Check label={say.sound} value={hasSound} onValue={(chosen) => changeSettings({ hasSound: chosen })} />
      </div>
      {hasNotice && refusal !== null && (
        <p class="notice bad" role="status">
          {refusal}
        </p>
      )}
      {hasSound && isSilent.value && <p class="notice">{say.silent}</p>}
      {isOn && (
        <>
          {lots.value.map(({ id, name }) => (
            <Kinds key={id} lotId={id} name={name} kinds={ALERT_KINDS} off={off} onChosen={choose} />
          ))}
          <Kinds lotId={null} name={say.ofAccount} kinds={['trouble']} off={off} onChosen={choose} />
          <div class="buttons">
            <Button word={say.tryIt} onClick={tryIt} />
          </div>
          <Notice text={isTried.value ? say.tried : ''} />
        </>
      )}
      <p class="facts">{say.closed}</p>
    </section>
  );
}

function Kinds(props: {
  lotId: number | null;
  name: string;
  kinds: readonly AlertKind[];
  off: readonly string[];
  onChosen: (name: string, isChosen: boolean) => void;
}) {
  const { lotId, name, kinds, off, onChosen } = props;
  return (
    <fieldset>
      <legend>{name}</legend>
      <div class="choices">
        {kinds.map((kind) => (
          <Check
            key={kind}
            label={say.kinds[kind]}
            value={!off.includes(offName(lotId, kind))}
            onValue={(isChosen) => onChosen(offName(lotId, kind), isChosen)}
          />
        ))}
      </div>
    </fieldset>
  );
}

/** Why no notice comes; null: nothing stands in the way. */
function permissionText(permission: string): string | null {
  if (permission === 'granted') return hasNoNotices.value ? say.permission.failed : null;
  return permission === 'denied' || permission === 'unsupported' ? say.permission[permission] : say.permission.default;
}
