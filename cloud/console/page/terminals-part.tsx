/** Terminals: pay stations, entry and exit columns. */
import { useSignal } from '@preact/signals';
import type { components } from '@parking-gateway/client';
import { AddingForm, DeviceHead, Facts, RenameOrDelete } from './admin-parts.js';
import { timeOf, words } from './browser.js';
import { useDraft } from './draft.js';
import { Choice, Empty, Field, Refused } from './parts.js';
import { useSending } from './sending.js';
import { client, mayManage } from './session.js';
import { missing } from './setup-fields.js';
import { lots, minute, timezoneOf, zoneOf, zones } from './store.js';
import { useRead } from './use-read.js';

const say = words.devices;
const PAGE = 300;

type Terminal = components['schemas']['Terminal'];
type Kind = Terminal['type'];
const KINDS: readonly Kind[] = ['entry', 'exit', 'pof', 'lp_pof', 'lp_exit'];

export function TerminalsPart() {
  const asked = useRead(`${minute.value}`, (signal) =>
    client().get('/v2/terminals', { query: { size: PAGE, sort: 'name:asc' }, signal }),
  );
  const terminals = asked.value.value;
  return (
    <>
      {mayManage.value && <Register onMade={asked.again} />}
      <Refused refusal={asked.refusal.value} onAgain={asked.again} />
      {terminals === null && asked.refusal.value === null && <Empty>{words.loading}</Empty>}
      {terminals?.length === 0 && <Empty>{say.noTerminals}</Empty>}
      <div class="cards">
        {terminals?.map((terminal) => (
          <TerminalCard key={terminal.id} terminal={terminal} onChanged={asked.again} />
        ))}
      </div>
    </>
  );
}

function TerminalCard({ terminal, onChanged }: { terminal: Terminal; onChanged: () => void }) {
  const { id, name, type, status, last_seen, is_master, zone_id } = terminal;
  const path = { path: { id } };
  const isOnline = status === 'online';
  const change = async (body: { name?: string; zone_id?: number | null }) => {
    await client().patch('/v2/terminals/{id}', { ...path, body });
    onChanged();
  };
  return (
    <article class="card device" aria-labelledby={`terminal-${id}`}>
      <DeviceHead
        id={`terminal-${id}`}
        name={name}
        where={[say.terminalTypes[type] ?? type, is_master ? say.master : undefined].filter(Boolean).join(' · ')}
        isThere={isOnline}
        text={
          isOnline
            ? say.sensorOnline
            : say.sensorOffline(last_seen === null ? null : timeOf(last_seen, timezoneOf(zone_id)))
        }
      />
      <Facts
        facts={[
          [words.admin.zone, zone_id === null ? words.admin.noZone : (zoneOf(zone_id)?.name ?? '–')],
          [say.version, terminal.version ?? '–'],
          [say.address, terminal.ip_address ?? '–'],
          [say.payment, terminal.pos_serial_number ?? '–'],
          [say.deviceId, terminal.device_id],
          [say.mac, terminal.mac],
        ]}
      />
      {mayManage.value && (
        <>
          <TerminalZone terminal={terminal} onZone={(zone) => change({ zone_id: zone })} />
          <div class="buttons">
            <RenameOrDelete
              draft={`terminal-${id}`}
              name={name}
              path={`/v2/terminals/${id}`}
              onName={(next) => change({ name: next })}
              deleteWhat={say.deleteTerminal}
              onDelete={async () => {
                await client().delete('/v2/terminals/{id}', path);
                onChanged();
              }}
            />
          </div>
        </>
      )}
    </article>
  );
}

function TerminalZone(props: { terminal: Terminal; onZone: (zone: number | null) => Promise<unknown> }) {
  const sending = useSending(['zone_id']);
  const { zone_id } = props.terminal;
  const many = lots.value.length > 1;
  const nameOf = (lot_id: number, name: string) =>
    many ? `${lots.value.find((each) => each.id === lot_id)?.name ?? ''}: ${name}` : name;
  return (
    <>
      <Choice
        label={words.admin.zone}
        value={String(zone_id ?? '')}
        onValue={(value) => void sending.send(() => props.onZone(value === '' ? null : Number(value)))}
        options={[
          { value: '', text: words.admin.noZone },
          ...zones.value.map(({ id, name, lot_id }) => ({ value: String(id), text: nameOf(lot_id, name) })),
        ]}
      />
      {sending.faults.zone_id !== undefined && <p class="fault">{sending.faults.zone_id}</p>}
      <Refused refusal={sending.refusal} />
    </>
  );
}

const TIMED_OUT = 40;
const NEW_TERMINAL = { device_id: '', mac: '', public_key: '', type: 'entry', is_master: false };

function Register({ onMade }: { onMade: () => void }) {
  const [form, reset] = useDraft('terminal', NEW_TERMINAL);
  const { device_id, mac, public_key, is_master } = form.value;
  const type = KINDS.find((each) => each === form.value.type) ?? 'entry';
  const isOpen = useSignal(device_id !== '');
  const sending = useSending(['device_id', 'mac', 'public_key', 'type'], () => ({
    ...missing('device_id', device_id),
    ...missing('mac', mac),
    ...missing('public_key', public_key),
  }));
  const set = (changed: Partial<typeof NEW_TERMINAL>) => (form.value = { ...form.value, ...changed });
  const body = { device_id: device_id.trim(), mac: mac.trim(), public_key: public_key.trim(), type, is_master };
  const send = async () => {
    if (!(await sending.send(() => client().post('/v2/terminals', { body })))) return;
    reset();
    isOpen.value = false;
    onMade();
  };
  const field = (key: 'device_id' | 'mac' | 'public_key', label: string, hint = '') => (
    <Field
      label={label}
      hint={hint}
      value={form.value[key]}
      onValue={(value) => set({ [key]: value })}
      fault={sending.faults[key]}
    />
  );
  const hasTimedOut = sending.refusal?.errors.some(({ code }) => code === TIMED_OUT) ?? false;
  return (
    <AddingForm
      label={say.register}
      isOpen={isOpen}
      sending={hasTimedOut ? { ...sending, refusal: null } : sending}
      call={{ method: 'POST', path: '/v2/terminals', body }}
      onSend={send}
    >
      <p class="facts">{say.registerWhat}</p>
      <div class="pair">
        {field('device_id', say.deviceId)}
        {field('mac', say.mac)}
        {field('public_key', say.publicKey, say.publicKeyHint)}
        <Choice
          label={words.admin.kind}
          value={type}
          onValue={(value) => set({ type: value })}
          options={KINDS.map((each) => ({ value: each, text: say.terminalTypes[each] ?? each }))}
        />
      </div>
      <label class="check">
        <input
          type="checkbox"
          checked={is_master}
          onChange={(event) => set({ is_master: event.currentTarget.checked })}
        />
        {say.master}
      </label>
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
