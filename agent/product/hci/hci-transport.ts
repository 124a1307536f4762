/** Port: one Bluetooth controller that a host reaches without a kernel in between. */
export interface HciTransport {
  /** Whether the controller is powered; packets written while it is not are lost. */
  readonly up: boolean;
  /** Settles once, when the controller cannot be reached any more for any reason; never rejects. */
  readonly closed: Promise<void>;
  /** Sends one packet to the controller: H4, a type byte and the HCI packet. */
  write(packet: Buffer): void;
  /**
   * Calls the listener for each packet of the controller, H4 too. Returns how to stop.
   * Each packet comes in a macrotask of its own: when a disconnect follows a write in one tick, noble throws an error that nobody catches.
   */
  onPacket(listener: (packet: Buffer) => void): () => void;
  /** Idempotent. */
  close(): void;
}
