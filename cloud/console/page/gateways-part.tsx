/** Gateways: how each is, and the codes by which devices become them. */
import { useSignal } from '@preact/signals';
import { AskButton, DeviceHead, FirstStep, RenameOrDelete, Secret } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { AddGateway, ClaimCode, type ClaimCodeFacts } from './claim-part.js';
import { DoctorPart } from './doctor-part.js';
import { type FactList, Facts, Notice } from './parts.js';
import { ResetPart } from './reset-part.js';
import { client, mayManage, mayRule } from './session.js';
import { UpdatePart } from './update-part.js';
import { type Gateway, gateways, type Health, healths, loadDevices, lots, productOf, timezoneOfLot } from './store.js';

const say = words.devices;
const MIB = 1_048_576;

export function GatewaysPart() {
  const code = useSignal<ClaimCodeFacts | null>(null);
  const ordered = gateways.value.toSorted((a, b) => a.name.localeCompare(b.name));
  const make = mayManage.value && <AddGateway onMade={(made) => (code.value = made)} />;
  return (
    <>
      {ordered.length > 0 && <div class="buttons end">{make}</div>}
      {code.value !== null && (
        <ClaimCode code={code.value} onMade={(made) => (code.value = made)} onDone={() => (code.value = null)} />
      )}
      {ordered.length === 0 && <FirstStep what={say.noGateways}>{make}</FirstStep>}
      <div class="cards">
        {ordered.map((gateway) => (
          <GatewayCard
            key={gateway.id}
            gateway={gateway}
            onCode={(made) => {
              code.value = made;
              scrollTo({ top: 0 });
            }}
          />
        ))}
      </div>
    </>
  );
}

function GatewayCard({ gateway, onCode }: { gateway: Gateway; onCode: (code: ClaimCodeFacts) => void }) {
  const { id, name, lot_id, status, claimed_at, uuid } = gateway;
  /** null: it has none yet; undefined: nobody asked for it. */
  const password = useSignal<string | null | undefined>(undefined);
  const reset = useSignal('');
  const health = healths.value.get(id);
  const lot = lots.value.find((each) => each.id === lot_id);
  const unconfirmed = health?.products_untold ?? [];
  const unknown = health?.unknown_timezones ?? [];
  return (
    <article class="card device" aria-labelledby={`gateway-${id}`}>
      <DeviceHead
        id={`gateway-${id}`}
        name={name}
        where={lot?.name ?? words.admin.noLot}
        isThere={claimed_at === null ? null : status === 'online'}
        text={linkText(gateway, health)}
      />
      {unconfirmed.length > 0 && (
        <p class="notice bad">
          {say.unconfirmed(unconfirmed.map((each) => productOf(each)?.name ?? `#${each}`).join(', '))}
        </p>
      )}
      {unknown.length > 0 && <p class="notice bad">{say.unknownZones(unknown.join(', '))}</p>}
      {health !== undefined && <Facts facts={mainFacts(health, timezoneOfLot(lot_id))} />}
      {health !== undefined && (
        <details>
          <summary>{say.details}</summary>
          <Facts facts={otherFacts(health, uuid, timezoneOfLot(lot_id))} />
        </details>
      )}
      {claimed_at !== null && (
        <DoctorPart id={id} name={name} isConnected={status === 'online'} timezone={timezoneOfLot(lot_id)} />
      )}
      {mayManage.value && claimed_at !== null && (
        <details>
          <summary>{say.passwordAndCode}</summary>
          <div class="buttons">
            <DevicePasswordButtons
              gateway={gateway}
              isMissing={password.value === null}
              onPassword={(given) => (password.value = given)}
            />
            <ClaimCodeButtons gateway={gateway} onCode={onCode} />
            <ResetPart gateway={gateway} health={health} onDone={(sentence) => (reset.value = sentence)} />
          </div>
        </details>
      )}
      <Notice text={claimed_at === null ? reset.value : ''} />
      {typeof password.value === 'string' && (
        <Secret
          title={say.passwordOf(name)}
          value={password.value}
          label={say.copyPassword}
          onDone={() => (password.value = undefined)}
        >
          <p>{say.passwordUse}</p>
        </Secret>
      )}
      {claimed_at !== null && <UpdatePart id={id} name={name} />}
      {mayManage.value && (
        <div class="buttons">
          <RenameOrDelete list="/v2/gateways" thing={gateway} deleteWhat={say.deleteGateway} onChanged={loadDevices}>
            {claimed_at === null && <ClaimCodeButtons gateway={gateway} onCode={onCode} />}
          </RenameOrDelete>
        </div>
      )}
    </article>
  );
}

/** Whether the gateway is connected, and since when not. */
function linkText(gateway: Gateway, health: Health | undefined): string {
  const { claimed_at, claim_code_expires_at: end, status, last_seen, lot_id } = gateway;
  if (claimed_at === null) return end === null ? say.unclaimed : say.unclaimedUntil(timeOf(end, timezoneOfLot(lot_id)));
  if (status === 'online') return say.connected;
  const since = health?.alone_since ?? last_seen;
  return since === null ? say.notConnected : say.alone(timeOf(since, timezoneOfLot(lot_id)));
}

