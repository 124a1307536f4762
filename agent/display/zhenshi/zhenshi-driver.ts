/**
 * Driver of the screen on the serial line behind a Zhenshi camera: `zhenshi://KEY?channel=0`. The camera asks for orders by posting to
 * `/displays/KEY`, and takes what is for its serial line from the answer. The board behind it is the installer's: the template is its frame
 * in hexadecimal, in which `{text}` stands for the text in GBK, `{length}` for its bytes and `{crc}` for the CRC-16 (Modbus) of all before.
 */
import { zhenshiDisplayOf } from '../../../shared/drivers/display-drivers.js';
import type { DisplayDriver } from '../display.js';
import type { ScreenPolls } from '../screen-polls.js';
import { encodeGbk } from './gbk-codec.js';

const TEXT_BYTES_MAX = 200;
/** Cameras ask at an interval of their own: every ten seconds, or more rarely. */
const PATIENCE_MS = 60_000;
export function createZhenshiDisplayDriver({ polls }: { polls: Pick<ScreenPolls, 'offer'> }): DisplayDriver {
  return {
    name: 'zhenshi',
    patience_ms: PATIENCE_MS,
    show({ address, template }, text, signal) {
      const display = zhenshiDisplayOf(address);
      if (display === null) return Promise.reject(new Error(`${address} is no address of a display`));
      const bytes = frameOf(template === '' ? '{text}' : template, text);
      return new Promise((resolve, reject) => {
        if (signal.aborted) return void reject(signal.reason as Error);
        // The order stays until its camera asks, which it does at an interval of its own, or until there is a newer one.
        polls.offer(display, { bytes, delivered: resolve });
        signal.addEventListener('abort', () => reject(new Error('the camera has not asked for it yet')), {
          once: true,
        });
      });
    },
  };
}

function frameOf(template: string, text: string): Uint8Array {
  const characters = encodeGbk(text, TEXT_BYTES_MAX);
  const bytes: number[] = [];
  for (const [part] of template.matchAll(/\{(?:text|length|crc)\}|[0-9a-fA-F]{2}/g)) {
    if (part === '{text}') bytes.push(...characters);
    else if (part === '{length}') bytes.push(characters.length);
    else if (part === '{crc}') bytes.push(...crcOf(bytes));
    else bytes.push(Number.parseInt(part, 16));
  }
  return Uint8Array.from(bytes);
}

/** CRC-16 of Modbus, low byte first. */
function crcOf(bytes: readonly number[]): [number, number] {
  let crc = 0xffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 1) === 1 ? (crc >> 1) ^ 0xa001 : crc >> 1;
  }
  return [crc & 0xff, crc >> 8];
}
