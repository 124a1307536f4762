/**
 * Serves the data of the gateway's own page: `GET /api/device` before somebody is signed in, and then `GET /api/view`,
 * `/api/pictures/{uid}`, `/api/quarantine` and `/api/quarantine/{name}`, `/api/logs`, `/api/support-file`.
 */
import { Hono, type MiddlewareHandler } from 'hono';
import { z } from 'zod';
import { problemsOf, refuse } from '../api-answers.js';
import { LOG_LEVELS, type LogChoice } from '../../health/log-ring.js';
import { nameOfPush, type QuarantinedPush } from '../../lpr/push/quarantine.js';
import { oneAtATime } from '../../waiting/one-at-a-time.js';
import type { DeviceFacts } from './local-view.js';
import type { TaggedText } from './view-cache.js';

/** The part of a push that a person reads; the whole is downloaded. */
const SHOWN_BYTES_MAX = 16 * 1024;
const LOG_LINES_DEFAULT = 200;
const LOG_LINES_MAX = 1_000;

const logsQuerySchema = z.object({
  lines: z.coerce.number().int().min(1).max(LOG_LINES_MAX).default(LOG_LINES_DEFAULT),
  level: z.enum(LOG_LEVELS).default('debug'),
});

export interface ViewRoutesDeps {
  /** Answers 401 to anybody who is not signed in (`page-door.ts`). */
  signedIn: MiddlewareHandler;
  /**
   * The facts that everybody on the network may know: whether it has to be claimed, and if not, whose password is asked
   * for.
   */
  device(): DeviceFacts;
  view(): Promise<TaggedText>;
  /** A small picture of a recent vehicle; null: none is kept under this uid. */
  picture(uid: string): Uint8Array | null;
  quarantine: {
    /** The oldest first. */
    list(): Promise<QuarantinedPush[]>;
    read(name: string): Promise<{ push: QuarantinedPush; body: Uint8Array<ArrayBuffer> } | null>;
  };
  /** The newest lines of the program's log, the oldest of them first. */
  logs(choice: LogChoice): readonly object[];
  supportFile(): Promise<{ name: string; text: string }>;
}

export function createViewRoutes(deps: ViewRoutesDeps): Hono {
  const { signedIn, quarantine } = deps;
  const app = new Hono();
  const supportFile = oneAtATime(deps.supportFile);
  app.get('/api/device', (context) => context.json(deps.device()));
  app.get('/api/view', signedIn, async (context) => {
    const { text, tag } = await deps.view();
    context.header('ETag', tag);
    if (context.req.header('if-none-match') === tag) return context.body(null, 304);
    return context.body(text, 200, { 'Content-Type': 'application/json' });
  });
  app.get('/api/pictures/:uid', signedIn, (context) => {
    const jpeg = deps.picture(context.req.param('uid'));
    if (jpeg === null) return refuse(context, 404, 'This picture is no longer in the memory of the gateway');
    return context.body(new Uint8Array(jpeg), 200, { 'Content-Type': 'image/jpeg' });
  });
  app.get('/api/quarantine', signedIn, async (context) => {
    const pushes = await quarantine.list();
    return context.json({ pushes: pushes.toReversed().map(describedPush) });
  });
  app.get('/api/quarantine/:name', signedIn, async (context) => {
    const name = context.req.param('name');
    const found = await quarantine.read(name);
    if (found === null) return refuse(context, 404, 'This push is not kept any more: newer ones took its place');
    if (context.req.query('download') === undefined) return context.json(shownPush(found));
    return context.body(found.body, 200, downloadHeaders(`push-${name}.bin`, 'application/octet-stream'));
  });
  app.get('/api/logs', signedIn, (context) => {
    const query = logsQuerySchema.safeParse(context.req.query());
    if (!query.success) return refuse(context, 422, problemsOf(query.error));
    const { lines, level } = query.data;
    return context.json({ lines: deps.logs({ linesMax: lines, level }) });
  });
  app.get('/api/support-file', signedIn, async (context) => {
    const { name, text } = await supportFile();
    return context.body(text, 200, downloadHeaders(name, 'application/json'));
  });
  return app;
}

/** No browser shows it, or guesses what it is. */
const downloadHeaders = (name: string, type: string): Record<string, string> => ({
  'Content-Type': type,
  'Content-Disposition': `attachment; filename="${name}"`,
  'X-Content-Type-Options': 'nosniff',
});

function describedPush(push: QuarantinedPush): object {
  const { at_ms, camera_device_id, driver, reason, content_type, bytes, kept_bytes } = push;
  const name = nameOfPush(push);
  return { name, at: new Date(at_ms).toISOString(), camera_device_id, driver, reason, content_type, bytes, kept_bytes };
}

/** The beginning of a body: `text`, or where it is no text, `hex` in lines of 16 bytes. */
function shownPush({ push, body }: { push: QuarantinedPush; body: Uint8Array }): object {
  const start = body.subarray(0, SHOWN_BYTES_MAX);
  const text = textOf(start);
  const is_cut = body.length > start.length || push.bytes > push.kept_bytes;
  return { ...describedPush(push), is_cut, ...(text === null ? { hex: hexLines(start) } : { text }) };
}

/** null: it is no text. A character that the cut went through does not make it none. */
function textOf(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    // Control characters but tabulator and line ends.
    return /[^\P{Cc}\t\n\r]/u.test(text) ? null : text;
  } catch {
    return null;
  }
}

const HEX_LINE_BYTES = 16;

function hexLines(bytes: Uint8Array): string {
  const lines: string[] = [];
  for (let at = 0; at < bytes.length; at += HEX_LINE_BYTES) {
    const part = [...bytes.subarray(at, at + HEX_LINE_BYTES)];
    const hex = part.map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    const text = part.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.')).join('');
    lines.push(`${at.toString(16).padStart(6, '0')}  ${hex.padEnd(HEX_LINE_BYTES * 3)} ${text}`);
  }
  return lines.join('\n');
}
