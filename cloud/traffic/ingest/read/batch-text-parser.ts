/** Splits the text of a batch into its records before any of it is parsed, so that each record is checked against its bounds by itself. */
import { MARK, scanJson } from '../../../../shared/json-measure.js';
import { BATCH_RECORDS_MAX } from '../../../../shared/uplink-bounds.js';

export interface RecordText {
  json: Uint8Array;
  /** How deep it is nested, and how many members its objects and lists have in all. */
  nesting: number;
  members: number;
}

export interface BatchTexts {
  /** The batch with an empty list of records. */
  frame: string;
  records: RecordText[];
}

/** For what a batch has besides its records: outbox epoch and lane. */
const FRAME_BYTES_MAX = 4 * 1024;
/** The depth of the list of records in a batch. */
const LIST_DEPTH = 2;
const RECORDS_KEY = Buffer.from('"records"');

/** @returns a problem as text when there is no list of records, too many records, or too much text besides them */
export function splitBatch(json: Uint8Array): BatchTexts | { problem: string } {
  const records: RecordText[] = [];
  /** Where the list begins and ends. */
  const list = { from: -1, to: -1 };
  /** Where the key of the list ends, if the last text was that key; else -1. */
  let keyEnd = -1;
  let recordFrom = -1;
  let measure = { nesting: 0, members: 0 };
  let isTooLong = false;

  const endRecord = (at: number): void => {
    const text = json.subarray(recordFrom, at);
    recordFrom = at + 1;
    if (records.length === BATCH_RECORDS_MAX) isTooLong = true;
    else records.push({ json: text, ...measure });
    measure = { nesting: 0, members: 0 };
  };
  const isWhole = scanJson(json, {
    text(from, to) {
      keyEnd = list.from === -1 && RECORDS_KEY.equals(json.subarray(from, to + 1)) ? to : -1;
    },
    mark(at, byte, depth) {
      const from = keyEnd;
      keyEnd = -1;
      const isInList = list.from !== -1 && list.to === -1;
      if (!isInList) {
        const isList =
          byte === MARK.listBegin && depth === LIST_DEPTH && from !== -1 && textOf(json, from + 1, at) === ':';
        if (isList) list.from = recordFrom = at + 1;
      } else if (byte === MARK.listEnd && depth === LIST_DEPTH - 1) {
        list.to = at;
        if (records.length > 0 || textOf(json, recordFrom, at) !== '') endRecord(at);
      } else if (byte === MARK.comma && depth === LIST_DEPTH) endRecord(at);
      else if (byte === MARK.comma) measure.members += 1;
      else measure.nesting = Math.max(measure.nesting, depth - LIST_DEPTH);
    },
  });
  if (!isWhole) return { problem: 'no JSON' };
  if (list.to === -1) return { problem: 'it has no list of records' };
  if (isTooLong) return { problem: `it has more than ${BATCH_RECORDS_MAX} records` };
  const before = json.subarray(0, list.from);
  const after = json.subarray(list.to);
  if (before.length + after.length > FRAME_BYTES_MAX) return { problem: 'it says too much beside its records' };
  return { frame: Buffer.concat([before, after]).toString('utf8'), records };
}

const textOf = (json: Uint8Array, from: number, to: number): string =>
  Buffer.from(json.subarray(from, to)).toString('latin1').trim();
