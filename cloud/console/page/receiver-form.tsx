/** Who gets a key, for which barrier or gate, and for how long: the same form for a plate and for a link. */
import type { FieldFaults } from '../wording/field-faults.js';
import { type KeyTimes, keyTimesBody, keyTimesFaults, newKeyTimes } from '../wording/key-times.js';
import { words } from './browser.js';
import { Choice, Field, missing, named } from './fields.js';
import { useForm } from './form-parts.js';
import { KeyTimesFields, timezoneOfProducts } from './key-times-fields.js';
import { products } from './store.js';

interface ReceiverForm extends KeyTimes {
  name: string;
  /** Empty: the first one. */
  product: string;
}

const FIELDS = ['name', 'product_id', 'start_time', 'end_time'] as const;

/**
 * @param draftName under which what is typed is kept
 * @param more fields that only this kind of key has: as they begin, how the service calls them, and what is wrong with them
 */
export function useReceiver<More extends object, Name extends string>(
  draftName: string,
  more: { empty: More; fields: readonly Name[]; faultsOf: (form: More) => FieldFaults<Name> },
  onTyped?: () => void,
) {
  const productOf = (form: ReceiverForm) => (form.product === '' ? String(products.value[0]?.id ?? '') : form.product);
  const timezoneOf = (form: ReceiverForm) => timezoneOfProducts(productOf(form) === '' ? [] : [productOf(form)]);
  const initial: ReceiverForm & More = { ...newKeyTimes(Date.now()), name: '', product: '', ...more.empty };
  const own = useForm<ReceiverForm & More, (typeof FIELDS)[number] | Name>(
    draftName,
    initial,
    [...FIELDS, ...more.fields],
    (form) => ({
      ...keyTimesFaults(form, timezoneOf(form), words),
      ...missing('name', form.name),
      ...missing('product_id', productOf(form)),
      ...more.faultsOf(form),
    }),
    onTyped,
  );
  const [product, timezone] = [productOf(own.form), timezoneOf(own.form)];
  return {
    ...own,
    product,
    timezone,
    /** What the service takes of it. */
    body: { product_id: Number(product), name: own.form.name, ...keyTimesBody(own.form, timezone) },
  };
}

export function ReceiverFields(props: {
  receiver: {
    form: ReceiverForm;
    set: (changed: Partial<ReceiverForm>) => void;
    sending: { faults: FieldFaults<(typeof FIELDS)[number]> };
    product: string;
    timezone: string;
  };
  nameLabel: string;
  productLabel: string;
}) {
  const { receiver, nameLabel, productLabel } = props;
  const { form, set, sending, product, timezone } = receiver;
  const { faults } = sending;
  return (
    <>
      <div class="pair">
        <Field label={nameLabel} value={form.name} onValue={(name) => set({ name })} fault={faults.name} />
        <Choice
          label={productLabel}
          value={product}
          onValue={(value) => set({ product: value })}
          options={named(products.value)}
          fault={faults.product_id}
        />
      </div>
      <KeyTimesFields times={form} timezone={timezone} set={set} faults={faults} />
    </>
  );
}
