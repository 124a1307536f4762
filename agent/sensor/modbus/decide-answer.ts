/** Decides whether a frame is the answer to a question that reads. Frames are those of a serial line: unit, function, data, CRC. */

const CRC_BYTES = 2;
/** Unit, function, and how many bytes of data follow. */
const HEAD_BYTES = 3;
const EXCEPTION_BYTES = HEAD_BYTES + CRC_BYTES;
const EXCEPTION = 0x80;

export interface Question {
  unit: number;
  /** Modbus function code. */
  code: number;
  /** The length of the answer's frame. */
  answerBytes: number;
}

/** @param frame a question with function 1 to 4 */
export function questionOf(frame: Buffer): Question {
  const [unit, code, count] = [frame.readUInt8(0), frame.readUInt8(1), frame.readUInt16BE(4)];
  const dataBytes = code <= 2 ? Math.ceil(count / 8) : count * 2;
  return { unit, code, answerBytes: HEAD_BYTES + dataBytes + CRC_BYTES };
}

/** Says whether it is of the unit, for the function, and an exception or as long as it has to be. */
export function isAnswerTo({ unit, code, answerBytes }: Question, frame: Buffer): boolean {
  if (frame[0] !== unit) return false;
  if (frame[1] === (code | EXCEPTION)) return frame.length === EXCEPTION_BYTES;
  return frame[1] === code && frame.length === answerBytes && frame[2] === answerBytes - EXCEPTION_BYTES;
}
