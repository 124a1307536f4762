/** Port: one upgraded WebSocket as a realtime connection uses it. Driver: `ws-realtime-server.ts`. */
export interface RealtimeSocket {
  /** Bytes handed to `send` that the network has not taken yet. */
  readonly bufferedBytes: number;
  /**
   * Writes whole frames that are ready for the wire (`encodeFrame`), one or more. `flushed` is called when the network took them or
   * never will.
   */
  send(frames: Buffer, flushed?: () => void): void;
  /** Holds frames back until `uncork`, so that several leave in one write. */
  cork(): void;
  uncork(): void;
  ping(): void;
  /** Starts the closing handshake; frames already sent go first. */
  close(code: number, reason: string): void;
  /** Cuts the connection. */
  terminate(): void;
}
