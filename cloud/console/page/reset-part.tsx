/** Takes the device away from a gateway, once a person has read what that does and typed the gateway's name. */
import { ageText } from '../../../shared/troubles/age.js';
import { DialogButton } from './admin-parts.js';
import { words } from './browser.js';
import { SentForm, useForm } from './form-parts.js';
import { gatewayCareWords } from './gateway-care-words.js';
import { client } from './session.js';
import { type Gateway, type Health, loadDevices, serverMinute } from './store.js';

const say = gatewayCareWords.reset;

interface ResetProps {
  gateway: Pick<Gateway, 'id' | 'name' | 'status' | 'last_seen'>;
  health: Health | undefined;
  onDone: (sentence: string) => void;
}

export const ResetPart = (props: ResetProps) => (
  <DialogButton word={say.button} about={props.gateway.name} title={say.title(props.gateway.name)} class="reset">
    {(close) => <ResetForm {...props} onClose={close} />}
  </DialogButton>
);

function ResetForm({ gateway, health, onDone, onClose }: ResetProps & { onClose: () => void }) {
  const { id, name } = gateway;
  const { form, submit, sending, field } = useForm(
    `reset of gateway ${id}`,
    { confirm: '' },
    ['confirm'],
    ({ confirm }) => (confirm.trim() === name ? {} : { confirm: say.wrong }),
  );
  const body = { confirm: form.confirm.trim() };
  const isNothing = gateway.status === 'online' && health?.queue.depth === 0;
  const reset = async () => {
    if (!(await submit(() => client().post('/v2/gateways/{id}/reset', { path: { id }, body })))) return;
    onDone(say.done(name));
    onClose();
    await loadDevices();
  };
  return (
    <SentForm
      class="form"
      sending={sending}
      yes={say.yes}
      isMain={false}
      onSend={reset}
      onCancel={onClose}
      call={{ method: 'POST', path: `/v2/gateways/${id}/reset`, body }}
    >
      <p>{say.intro}</p>
      <Points title={say.lostTitle} points={say.lost} look="bad" />
      <p class={isNothing ? 'notice' : 'notice bad'}>{isNothing ? say.nothingWaits : waitingText(gateway, health)}</p>
      <Points title={say.keptTitle} points={say.kept} look="good" />
      <Points title={say.onSiteTitle} points={say.onSite} look="" />
      {field('confirm', say.type(name))}
    </SentForm>
  );
}

function Points({ title, points, look }: { title: string; points: readonly string[]; look: string }) {
  return (
    <section class="points" aria-label={title}>
      <h3 class={look}>{title}</h3>
      <ul>
        {points.map((point) => (
          <li key={point}>{point}</li>
        ))}
      </ul>
    </section>
  );
}

/** How much is lost that was not sent: what the gateway last said, with its age when it is not connected. */
function waitingText({ status, last_seen }: ResetProps['gateway'], health: Health | undefined): string {
  const depth = health?.queue.depth ?? null;
  if (depth === null) return say.waitingUnknown;
  if (status === 'online') return say.waiting(depth);
  if (last_seen === null) return say.waitingUnknown;
  return say.queueOf(depth, ageText(Math.max(0, serverMinute() - Date.parse(last_seen)), words.ages));
}
