/** Port: the terminals that are connected now. Each is known by its public key (raw Ed25519, base64url). */
export interface TerminalLink {
  isConnected(publicKey: string): boolean;
  /** Lists the public keys of the connected terminals. */
  connected(): string[];
  /** Sends to a terminal. @returns false: it is not connected, and nothing was sent */
  publish(publicKey: string, payload: string): Promise<boolean>;
  /** Calls the listener for each message of a terminal. @returns how to stop */
  onMessage(listener: (message: { public_key: string; payload: string }) => void): () => void;
  /** Calls the listener when a terminal connects or disconnects; `isConnected` says which. @returns how to stop */
  onPresence(listener: (publicKey: string) => void): () => void;
}
