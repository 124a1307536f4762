import { createProductReceptions } from '../../cloud/equipment/product/product-receptions.js';
import {
  createProductReports,
  type ProductReports,
  type ProductReportsDeps,
} from '../../cloud/equipment/product/product-reports.js';
import { silentLogger } from '../../shared/logger.js';

/** The part of the cloud that handles reports of gateways. Nothing is paired, corrected or refused because of them, but for what `over` says. */
export function productReportsOf(
  { store, clock }: Pick<ProductReportsDeps, 'store' | 'clock'>,
  over: Partial<ProductReportsDeps> = {},
): ProductReports {
  const seenWithinMs = 120_000;
  return createProductReports({
    store,
    clock,
    logger: silentLogger,
    receptions: createProductReceptions({ clock, seenWithinMs }),
    seenWithinMs,
    adoptSeen: async () => false,
    corrections: { answer: async () => false },
    adminDispatcher: { answer: async () => {} },
    ...over,
  });
}
