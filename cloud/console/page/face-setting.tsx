/** How the account shows itself: a Super Admin gives it a name for guests, a logo, a colour and whom to ask. */
import { useSignal } from '@preact/signals';
import { type Accent, accentsOf } from '../../../shared/accent.js';
import { emailFault } from '../wording/form-checks.js';
import { changeLogo, changeSettings, face, logoPath } from './account-settings.js';
import { AskButton } from './admin-parts.js';
import { words } from './browser.js';
import { faceWords as say } from './face-words.js';
import { HIDDEN, SentForm, useForm } from './form-parts.js';
import { CallShown, Notice, Refused } from './parts.js';
import { useSending } from './sending.js';

const PATH = '/v2/account';
const LOGO_PATH = '/v2/account/logo';
const LOGO_BYTES_MAX = 512 * 1024;
const LOGO_TYPES = ['image/png', 'image/jpeg', 'image/webp'];
/** The console's own, where the form begins for an account that has none yet. */
const FIRST_COLOUR = '#0b6b5d';

type Face = NonNullable<typeof face.value>;

export function FaceSetting() {
  const isSaved = useSignal(false);
  const { value: known } = face;
  if (known === null) return null;
  return (
    <div class="cards">
      {/* What somebody else has saved begins the form anew. */}
      <FaceForm
        key={JSON.stringify({ ...known, logo_url: null })}
        known={known}
        isSaved={isSaved.value}
        onSaved={(saved) => (isSaved.value = saved)}
      />
      <LogoCard />
    </div>
  );
}

const formOf = ({ display_name, contact_name, contact_email, contact_phone, colour }: Face) => ({
  display_name,
  contact_name,
  contact_email,
  contact_phone,
  hasColour: colour !== null,
  colour: colour ?? FIRST_COLOUR,
});
type FaceForm = ReturnType<typeof formOf>;

const valuesOf = ({ hasColour, colour, ...texts }: FaceForm) => ({ ...texts, colour: hasColour ? colour : null });

/** Only what was changed is sent. */
function changesOf(form: FaceForm, known: Face): Partial<ReturnType<typeof valuesOf>> {
  const values = Object.entries(valuesOf(form));
  return Object.fromEntries(values.filter(([name, value]) => value !== known[name as keyof Face]));
}

const FIELDS = ['display_name', 'contact_name', 'contact_email', 'contact_phone', 'colour'] as const;

/** @param props.isSaved outlives the form, which begins anew with what was saved */
function FaceForm(props: { known: Face; isSaved: boolean; onSaved: (isSaved: boolean) => void }) {
  const { known, isSaved, onSaved } = props;
  const { form, reset, sending, field, check } = useForm(
    'face',
    formOf(known),
    FIELDS,
    ({ contact_email }) => {
      const { email } = contact_email.trim() === '' ? {} : emailFault(contact_email, words);
      return email === undefined ? {} : { contact_email: email };
    },
    () => onSaved(false),
  );
  const body = changesOf(form, known);
  const send = () =>
    sending.send(async () => {
      await changeSettings(body);
      reset();
      onSaved(true);
    });
  return (
    <SentForm
      class="card"
      title={say.title}
      sending={sending}
      onSend={send}
      yes={words.forms.save}
      outcome={<Notice text={isSaved ? say.saved : ''} />}
      call={{ method: 'PATCH', path: PATH, body }}
    >
      <p class="facts">{say.what}</p>
      {field('display_name', say.displayName, { hint: say.displayNameHint(known.name) })}
      {field('contact_name', say.contactName)}
      {field('contact_email', say.contactEmail, { type: 'email' })}
      {field('contact_phone', say.contactPhone, { type: 'tel' })}
      {check('hasColour', say.ownColour)}
      {form.hasColour && (
        <>
          {field('colour', say.colour, { type: 'color' })}
          <Swatches colour={form.colour} />
        </>
      )}
    </SentForm>
  );
}

/** The colour as it will be seen, and why that is another one where it is. */
function Swatches({ colour }: { colour: string }) {
  const { light, dark } = accentsOf(colour);
  return (
    <div class="pair">
      <Swatch look="light" title={say.light} accent={light} what={light.accent === colour ? null : say.darkened} />
      <Swatch look="dark" title={say.dark} accent={dark} what={dark.accent === colour ? null : say.lightened} />
    </div>
  );
}

function Swatch(props: {
  look: 'light' | 'dark';
  title: string;
  accent: Accent;
  what: ((colour: string) => string) | null;
}) {
  const { accent, ink } = props.accent;
  return (
    <div class={`swatch ${props.look}`}>
      <strong>{props.title}</strong>
      <span class="tag" style={{ background: accent, color: ink }}>
        {say.sample}
      </span>
      <span style={{ color: accent, textDecoration: 'underline' }}>{say.sampleText}</span>
      <small>{props.what === null ? say.asIs : props.what(accent)}</small>
    </div>
  );
}

function LogoCard() {
  const notice = useSignal('');
  const fault = useSignal('');
  const sending = useSending([]);
  const put = async (image: string | null, done: string) => {
    await changeLogo(image);
    notice.value = done;
  };
  const choose = async (file: File | undefined) => {
    if (file === undefined) return;
    notice.value = '';
    fault.value = !LOGO_TYPES.includes(file.type) ? say.noPicture : file.size > LOGO_BYTES_MAX ? say.tooLarge : '';
    if (fault.value !== '') return sending.forgive();
    const image = base64Of(new Uint8Array(await file.arrayBuffer()));
    await sending.send(() => put(image, say.logoSaved));
  };
  const { value: path } = logoPath;
  return (
    <section class="card" aria-labelledby="logo-setting">
      <h2 id="logo-setting">{say.logo}</h2>
      <p class="facts">{say.logoWhat}</p>
      {path !== null && (
        <p>
          <img class="logo" src={path} alt={say.logo} />
        </p>
      )}
      <div class="buttons">
        <label class={`button file${sending.isBusy ? ' off' : ''}`}>
          {say.choose}
          <input
            type="file"
            accept={LOGO_TYPES.join(',')}
            disabled={sending.isBusy}
            onChange={(event) => {
              void choose(event.currentTarget.files?.[0]);
              // The same file can be chosen again after it was mended.
              event.currentTarget.value = '';
            }}
          />
        </label>
        {path !== null && (
          <AskButton
            label={say.remove}
            about={say.logo}
            title={say.removeTitle}
            what={say.removeWhat}
            call={{ method: 'DELETE', path: LOGO_PATH }}
            onYes={() => put(null, say.logoGone)}
          />
        )}
      </div>
      {fault.value !== '' && (
        <p class="fault" role="alert">
          {fault.value}
        </p>
      )}
      <Notice text={notice.value} />
      <Refused refusal={sending.refusal} />
      <CallShown call={{ method: 'PUT', path: LOGO_PATH, body: { image: HIDDEN } }} />
    </section>
  );
}

/** In pieces: a call has no room for half a million arguments. */
function base64Of(bytes: Uint8Array): string {
  const PIECE = 8_192;
  let text = '';
  for (let at = 0; at < bytes.length; at += PIECE) text += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return btoa(text);
}
