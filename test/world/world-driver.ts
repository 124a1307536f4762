/** Port: what runs the parts of a world. Drivers: the built programs, each a process; all of them in this process. */
import type { Radio } from '../../agent/product/radio.js';
import type { GatewayUuid } from '../../shared/ids.js';

/** One part of the world, which can be stopped and started again on the same data. */
export interface WorldPart {
  /** Process id while it runs; this process' own where all is in one. */
  readonly pid: number;
  /** Resolves when it answers. */
  start(): Promise<void>;
  /** SIGKILL: it ends without a goodbye. */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** The logs it has printed since its last start. */
  output(): string;
}

export interface WorldDriver {
  /** Brings the cloud's database to what the site file declares. */
  apply(): Promise<void>;
  carPark: WorldPart;
  cloud: WorldPart;
  gateway(of: WorldGatewayPlace): WorldPart;
  /** A further Bluetooth central in sight of the products, such as a phone. Whoever asked for it closes it. */
  radioOf(name: string): Radio;
  network: WorldNetwork;
  /** Wall time of the world, milliseconds since 1970. */
  now(): number;
  /** Lets time pass. Resolves when gateways have told the cloud again what they hear. */
  moveClock(byMs: number): Promise<void>;
  /** Called after all parts were stopped. */
  close(): Promise<void>;
}

/** The network between all gateways of a world and the broker. */
export interface WorldNetwork {
  /** Ends all connections without a goodbye; nothing answers until it is mended. */
  cut(): void;
  mend(): void;
  /** From now on everything takes so many milliseconds longer, in both directions. */
  slow(delayMs: number): void;
}

export interface WorldGatewayPlace {
  /** Of its folder of data. */
  name: string;
  uuid: GatewayUuid;
  port: number;
  claimCode: string;
}

/** Where the parts of a world are. */
export interface WorldPlaces {
  dataDir: string;
  siteFile: string;
  /** In the data directory, for emulated adapters. */
  radioPath: string;
  cloudUrl: string;
  controlUrl: string;
  /** URLs of the gateways that cameras push to. */
  gatewayUrls: ReadonlyMap<GatewayUuid, string>;
  /** Settings of the cloud, with where it listens. */
  cloudEnv: Record<string, string>;
  agentEnv: Record<string, string>;
  radioLatencyMs: number;
  /** Gateways reach the broker over sockets, whatever driver it is. */
  hasBrokerSocket: boolean;
  /** `network` of the driver is used. */
  cutsNetwork: boolean;
  /** What is random in the world is drawn from it, as far as its driver can. */
  seed: number;
}
