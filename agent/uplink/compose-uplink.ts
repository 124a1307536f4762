/** Composes the link to the cloud. */
import { createReconnectLadder } from '../../shared/reconnect-ladder.js';
import type { GatewayLife } from '../commissioning/gateway-life.js';
import type { Identity } from '../commissioning/identity.js';
import { handOverRecords } from '../commissioning/last-records.js';
import { createStandingWatch } from '../commissioning/standing.js';
import type { AgentStore, OutboxState } from '../store/agent-store.js';
import { countWaiting } from '../store/count-waiting.js';
import { createUplink, NO_UPLINK, type Uplink, type UplinkOptions } from './uplink.js';

interface UplinkPorts extends Pick<UplinkOptions, 'transport' | 'ownAddresses' | 'clock' | 'logger' | 'tracer'> {
  identity: Identity;
  life: Pick<GatewayLife, 'end'>;
  store: AgentStore;
  random(): number;
  version: string;
}

/**
 * Composes the link to the cloud. A gateway that belongs to no cloud has one that sends nothing.
 * @param of.onOutboxEpoch called before any record is numbered in the new outbox epoch
 */
export function composeUplink(
  { identity, life, store, transport, ownAddresses, clock, logger, random, version, tracer }: UplinkPorts,
  of: {
    /** undefined: the cloud has not told it yet. */
    cloudKey: () => string | undefined;
    isClockOk: () => boolean;
    onOutboxEpoch: (epoch: OutboxState['epoch'], acknowledgedSeq: number) => void;
  },
): Uplink {
  if (identity.cloud === null) return NO_UPLINK;
  const { cloudKey, isClockOk } = of;
  const waiting = () => countWaiting(store);
  const outbox: UplinkOptions['store'] = {
    outboxBatch: (lane, afterSeq) => store.outboxBatch(lane, afterSeq),
    outboxState: () => store.outboxState(),
    acknowledge: (ack) => store.acknowledge(ack),
    async startOutboxEpoch(goBackTo) {
      const state = await store.startOutboxEpoch(goBackTo);
      // This comes before any other record is stored: the next one is numbered in the new outbox epoch.
      of.onOutboxEpoch(state.epoch, state.acknowledged_seq);
      return state;
    },
  };
  const standing = createStandingWatch({
    identity,
    clock,
    logger,
    cloudKey,
    waiting,
    handOver: (key, signal) => handOverRecords({ identity, cloudKey: key, store: outbox, clock, logger, signal }),
    onEnded: life.end,
  });
  const uplink = createUplink({
    transport,
    store: outbox,
    clock,
    ladder: createReconnectLadder({ clock, random }),
    ownAddresses,
    logger,
    gatewayUuid: identity.uuid,
    credentials: identity.cloud.mqtt,
    agentVersion: version,
    bootId: store.boot.boot_id,
    isClockOk,
    onRefused: standing.brokerRefused,
    tracer,
  });
  return {
    start: uplink.start,
    notify: uplink.notify,
    publishReport: uplink.publishReport,
    state: uplink.state,
    close() {
      standing.close();
      return uplink.close();
    },
  };
}
