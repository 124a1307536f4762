/** Who gets a key, for which barrier or gate, and for how long: the same form for a plate and for a link. */
import type { FieldFaults } from '../wording/field-faults.js';
import { type KeyTimes, keyTimesBody, keyTimesFaults, newKeyTimes } from '../wording/key-times.js';
import { words } from './browser.js';
import { useKeyedDraft } from './draft.js';
import { KeyTimesFields, timezoneOfProducts } from './key-times-fields.js';
import { Choice, Field, named } from './parts.js';
import { useSending } from './sending.js';
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
) {
  const draft = useKeyedDraft<ReceiverForm & More>(draftName, {
    ...newKeyTimes(Date.now()),
    name: '',
    product: '',
    ...more.empty,
  });
  const { form } = draft;
  const product = form.product === '' ? String(products.value[0]?.id ?? '') : form.product;
  const timezone = timezoneOfProducts(product === '' ? [] : [product]);
  const sending = useSending<(typeof FIELDS)[number] | Name>([...FIELDS, ...more.fields], () => ({
    ...keyTimesFaults(form, timezone, words),
    ...(form.name.trim() === '' ? { name: words.signIn.missing } : {}),
    ...(product === '' ? { product_id: words.signIn.missing } : {}),
    ...more.faultsOf(form),
  }));
  return {
    draft,
    sending,
    product,
    timezone,
    /** What the service takes of it. */
    body: { product_id: Number(product), name: form.name, ...keyTimesBody(form, timezone) },
  };
}

export function ReceiverFields(props: {
  receiver: {
    draft: { form: ReceiverForm };
    sending: { faults: FieldFaults<(typeof FIELDS)[number]> };
    product: string;
    timezone: string;
  };
  set: (changed: Partial<ReceiverForm>) => void;
  nameLabel: string;
  productLabel: string;
}) {
  const { receiver, set, nameLabel, productLabel } = props;
  const { draft, sending, product, timezone } = receiver;
  const { faults } = sending;
  return (
    <>
      <div class="pair">
        <Field label={nameLabel} value={draft.form.name} onValue={(name) => set({ name })} fault={faults.name} />
        <Choice
          label={productLabel}
          value={product}
          onValue={(value) => set({ product: value })}
          options={named(products.value)}
          fault={faults.product_id}
        />
      </div>
      <KeyTimesFields times={draft.form} timezone={timezone} set={set} faults={faults} />
    </>
  );
}
