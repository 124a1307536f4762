/** Terminals: pay stations, entry and exit columns. */
import type { components } from '@parking-gateway/client';
import { AddingForm } from './adding-form.js';
import { DeviceHead, Listed, RenameOrDelete } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { Choice, missing, named, worded } from './fields.js';
import { useForm } from './form-parts.js';
import { Facts, joined, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { idOf } from './setup-fields.js';
import { minute, timezoneOf, zoneName, zoneOf, zones } from './store.js';
import { useRead } from './use-read.js';

const say = words.devices;
const PAGE = 300;

type Terminal = components['schemas']['Terminal'];
type Kind = Terminal['type'];
const KINDS: readonly Kind[] = ['entry', 'exit', 'pof', 'lp_pof', 'lp_exit'];

export function TerminalsPart() {
  const terminals = useRead(`${minute.value}`, (signal) =>
    client().get('/v2/terminals', { query: { size: PAGE, sort: 'name:asc' }, signal }),
  );
  const make = mayManage.value && <Register onMade={terminals.again} />;
  return (
    <>
      {terminals.found?.length !== 0 && <div class="buttons end">{make}</div>}
      <Listed
        list={terminals}
        none={say.noTerminals}
        first={make}
        as="div"
        class="cards"
        row={(terminal) => <TerminalCard key={terminal.id} terminal={terminal} onChanged={terminals.again} />}
      />
    </>
  );
}

function TerminalCard({ terminal, onChanged }: { terminal: Terminal; onChanged: () => void }) {
  const { id, name, type, status, last_seen, is_master, zone_id } = terminal;
  const isOnline = status === 'online';
  const setZone = async (zone: number | null) => {
    await client().patch('/v2/terminals/{id}', { path: { id }, body: { zone_id: zone } });
    onChanged();
  };
  return (
    <article class="card device" aria-labelledby={`terminal-${id}`}>
      <DeviceHead
        id={`terminal-${id}`}
        name={name}
        where={joined([say.terminalTypes[type] ?? type, is_master && say.master])}
        isThere={isOnline}
        text={
          isOnline
            ? say.sensorOnline
            : say.sensorOffline(last_seen === null ? null : timeOf(last_seen, timezoneOf(zone_id)))
        }
      />
      <Facts
        facts={[
          [words.forms.zone, zone_id === null ? words.admin.noZone : (zoneOf(zone_id)?.name ?? '–')],
          [say.version, terminal.version ?? '–'],
          [words.forms.address, terminal.ip_address ?? '–'],
          [say.payment, terminal.pos_serial_number ?? '–'],
          [say.deviceId, terminal.device_id],
          [say.mac, terminal.mac],
        ]}
      />
      {mayManage.value && (
        <>
          <TerminalZone terminal={terminal} onZone={setZone} />
          <div class="buttons">
            <RenameOrDelete
              list="/v2/terminals"
              thing={terminal}
              deleteWhat={say.deleteTerminal}
              onChanged={onChanged}
            />
          </div>
        </>
      )}
    </article>
  );
}

function TerminalZone(props: { terminal: Terminal; onZone: (zone: number | null) => Promise<unknown> }) {
  const sending = useSending(['zone_id']);
  const own = zones.value.map(({ id }) => ({ id, name: zoneName(id) }));
  return (
    <>
      <Choice
        label={words.forms.zone}
        value={String(props.terminal.zone_id ?? '')}
        onValue={(zone) => void sending.send(() => props.onZone(idOf(zone)))}
        options={named(own, words.admin.noZone)}
      />
      {sending.faults.zone_id !== undefined && <p class="fault">{sending.faults.zone_id}</p>}
      <Refused refusal={sending.refusal} />
    </>
  );
}

const TIMED_OUT = 40;
const NEW_TERMINAL = { device_id: '', mac: '', public_key: '', type: 'entry', is_master: false };

function Register({ onMade }: { onMade: () => void }) {
  const { form, sending, submit, field, choice, check } = useForm(
    'terminal',
    NEW_TERMINAL,
    ['device_id', 'mac', 'public_key', 'type'],
    ({ device_id, mac, public_key }) => ({
      ...missing('device_id', device_id),
      ...missing('mac', mac),
      ...missing('public_key', public_key),
    }),
  );
  const { device_id, mac, public_key, is_master } = form;
  const type = KINDS.find((each) => each === form.type) ?? 'entry';
  const body = { device_id: device_id.trim(), mac: mac.trim(), public_key: public_key.trim(), type, is_master };
  const send = async () => {
    const isMade = await submit(() => client().post('/v2/terminals', { body }));
    if (isMade) onMade();
    return isMade;
  };
  const hasTimedOut = sending.refusal?.errors.some(({ code }) => code === TIMED_OUT) ?? false;
  return (
    <AddingForm
      label={say.register}
      sending={hasTimedOut ? { ...sending, refusal: null } : sending}
      call={{ method: 'POST', path: '/v2/terminals', body }}
      onSend={send}
    >
      <p class="facts">{say.registerWhat}</p>
      <div class="pair">
        {field('device_id', say.deviceId)}
        {field('mac', say.mac)}
        {field('public_key', say.publicKey, { hint: say.publicKeyHint })}
        {choice('type', words.admin.kind, worded(say.terminalTypes, KINDS))}
      </div>
      {check('is_master', say.master)}
      {sending.isBusy && (
        <p class="notice busy" role="status">
          {say.asking}
        </p>
      )}
      {hasTimedOut && (
        <p class="notice bad" role="alert">
          {say.terminalTimedOut}
        </p>
      )}
    </AddingForm>
  );
}
