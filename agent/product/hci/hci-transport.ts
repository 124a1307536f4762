/** Port: one Bluetooth controller as a host reaches it when there is no kernel in between. */
export interface HciTransport {
  /** Whether the controller is powered; packets written while it is not are lost. */
  readonly up: boolean;
  /** Settles once, when the controller cannot be reached any more, whoever ended it; never rejects. */
  readonly closed: Promise<void>;
  /** Sends one packet to the controller: H4, a type byte and the HCI packet. */
  write(packet: Buffer): void;
  /**
   * Calls the listener for each packet of the controller, H4 too. Returns how to stop.
   * Each packet comes in a macrotask of its own: noble throws where nobody catches when a disconnect follows a write in one tick.
   */
  onPacket(listener: (packet: Buffer) => void): () => void;
  /** Idempotent. */
  close(): void;
}
