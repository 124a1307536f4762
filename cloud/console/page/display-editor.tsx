/** A display is set up: what it counts, who writes to it, and how it is reached. */
import type { DisplayDriverName } from '../../../shared/drivers/display-drivers.js';
import type { Faults } from '../wording/field-faults.js';
import { words } from './browser.js';
import { DisplayNow } from './display-now.js';
import type { Display } from './display-sign.js';
import { Choice, missing, named, worded } from './fields.js';
import { Editor } from './editor.js';
import { idOf } from './setup-fields.js';
import { gateways, type Lot, lots, zones } from './store.js';

/** Empty: nobody writes to it. */
type Driver = DisplayDriverName | '';

interface DisplayForm {
  name: string;
  lot: string;
  /** Empty: the whole lot. */
  zone: string;
  gateway: string;
  driver: string;
  address: string;
  template: string;
  stale_text: string;
}

const emptyForm = (lot: Lot | undefined): DisplayForm => ({
  name: '',
  lot: String((lot ?? lots.value[0])?.id ?? ''),
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
  driver: display.driver,
  address: display.address,
  template: display.template,
  stale_text: display.stale_text,
});

const bodyOf = ({ name, zone, gateway, driver, address, template, stale_text }: DisplayForm) => ({
  name,
  zone_id: idOf(zone),
  gateway_id: idOf(gateway),
  driver: driver as Driver,
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

export function DisplayEditor(props: {
  /** null: a new one is made. */
  display: Display | null;
  /** In which a new one is; left out: the person chooses. */
  lot?: Lot;
  /** Done after it was saved or deleted. */
  after?: () => unknown;
  onClose: (notice: string) => void;
}) {
  const { display, lot, after, onClose } = props;
  const say = words.displays;
  const lotName = (id: string) => lots.value.find((each) => String(each.id) === id)?.name ?? '–';
  return (
    <Editor
      list="/v2/rgb-displays"
      thing={display}
      title={display?.name ?? say.make}
      draft={`display-${display?.id ?? `new${lot?.id ?? ''}`}`}
      formOf={(each) => (each === null ? emptyForm(lot) : formOf(each))}
      faultsOf={faultsOf}
      bodyOf={(form) => ({ ...bodyOf(form), lot_id: Number(form.lot) })}
      {...(after && { after })}
      onClose={onClose}
      beside={display && <DisplayNow display={display} />}
      remove={display !== null && { title: say.deleteTitle(display.name), what: say.deleteWhat }}
    >
      {({ form, set, field, choice }) => (
        <>
          {field('name', words.forms.name)}
          <div class="pair">
            {display === null && lot === undefined && (
              <Choice
                label={words.forms.lot}
                value={form.lot}
                options={named(lots.value)}
                onValue={(chosen) => set({ lot: chosen, zone: '', gateway: '' })}
              />
            )}
            {choice('zone', say.zone, named(ofLot(zones.value, form.lot), say.wholeLot(lotName(form.lot))))}
            {choice('gateway', say.gateway, named(ofLot(gateways.value, form.lot), say.noGateway))}
            {choice('driver', say.driver, worded(say.drivers))}
          </div>
          {field('address', words.forms.address, { hint: say.addressHint })}
          {field('template', say.template, { hint: say.templateHint })}
          {field('stale_text', say.staleText, { hint: say.staleTextHint })}
        </>
      )}
    </Editor>
  );
}