/** A code for the same device, or for another one in its place. */
function ClaimCodeButtons(props: { gateway: Gateway; onCode: (code: ClaimCodeFacts) => void }) {
  const { id, name, claimed_at } = props.gateway;
  const asking = (body: { keep_secrets?: true }) =>
    ({
      about: name,
      call: { method: 'POST', path: `/v2/gateways/${id}/claim-code`, body },
      async onYes() {
        props.onCode(await client().post('/v2/gateways/{id}/claim-code', { path: { id }, body }));
        await loadDevices();
      },
    }) as const;
  const asked = asking({});
  return (
    <>
      <AskButton
        {...asked}
        label={say.newCode}
        title={say.newCodeTitle(name)}
        what={say.newCodeWhat}
        isDanger={false}
      />
      <WithdrawButton gateway={props.gateway} />
      {claimed_at !== null && (
        <AskButton {...asked} label={say.replace} title={say.replaceTitle(name)} what={say.replaceWhat} isDanger />
      )}
      {claimed_at !== null && mayRule.value && (
        <AskButton
          {...asking({ keep_secrets: true })}
          label={say.replaceKeeping}
          title={say.replaceTitle(name)}
          what={say.replaceKeepingWhat}
          isDanger
        />
      )}
    </>
  );
}

/** Says until when a device can use the code, and takes it back. */
function WithdrawButton({ gateway: { id, name, lot_id, claim_code_expires_at: end } }: { gateway: Gateway }) {
  if (end === null) return null;
  return (
    <AskButton
      label={say.withdrawCode}
      about={name}
      title={say.withdrawCodeTitle(name)}
      what={say.withdrawCodeWhat(timeOf(end, timezoneOfLot(lot_id)))}
      isDanger={false}
      call={{ method: 'DELETE', path: `/v2/gateways/${id}/claim-code` }}
      onYes={async () => {
        await client().delete('/v2/gateways/{id}/claim-code', { path: { id } });
        await loadDevices();
      }}
    />
  );
}

/** The password for the page of the device itself, shown or made anew. @param props.onPassword null: there is none yet */
function DevicePasswordButtons(props: {
  gateway: Gateway;
  isMissing: boolean;
  onPassword: (password: string | null) => void;
}) {
  const { isMissing, onPassword } = props;
  const { id, name } = props.gateway;
  const path = '/v2/gateways/{id}/console-password';
  const shownPath = `/v2/gateways/${id}/console-password`;
  const show = async () => onPassword((await client().get(path, { path: { id } })).password);
  const renew = async () => onPassword((await client().post(path, { path: { id } })).password);
  return (
    <>
      <AskButton
        label={say.showPassword}
        about={name}
        title={say.showPasswordTitle(name)}
        what={say.showPasswordWhat}
        call={{ method: 'GET', path: shownPath }}
        isDanger={false}
        onYes={show}
      />
      <AskButton
        label={say.newPassword}
        about={name}
        title={say.newPasswordTitle(name)}
        what={say.newPasswordWhat}
        call={{ method: 'POST', path: shownPath }}
        onYes={renew}
      />
      {isMissing && (
        <p class="notice" role="status">
          {say.noPassword}
        </p>
      )}
    </>
  );
}

/** The figures that show whether the gateway needs a person. */
function mainFacts({ agent_version, token_days_left, queue, radio }: Health, timezone: string | undefined): FactList {
  const { depth, oldest_at } = queue;
  const adapters = radio.adapters.map((each) => say.adapter(each.name, words.radioStates[each.state], each.links));
  return [
    [
      say.waits,
      depth === null
        ? '–'
        : oldest_at === null
          ? say.records(depth)
          : say.recordsSince(depth, timeOf(oldest_at, timezone)),
    ],
    [say.tokens, token_days_left === null ? '–' : say.daysLeft(token_days_left)],
    [
      say.radio,
      adapters.length > 0 ? adapters.join('; ') : radio.state === null ? '–' : words.radioStates[radio.state],
    ],
    [say.version, agent_version ?? '–'],
  ];
}

function otherFacts(
  { started_at, queue, radio, clock, store }: Health,
  uuid: string | null,
  timezone: string | undefined,
): FactList {
  const healed = Object.values(radio.recoveries).reduce((sum, count) => sum + count, 0);
  const steps = (Object.keys(say.healSteps) as (keyof typeof say.healSteps)[])
    .filter((step) => radio.recoveries[step] > 0)
    .map((step) => `${say.healSteps[step]} ${radio.recoveries[step]}×`);
  const off =
    clock.offset_ms === null
      ? []
      : [Math.abs(clock.offset_ms) < 500 ? say.clockRight : say.clockOff((clock.offset_ms / 1000).toFixed(1))];
  return [
    [say.since, started_at === null ? '–' : timeOf(started_at, timezone)],
    [say.lost, say.records(queue.lost_count)],
    [say.keptAside, say.records(queue.kept_aside_count)],
    [say.healed, [say.healedTimes(healed), ...steps].join(', ')],
    [say.clock, [...off, ...(clock.is_ok === 0 ? [say.clockUnsure] : [])].join(', ') || '–'],
    [
      say.store,
      [
        store.bytes === null ? '–' : `${(store.bytes / MIB).toFixed(1)} MiB`,
        ...(store.is_ok === 0 ? [say.storeBroken] : []),
      ].join(', '),
    ],
    [say.uuid, uuid ?? '–'],
  ];
}
