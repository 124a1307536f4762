/** Port: one upgraded WebSocket as a realtime connection uses it. Driver: `ws-realtime-server.ts`. */
export interface RealtimeSocket {
  /** How many bytes were given to `send` that the network has not accepted yet. */
  readonly bufferedBytes: number;
  /**
   * Writes one or more whole frames that are ready for the wire (`encodeFrame`). `flushed` is called when the network has accepted them
   * or never will.
   */
  send(frames: Buffer, flushed?: () => void): void;
  /** Holds frames back until `uncork`, so that several leave in one write. */
  cork(): void;
  uncork(): void;
  ping(): void;
  /** Starts the closing handshake; frames that were already sent go first. */
  close(code: number, reason: string): void;
  /** Cuts the connection. */
  terminate(): void;
}
