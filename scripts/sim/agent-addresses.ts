import type { GatewayUuid } from '../../shared/ids.js';

/** Base addresses of the agents that cameras push to. */
export interface AgentAddresses {
  byGateway: ReadonlyMap<GatewayUuid, string>;
  /** For cameras of any other gateway, or of none. */
  others?: string;
}

/** null: none was given. */
export function agentUrlOf(agents: AgentAddresses, gateway: GatewayUuid | null): string | null {
  return (gateway === null ? undefined : agents.byGateway.get(gateway)) ?? agents.others ?? null;
}
