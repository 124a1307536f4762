/** Puts the sections of gateways together. Sections that the gateways of a lot share are built once for all of them. */
import type { Clock } from '../../../shared/clock.js';
import { CONFIG_SECTION_NAMES, type ConfigMessage, type ConfigSection } from '../../../shared/gateway-config.js';
import { decodeJson } from '../../../shared/json-text-codec.js';
import type { Db } from '../../kernel/store/entry.js';
import { findConfigGateway, type ConfigGateway } from './config-queries.js';
import { readCursor } from '../../traffic/entry.js';
import { isLotSection, LOT_SECTIONS, type ConfigBuilder, type LotSection } from './config-builder.js';
import { EMPTY_SECTION, nextSection, snapshotText, type SectionState } from './config-section.js';
import type { BuiltSections, ConnectedGateway } from './connected-gateway.js';

export interface AssembleTarget {
  target: ConnectedGateway;
  gateway: ConfigGateway;
}

export interface ConfigAssembler {
  /** Builds the wanted sections of connected gateways of one lot, and reads which of their records these include, in one read transaction. */
  assemble(
    tx: Db,
    lot: { lot_id: number | null; targets: AssembleTarget[]; wanted: ReadonlySet<ConfigSection> },
  ): Promise<Map<ConnectedGateway, BuiltSections>>;
  /** Builds all sections of a gateway as snapshots. */
  snapshots(tx: Db, gateway_id: number): Promise<ConfigMessage[]>;
  /** Forgets a lot that has no connected gateway left. */
  forgetLot(lot_id: number | null): void;
}

export function createConfigAssembler({ builder, clock }: { builder: ConfigBuilder; clock: Clock }): ConfigAssembler {
  /** The last state of what a lot's gateways share, so that they share its memory too. */
  const lots = new Map<number | null, Map<LotSection, SectionState>>();

  async function lotSections(tx: Db, lot_id: number | null, wanted: ReadonlySet<ConfigSection>) {
    const shared = new Map(lots.get(lot_id));
    for (const section of LOT_SECTIONS) {
      if (!wanted.has(section)) continue;
      const items = await builder.lotSection(tx, section, { lot_id, now: clock.now() });
      shared.set(section, nextSection(shared.get(section) ?? EMPTY_SECTION, items));
    }
    return shared;
  }

  return {
    async assemble(tx, { lot_id, targets, wanted }) {
      if (targets.length === 0) return new Map();
      const shared = await lotSections(tx, lot_id, wanted);
      const built = new Map<ConnectedGateway, BuiltSections>();
      for (const { target, gateway } of targets) {
        const sections = new Map<ConfigSection, SectionState>();
        for (const section of wanted) {
          if (isLotSection(section)) sections.set(section, shared.get(section) ?? EMPTY_SECTION);
          else {
            const items = await builder.gatewaySection(tx, section, { gateway, now: clock.now() });
            sections.set(section, nextSection(target.sent.get(section) ?? EMPTY_SECTION, items));
          }
        }
        const { outboxEpoch: epoch } = target;
        const seq = await readCursor(tx, { gateway_id: gateway.id, epoch, lane: 0 });
        built.set(target, { sections, applied: { epoch, seq } });
      }
      lots.set(lot_id, shared);
      return built;
    },
    async snapshots(tx, gateway_id) {
      const gateway = await findConfigGateway(tx, gateway_id);
      if (gateway === null) throw new Error(`gateway ${gateway_id} is not known any more`);
      const { lot_id } = gateway;
      const messages: ConfigMessage[] = [];
      for (const section of CONFIG_SECTION_NAMES) {
        const now = clock.now();
        const items = isLotSection(section)
          ? await builder.lotSection(tx, section, { lot_id, now })
          : await builder.gatewaySection(tx, section, { gateway, now });
        messages.push(decodeJson(snapshotText(section, nextSection(EMPTY_SECTION, items), null)));
      }
      return messages;
    },
    forgetLot: (lot_id) => void lots.delete(lot_id),
  };
}
