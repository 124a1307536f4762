/** Composes what watches and operates the products. */
import type { ProductItem } from '../../shared/gateway-config.js';
import type { GatewayReport } from '../../shared/uplink-reports.js';
import type { ProductCommander, ProductPairer } from './product-commander.js';
import { createProductReporter } from './product-reporter.js';
import { createProductWatch } from './product-watch.js';
import { createRadioCommander, type RadioCommanderDeps } from './radio-commander.js';

export type Products = ReturnType<typeof composeProducts>;

type Commander = ProductCommander & ProductPairer;

/** Begins to watch and to report. @param of.counted returns the same commander, whose commands count */
export function composeProducts(
  { radio, crypto, clock, randomBytes, logger }: Omit<RadioCommanderDeps, 'watch' | 'knownTime'>,
  of: Pick<RadioCommanderDeps, 'knownTime'> & {
    items: Iterable<ProductItem>;
    counted(commander: Commander): Commander;
    intervalMs: number;
    publish(report: GatewayReport): void;
  },
) {
  const { knownTime, intervalMs, publish } = of;
  const watch = createProductWatch({ radio, crypto, clock });
  watch.setProducts(of.items);
  const commander = of.counted(createRadioCommander({ radio, watch, crypto, clock, randomBytes, knownTime, logger }));
  const reporter = createProductReporter({ watch, clock, logger, intervalMs, publish });
  return { watch, commander, reporter };
}
