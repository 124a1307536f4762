/**
 * Port: traces, in the sense of OpenTelemetry. All spans about one record are in one trace, whose id is the record's uid: so gateway and
 * cloud agree on it, although nothing of it travels between them.
 */
import type { Clock } from './clock.js';
import type { Uid } from './ids.js';

/** Something that was done for a record, and is over. */
export interface RecordSpan {
  uid: Uid;
  name: string;
  /** Wall milliseconds. */
  startMs: number;
  tookMs: number;
  /** No licence plate, and nothing else of a person. */
  attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface Tracer {
  add(span: RecordSpan): void;
  /** Sends what waits, for as long as that takes at most 2 s. */
  close(): Promise<void>;
}

/** The span of the gateway that made the record; all others are part of it. */
export const FIRST_SPAN = 'plate read';

export function traceIdsOf(uid: Uid): { traceId: string; firstSpanId: string } {
  const traceId = uid.replaceAll('-', '');
  return { traceId, firstSpanId: traceId.slice(16) };
}

/** Begins to measure. Each call of what it returns says when that was, and how long ago. */
export function startWatch(clock: Pick<Clock, 'now' | 'monotonic'>): () => Pick<RecordSpan, 'startMs' | 'tookMs'> {
  const startMs = clock.now();
  const at = clock.monotonic();
  return () => ({ startMs, tookMs: clock.monotonic() - at });
}
