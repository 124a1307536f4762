/** A display is set up: what it counts, who writes to it, and how it is reached. */
import type { DisplayDriverName } from '../../../shared/drivers/display-drivers.js';
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import type { Display } from './display-sign.js';
import { callFor, Editor } from './form-parts.js';
import { Choice, named } from './parts.js';
import { client } from './session.js';
import { idOf, missing, nameOf } from './setup-fields.js';
import { gateways, lots, zones } from './store.js';

/** Empty: nobody writes to it. */
type Driver = DisplayDriverName | '';

interface DisplayForm {
  name: string;
  lot: string;
  /** Empty: the whole lot. */
  zone: string;
  gateway: string;
  driver: Driver;
  address: string;
  template: string;
  stale_text: string;
}

const emptyForm = (): DisplayForm => ({
  name: '',
  lot: String(lots.value[0]?.id ?? ''),
  zone: '',
  gateway: '',
  driver: '',
  address: '',
  template: '',
  stale_text: '',
});

const formOf = (display: Display): DisplayForm => ({
  name: display.name,
  lot: String(display.lot_id),
  zone: String(display.zone_id ?? ''),
  gateway: String(display.gateway_id ?? ''),
  driver: display.driver as Driver,
  address: display.address,
  template: display.template,
  stale_text: display.stale_text,
});

const bodyOf = ({ name, zone, gateway, driver, address, template, stale_text }: DisplayForm) => ({
  name,
  zone_id: idOf(zone),
  gateway_id: idOf(gateway),
  driver,
  address,
  template,
  stale_text,
});

function faultsOf({ name, address }: DisplayForm): Faults {
  return {
    ...missing('name', name),
    ...(address === '' || (/^(?!file:)[a-z]+:\/\//.test(address) && URL.canParse(address))
      ? {}
      : { address: words.displays.wrongAddress }),
  };
}

const ofLot = <Thing extends { lot_id: number | null }>(things: readonly Thing[], lot: string): Thing[] =>
  things.filter(({ lot_id }) => String(lot_id) === lot);

export function DisplayEditor({ display, onClose }: { display: Display | null; onClose: (told: string) => void }) {
  const say = words.displays;
  const before = display === null ? emptyForm() : formOf(display);
  const made = (form: DisplayForm) => ({ ...bodyOf(form), lot_id: Number(form.lot) });
  const changes = (form: DisplayForm) => changedOf(bodyOf(before), bodyOf(form));
  const lotName = (id: string) => lots.value.find((each) => String(each.id) === id)?.name ?? '–';
  return (
    <Editor
      title={display === null ? say.make : display.name}
      name={`display-${display?.id ?? 'new'}`}
      initial={before}
      faultsOf={faultsOf}
      save={(form, idempotencyKey) =>
        display === null
          ? client().post('/v2/rgb-displays', { body: made(form), idempotencyKey })
          : client().patch('/v2/rgb-displays/{id}', { path: { id: display.id }, body: changes(form) })
      }
      callOf={(form) => callFor('/v2/rgb-displays', display?.id, (display === null ? made : changes)(form))}
      nameOf={nameOf}
      onClose={onClose}
      remove={
        display && {
          title: say.deleteTitle(display.name),
          what: say.deleteWhat,
          run: () => client().delete('/v2/rgb-displays/{id}', { path: { id: display.id } }),
        }
      }
    >
      {({ form, set, field }) => (
        <>
          {field('name', say.name)}
          <div class="pair">
            {display === null && (
              <Choice
                label={say.lot}
                value={form.lot}
                options={named(lots.value)}
                onValue={(lot) => set({ lot, zone: '', gateway: '' })}
              />
            )}
            <Choice
              label={say.zone}
              value={form.zone}
              options={[{ value: '', text: say.wholeLot(lotName(form.lot)) }, ...named(ofLot(zones.value, form.lot))]}
              onValue={(zone) => set({ zone })}
            />
            <Choice
              label={say.gateway}
              value={form.gateway}
              options={[{ value: '', text: say.noGateway }, ...named(ofLot(gateways.value, form.lot))]}
              onValue={(gateway) => set({ gateway })}
            />
            <Choice
              label={say.driver}
              value={form.driver}
              options={Object.entries(say.drivers).map(([value, text]) => ({ value, text }))}
              onValue={(driver) => set({ driver: driver as Driver })}
            />
          </div>
          {field('address', say.address, { hint: say.addressHint })}
          {field('template', say.template, { hint: say.templateHint })}
          {field('stale_text', say.staleText, { hint: say.staleTextHint })}
        </>
      )}
    </Editor>
  );
}
