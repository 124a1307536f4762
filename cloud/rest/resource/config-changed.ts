import type { ConfigSection } from '../../../shared/gateway-config.js';

/**
 * The notice of a change of what gateways know: an effect (`tx.onCommit`) of a change of what the sections of a lot are made of (lot_id
 * null: of gateways in no lot; without sections: all). A gateway that moved needs its old and its new lot.
 */
export type ConfigChanged = (lot: { lot_id: number | null }, sections?: readonly ConfigSection[]) => void;
