import type { RealtimeClientOptions } from '../realtime-client/realtime-client.js';

/** What a realtime connection needs beside what the client knows already. */
export type RealtimeOptions = Omit<RealtimeClientOptions, 'url' | 'token' | 'WebSocket' | 'clock' | 'random'>;
