/** A barrier or gate is made, changed or deleted; what it does by itself, and its key, are changed beside its form. */
import { deviceFault } from '../wording/form-checks.js';
import { words } from './browser.js';
import { changedOf } from './draft.js';
import { Editor } from './editor.js';
import { missing, worded } from './fields.js';
import { ProductSettings } from './product-settings.js';
import { setupWords } from './setup-words.js';
import { firstZone, idOf, printedId, type SetupFormProps, zoneOptions } from './setup-fields.js';
import { loadAll, type Product } from './store.js';

const PRODUCT_KINDS = [1, 2, 3, 4, 5] as const;

export function ProductForm({ lot, product, onClose }: SetupFormProps & { product?: Product }) {
  const say = words.setup;
  const formOf = (each: Product | null) => ({
    name: each?.name ?? '',
    device_id: each?.device_id ?? '',
    kind: String(each?.product_type_id ?? 1),
    zone: each === null ? firstZone(lot) : String(each.zone_id ?? ''),
  });
  const initial = formOf(product ?? null);
  const isPaired = product?.is_paired === 1;
  /** The fields that can be changed: not the kind, nor the identifier of what is paired; and a product that is in a zone cannot leave all zones. */
  const changeable = ({ name, device_id, zone }: typeof initial) => ({
    name,
    ...(isPaired ? {} : { device_id: printedId(device_id) }),
    ...(zone === '' ? {} : { zone_id: Number(zone) }),
  });
  return (
    <Editor
      list="/v2/products"
      thing={product}
      title={product?.name ?? say.product}
      draft={product === undefined ? `product-new-${lot.id}` : `product-${product.id}`}
      formOf={formOf}
      faultsOf={({ name, device_id }) => ({ ...missing('name', name), ...deviceFault(printedId(device_id), words) })}
      bodyOf={({ name, device_id, kind, zone }) => ({
        name,
        device_id: printedId(device_id),
        product_type_id: PRODUCT_KINDS.find((each) => String(each) === kind) ?? 1,
        lot_id: lot.id,
        zone_id: idOf(zone),
      })}
      changeOf={(form) => changedOf(changeable(initial), changeable(form))}
      after={loadAll}
      onClose={onClose}
      beside={product && <ProductSettings product={product} />}
      remove={product && { title: words.admin.deleteTitle(product.name), what: say.deleteProduct }}
    >
      {({ field, choice }) => (
        <>
          {field('name', words.forms.name)}
          <div class="pair">
            {product === undefined && choice('kind', say.kind, worded(words.kinds))}
            {choice('zone', words.forms.zone, zoneOptions(lot, initial.zone === '' || product === undefined))}
          </div>
          {isPaired ? (
            <p class="facts">
              {say.deviceId} {product.device_id}. {setupWords.hearing.fixed}
            </p>
          ) : (
            field('device_id', say.deviceId, {
              hint: product === undefined ? say.deviceIdHint : setupWords.hearing.correct,
            })
          )}
        </>
      )}
    </Editor>
  );
}
