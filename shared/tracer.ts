/**
 * Port: traces, in the sense of OpenTelemetry. All spans about one record are in one trace. The trace id is the record's uid, so gateway and
 * cloud use the same one without exchanging it.
 */
import type { Clock } from './clock.js';
import type { Uid } from './ids.js';

/** A completed step in the processing of a record. */
export interface RecordSpan {
  uid: Uid;
  name: string;
  /** Wall milliseconds. */
  startMs: number;
  tookMs: number;
  /** Must not contain a licence plate or any other personal data. */
  attributes: Readonly<Record<string, string | number | boolean>>;
}

export interface Tracer {
  add(span: RecordSpan): void;
  /** Sends the waiting spans. Takes at most 2 s. */
  close(): Promise<void>;
}

/** The span of the gateway that created the record. All other spans of the trace are its children. */
export const FIRST_SPAN = 'plate read';

export function traceIdsOf(uid: Uid): { traceId: string; firstSpanId: string } {
  const traceId = uid.replaceAll('-', '');
  return { traceId, firstSpanId: traceId.slice(16) };
}

/** Starts a measurement. Each call of the returned function returns when the measurement started and how long ago that was. */
export function startWatch(clock: Pick<Clock, 'now' | 'monotonic'>): () => Pick<RecordSpan, 'startMs' | 'tookMs'> {
  const startMs = clock.now();
  const at = clock.monotonic();
  return () => ({ startMs, tookMs: clock.monotonic() - at });
}
