/** How the gateway itself is: cloud, clock, radio, queue, and what its doctor finds. */
import { Facts } from '../../../shared/page/parts.js';
import type { LocalActionView, LocalView } from '../view/local-view.js';
import { timeOf, words } from './browser.js';
import { DoctorPart } from './doctor-part.js';
import { Part } from './local-parts.js';

export function HealthView({ view }: { view: LocalView }) {
  const { health: say, views, radioStates } = words();
  const { cloud, radio, store } = view;
  const link =
    cloud.since === null
      ? say.notYet
      : cloud.connected
        ? say.connected(timeOf(cloud.since))
        : say.alone(timeOf(cloud.since));
  const adapters = radio.adapters.map(({ name, state }) => `${name} ${radioStates[state]}`);
  return (
    <>
      <h1 tabIndex={-1}>{views.health}</h1>
      <div class="card">
        <Facts
          facts={[
            [say.cloud, `${link}${cloud.url === null ? '' : ` (${cloud.url})`}`],
            [say.clock, view.clock.known ? say.clockKnown : say.clockUnknown],
            [say.radio, adapters.length === 0 ? radioStates[radio.state] : adapters.join(', ')],
            [say.queue, say.queued(view.outbox.pending)],
            [say.store, say.megabytes(store.megabytes)],
            [say.name, view.name ?? '–'],
            [say.lot, view.lot ?? '–'],
            [say.version, view.version],
            [say.started, timeOf(view.started_at)],
            [say.uuid, view.uuid],
          ]}
        />
        {store.failed !== null && (
          <p class="notice bad">{words().troubles.says.store_failed(view.name ?? words().title)}</p>
        )}
        {store.quarantined !== null && <p class="notice warn">{say.putAside}</p>}
      </div>
      <DoctorPart view={view} />
      <Part title={say.actions}>
        {view.actions.length === 0 ? (
          <p class="hint">{say.noActions}</p>
        ) : (
          <ul class="rows">
            {view.actions.map((action) => (
              <ActionLine key={`${action.at} ${action.operation} ${action.product}`} action={action} />
            ))}
          </ul>
        )}
      </Part>
    </>
  );
}

function ActionLine({ action }: { action: LocalActionView }) {
  const { health: say, operations } = words();
  const others: Record<string, string> = { let_in: say.letIn, release: say.release, release_clear: say.releaseClear };
  const { operation } = action;
  const word = operation in operations ? operations[operation as keyof typeof operations] : others[operation];
  return (
    <li class="line">
      <span class="facts">{timeOf(action.at, true)}</span>
      <strong>{word ?? operation}</strong>
      <span>{action.product ?? say.wholeLot}</span>
      {action.is_failed && <span class="tag bad">{say.failed}</span>}
    </li>
  );
}
