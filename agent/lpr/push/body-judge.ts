/**
 * Judges a body while it arrives, so that a body that no camera would send is neither read to its end nor parsed. The
 * parts of a multipart body are judged by their parsers, which have the same bounds.
 */
import { createJsonGauge } from '../../../shared/json-measure.js';
import { JSON_BOUNDS, jsonProblem } from '../formats/document-parser.js';
import { isMultipart } from '../formats/multipart-splitter.js';

export interface BodyJudge {
  /** Takes the next piece. Returns what is wrong with the body, for people; null: nothing so far. */
  add(piece: Uint8Array): string | null;
}

/** A camera's document has some 200 tags; the parser takes 5,000 elements, each with a beginning and an end. */
const XML_TAGS_MAX = 20_000;
const SPACE = 0x20;
const DELETE = 0x7f;
const TAG = 0x3c;
const JSON_BEGINS = new Set([0x5b, 0x7b]);

export function createBodyJudge(contentType: string): BodyJudge {
  let judge: BodyJudge | null = isMultipart(contentType) ? NO_JUDGE : null;
  return {
    add(piece) {
      judge ??= judgeOf(piece);
      return judge?.add(piece) ?? null;
    },
  };
}

const NO_JUDGE: BodyJudge = { add: () => null };

/** The first byte of a document decides. Before it stand blanks, NUL or a byte order mark; null: it has not come yet. */
function judgeOf(piece: Uint8Array): BodyJudge | null {
  const first = piece.find((byte) => byte > SPACE && byte < DELETE);
  if (first === undefined) return null;
  if (first === TAG) return createXmlJudge();
  return JSON_BEGINS.has(first) ? createJsonJudge() : NO_JUDGE;
}

function createJsonJudge(): BodyJudge {
  const gauge = createJsonGauge(JSON_BOUNDS);
  return {
    add(piece) {
      const broken = gauge.add(piece);
      return broken === null ? null : jsonProblem(broken);
    },
  };
}

function createXmlJudge(): BodyJudge {
  let tags = 0;
  return {
    add(piece) {
      for (let at = piece.indexOf(TAG); at !== -1 && tags <= XML_TAGS_MAX; at = piece.indexOf(TAG, at + 1)) tags += 1;
      return tags > XML_TAGS_MAX ? `XML of more than ${XML_TAGS_MAX} tags` : null;
    },
  };
}
