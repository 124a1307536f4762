/** A connected gateway as the configuration publisher knows it: what was sent to it, and what has to be sent next. */
import type { ConfigMessage, ConfigSection } from '../../../shared/gateway-config.js';
import type { GatewayUuid } from '../../../shared/ids.js';
import type { Hello, OutboxEpoch } from '../../../shared/uplink.js';
import { deltaText, snapshotText, type SectionState } from './config-section.js';

export interface ConnectedGateway {
  readonly id: number;
  readonly uuid: GatewayUuid;
  /** The lot whose configuration it was sent last. */
  lot_id: number | null;
  outboxEpoch: OutboxEpoch;
  sent: Map<ConfigSection, SectionState>;
  /** The seq that the last `sessions` message named as applied. */
  appliedSeq: number | null;
}

/** Sections as one read transaction found them. */
export interface BuiltSections {
  sections: Map<ConfigSection, SectionState>;
  applied: NonNullable<ConfigMessage['applied']>;
}

/** Builds the messages that bring a gateway with the given revisions up to date; they count as sent. */
export function messagesForHello(
  target: ConnectedGateway,
  { sections, applied }: BuiltSections,
  held: Hello['config'],
): string[] {
  const messages: string[] = [];
  for (const [section, state] of sections) {
    if (held[section] !== state.revision) messages.push(snapshotText(section, state, applied));
    // This revision may already contain decisions that the gateway made itself.
    else if (section === 'sessions') messages.push(deltaText(section, { from: state, to: state, applied }));
    target.sent.set(section, state);
  }
  target.appliedSeq = applied.seq;
  return messages;
}

/** Builds the messages that bring a gateway from the state that was sent to it to the present one; they count as sent. */
export function messagesForChange(target: ConnectedGateway, { sections, applied }: BuiltSections): string[] {
  const messages: string[] = [];
  for (const [section, to] of sections) {
    const from = target.sent.get(section);
    const isNewsOfApplied = section === 'sessions' && applied.seq !== target.appliedSeq;
    if (from === undefined) messages.push(snapshotText(section, to, applied));
    else if (from.revision !== to.revision || isNewsOfApplied) {
      messages.push(deltaText(section, { from, to, applied }));
    }
    target.sent.set(section, to);
    if (section === 'sessions') target.appliedSeq = applied.seq;
  }
  return messages;
}
