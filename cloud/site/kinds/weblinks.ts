/** Links by which anybody who has one operates a product. */
import { z } from 'zod';
import { productCommandSchema } from '../../../shared/uplink.js';
import type { SiteAccount, SitePath } from '../site-schema.js';
import { descend, field, items, refer, type Report, type Spot, textsOf, unique } from '../site-spots.js';
import { declare, type DeclaredSecrets, type DeclaredThing, thingNames } from '../site-things.js';
import { END_BEFORE_START, endsAfterStart, mapping, name, validity } from '../site-values.js';

const operation = productCommandSchema.options[0].shape.name;

export const weblinkSchema = mapping({
  name,
  product: z.string(),
  operations: z.array(operation).min(1, 'must name an operation').default(['open', 'close']),
  ...validity,
}).refine(endsAfterStart, END_BEFORE_START);

export function checkWeblinks(account: Spot, report: Report): void {
  const weblinks = items(account, 'weblinks');
  unique(weblinks, 'name', 'weblink', report);
  const products = textsOf(descend([account], 'lots', 'zones', 'products'), 'device_id');
  for (const weblink of weblinks) refer([field(weblink, 'product')], 'product', products, report, ' of this account');
}

export function declareWeblinks(account: SiteAccount, path: SitePath, secrets: DeclaredSecrets): DeclaredThing[] {
  return account.weblinks.map((weblink, index) => {
    const made = secrets.makeWeblink();
    return declare({
      table: 'weblinks',
      ...thingNames.weblinks(account.name, weblink.name),
      path: [...path, 'weblinks', index],
      values: {
        name: weblink.name,
        operations: JSON.stringify([...new Set(weblink.operations)]),
        end_time: weblink.end_time,
        ...(weblink.start_time === undefined ? {} : { start_time: weblink.start_time }),
      },
      initially: { id: made.id, generation: made.generation, start_time: secrets.now, used_count: 0 },
      references: {
        account_id: thingNames.accounts(account.name).key,
        product_id: thingNames.products(weblink.product).key,
      },
      made: { what: 'link', secret: made.url },
    });
  });
}
