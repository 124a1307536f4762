/**
 * Corrects clocks of products that are further off than a gateway may set them: the cloud mints an admin record with its own time for the
 * exchange that the gateway names, and the gateway delivers it.
 */
import type { GatewayUuid } from '../../../shared/ids.js';
import type { ProductReport } from '../../../shared/uplink-reports.js';
import type { Row, Tx } from '../../kernel/store/entry.js';
import { type AdminSenderDeps, createAdminSender, DELIVERED_WITHIN_MS } from './admin-message.js';
import { nextAdminSerial, saveClockRecordMade } from './product-queries.js';

export interface ClockCorrections {
  /**
   * Sends the gateway a record after the commit, if its report asks for one. The transaction holds the lock of the product's state.
   * @returns whether it does
   */
  answer(tx: Tx, asked: { uuid: GatewayUuid; product: Row<'products'>; report: ProductReport }): Promise<boolean>;
}

export function createClockCorrections(deps: AdminSenderDeps): ClockCorrections {
  const { clock } = deps;
  const send = createAdminSender(deps, {
    sent: "clock record sent: the product's clock is wrong",
    notSent: 'a clock record could not be sent to a gateway',
    notMinted: 'a clock record could not be minted',
  });

  return {
    async answer(tx, { uuid, product, report }) {
      const nonce = report.wrong_clock?.nonce ?? null;
      const now = clock.now();
      const { id, clock_record_at, master_key_sealed } = product;
      if (nonce === null || master_key_sealed === null) return false;
      if (clock_record_at !== null && now - clock_record_at < DELIVERED_WITHIN_MS) return false;
      const serial = await nextAdminSerial(tx, { id, now });
      await saveClockRecordMade(tx, { id, now });
      tx.onCommit(() => {
        const action = { kind: 'clock', timeS: Math.floor(clock.now() / 1_000), nonce } as const;
        send({ uuid, product, record: { serial, action } });
      });
      return true;
    },
  };
}
