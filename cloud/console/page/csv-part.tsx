/** A list as a CSV file: it comes as a stream, and is told how far it is until it is whole. */
import { ParkingError } from '@parking-gateway/client';
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Refusal } from '../wording/sentences.js';
import { words } from './browser.js';
import { saveFile } from './files.js';
import { Button, Refused } from './parts.js';
import { refusalOf, signedIn } from './session.js';

interface Progress {
  rows: number;
  bytes: number;
}

const LINE_END = 10;
const count = new Intl.NumberFormat(words.locale);
const megabytes = new Intl.NumberFormat(words.locale, { maximumFractionDigits: 1, minimumFractionDigits: 1 });

/**
 * @param path of an export
 * @param rowsAll how many rows it will have, as far as that is known
 */
export function CsvButton(props: {
  path: string;
  filter: readonly string[];
  fileName: string;
  label: string;
  rowsAll: number | null;
}) {
  const { path, filter, fileName, label, rowsAll } = props;
  const progress = useSignal<Progress | null>(null);
  const done = useSignal<Progress | null>(null);
  const refusal = useSignal<Refusal | null>(null);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);
  const start = async () => {
    if (progress.value !== null) return;
    const abort = new AbortController();
    running.current = abort;
    progress.value = { rows: 0, bytes: 0 };
    done.value = null;
    refusal.value = null;
    try {
      const query = new URLSearchParams([...filter.map((each) => ['filter', each]), ['bom', '1'], ['text', '1']]);
      const file = await readFile(`${path}?${query.toString()}`, abort.signal, (next) => (progress.value = next));
      saveFile(fileName, file);
      done.value = progress.value;
    } catch (error) {
      if (!abort.signal.aborted) refusal.value = refusalOf(error);
    }
    progress.value = null;
  };
  const { value: now } = progress;
  return (
    <div class="csv">
      {now === null ? (
        <Button look="small" word={label} onClick={start} />
      ) : (
        <>
          <progress
            aria-label={label}
            {...(rowsAll === null || rowsAll === 0 ? {} : { max: rowsAll, value: Math.min(now.rows, rowsAll) })}
          />
          <span class="facts">{progressText(now)}</span>
          <Button word={words.cancel} onClick={() => running.current?.abort()} />
        </>
      )}
      <p role="status" class={done.value === null ? 'hidden' : 'facts'}>
        {done.value === null ? '' : words.found.saved(fileName, progressText(done.value))}
      </p>
      <Refused refusal={refusal.value} onAgain={() => void start()} />
    </div>
  );
}

const progressText = ({ rows, bytes }: Progress): string =>
  words.found.progress(count.format(rows), megabytes.format(bytes / 1e6));

/** @throws ParkingError, also when the stream breaks off: half a file is none */
async function readFile(url: string, signal: AbortSignal, onProgress: (progress: Progress) => void): Promise<Blob> {
  const answer = await fetch(url, {
    signal,
    headers: { accept: 'text/csv', authorization: `Bearer ${signedIn.value?.token ?? ''}` },
  }).catch((cause: unknown) => {
    throw new ParkingError({ message: 'No answer', cause });
  });
  if (!answer.ok || answer.body === null) throw await errorOf(answer);
  const reader = answer.body.getReader();
  const pieces: Uint8Array<ArrayBuffer>[] = [];
  let bytes = 0;
  let lines = 0;
  for (;;) {
    const { done, value } = await reader.read().catch((cause: unknown) => {
      throw new ParkingError({ message: 'It broke off', cause });
    });
    if (done) break;
    pieces.push(value);
    bytes += value.length;
    for (const byte of value) if (byte === LINE_END) lines += 1;
    // The first line names the columns.
    onProgress({ rows: Math.max(0, lines - 1), bytes });
  }
  return new Blob(pieces, { type: 'text/csv' });
}

async function errorOf(answer: Response): Promise<ParkingError> {
  const body: unknown = await answer.json().catch(() => null);
  const errors =
    typeof body === 'object' && body !== null && 'errors' in body && Array.isArray(body.errors) ? body.errors : [];
  const known = errors.filter(
    (each: unknown): each is { code: number; message: string } =>
      typeof each === 'object' && each !== null && 'code' in each && 'message' in each,
  );
  return new ParkingError({ message: `The service answered ${answer.status}`, status: answer.status, errors: known });
}
