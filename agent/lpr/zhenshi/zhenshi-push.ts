/**
 * Reads what Zhenshi cameras post, and answers. The camera obeys the answer: none ever says `ok`, because the camera would then switch its
 * own output. A heartbeat holds the administrator's password in clear: it is only recognised, and never put aside.
 */
import type { CameraPush, ParsedPush, PushAnswer, PushReader } from '../camera.js';
import { decodeText } from '../formats/charset-parser.js';
import { parseJson } from '../formats/document-parser.js';
import { hasPlate } from '../formats/plate-key-parser.js';
import { valueAt } from '../formats/path-parser.js';
import { parseZhenshiPlate, type ZhenshiPlate } from './zhenshi-parser.js';

/** Other events than plates: an input, a serial line, a picture that was requested. */
const OTHERS = ['AlarmGioIn', 'SerialData', 'TriggerImage'];

const answerOf = (answer: unknown): PushAnswer => ({
  status: 200,
  contentType: 'application/json',
  body: JSON.stringify(answer),
});
const NOTHING_TO_DO = answerOf({ status: 'ok' });

export const zhenshiPush: PushReader = {
  accepted: answerOf({ Response_AlarmInfoPlate: { info: 'no', content: 'retransfer_stop', is_pay: 'false' } }),
  parse({ contentType, body }: CameraPush): ParsedPush {
    const isForm = /^\s*(multipart\/form-data|application\/x-www-form-urlencoded)/i.test(contentType);
    if (body.length === 0) return { kind: 'heartbeat', answer: NOTHING_TO_DO };
    const text = decodeText(body, contentType);
    if (isForm) {
      const isPlate = /AlarmInfoPlate|license/i.test(text) && !/pass_?w(or)?d/i.test(text);
      return isPlate
        ? { kind: 'malformed', reason: 'a plate in a form: set the camera to JSON' }
        : { kind: 'heartbeat', answer: NOTHING_TO_DO };
    }
    const document = parseJson(text);
    const alarm = valueAt(document, 'AlarmInfoPlate');
    if (alarm !== undefined) {
      const plate = parseZhenshiPlate(alarm, { isBase64: false });
      if (plate === null) return { kind: 'malformed', reason: 'an AlarmInfoPlate without its plate' };
      return { kind: 'read', read: plate.read, answer: answerTo(plate) };
    }
    const other = OTHERS.find((name) => valueAt(document, name) !== undefined);
    if (other !== undefined && !hasPlate(valueAt(document, other)))
      return { kind: 'other', event: other, answer: NOTHING_TO_DO };
    // A heartbeat in any form holds the password, and is not kept.
    if (/pass_?w(or)?d/i.test(text)) return { kind: 'heartbeat', answer: NOTHING_TO_DO };
    return { kind: 'malformed', reason: document === undefined ? 'no JSON' : 'no AlarmInfoPlate' };
  },
};

/** Ends the repeats of this record, and asks for the next record of the camera's memory, which is recorded as history. */
function answerTo({ plateId, read }: ZhenshiPlate): PushAnswer {
  return answerOf({
    Response_AlarmInfoPlate: {
      info: 'no',
      content: 'retransfer_stop',
      is_pay: 'false',
      ...(plateId === null ? {} : { plateid: plateId }),
      ...(plateId !== null && read.history === true ? { ContinuePushOffline: { plateid: plateId, continue: 1 } } : {}),
    },
  });
}
