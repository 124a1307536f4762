/** Which external brokers there are, and how one is named; `external-broker.ts` has what each needs. */
export const BROKER_KINDS = ['mosquitto', 'nats'] as const;
export type BrokerKind = (typeof BROKER_KINDS)[number];

export interface ExternalBrokerPlace {
  /** With user and password. */
  url: string;
  kind: BrokerKind;
  /** MQTT_ADMIN_URL; null with the kinds that need none. */
  adminUrl: string | null;
  /** File of the authority of its certificate; null: one that this machine trusts. */
  ca: string | null;
}
