/** The part of a WebSocket that the realtime client needs. The WebSockets of browsers, of Node and of the package `ws` have it. */
export interface RealtimeWebSocket {
  readonly readyState: number;
  addEventListener(type: 'open' | 'error', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
  send(text: string): void;
  close(code?: number): void;
}

export type RealtimeWebSocketConstructor = new (url: string) => RealtimeWebSocket;

/** The package `ws` hands its options to Node's sockets; the WebSockets of browsers and of Node take no third argument. */
export type ConnectingWebSocket = new (
  url: string,
  protocols: string[],
  options: { autoSelectFamilyAttemptTimeout: number },
) => RealtimeWebSocket;
