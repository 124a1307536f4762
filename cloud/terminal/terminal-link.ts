/** Port: terminals, as they are connected to the broker now. Each is known by its public key (raw Ed25519, base64url). */
export interface TerminalLink {
  isConnected(publicKey: string): boolean;
  /** @returns false when it is not connected: nothing was sent */
  publish(publicKey: string, payload: string): Promise<boolean>;
  /** What terminals say. @returns ends it */
  onMessage(listener: (message: { public_key: string; payload: string }) => void): () => void;
  /** That one came or went; ask `isConnected` which. @returns ends it */
  onPresence(listener: (publicKey: string) => void): () => void;
}
