/**
 * The messages between the gateway and its picture process: one question at a time, and one answer to each. The bytes of a picture come by
 * standard input, because a message would be copied as a whole, which holds up decisions for milliseconds.
 */
import type { PixelBox } from './picture-maker.js';

export interface ToPictureProcess {
  /** The length of the picture on standard input. */
  bytes: number;
  box: PixelBox | null;
  sidePixelsMax: number;
}

export type FromPictureProcess = { jpeg: Uint8Array } | { failed: string };

/** In the picture process: calls `onQuestion` with each question and its picture. */
export function receivePictures(onQuestion: (question: ToPictureProcess, jpeg: Uint8Array) => void): void {
  let asked: { question: ToPictureProcess; jpeg: Buffer; arrived: number } | null = null;
  const look = (): void => {
    if (asked === null || asked.arrived < asked.jpeg.length) return;
    const { question, jpeg } = asked;
    asked = null;
    process.stdin.pause();
    onQuestion(question, jpeg);
  };
  process.stdin.on('data', (chunk: Buffer) => {
    if (asked === null) return;
    chunk.copy(asked.jpeg, asked.arrived);
    asked.arrived += chunk.length;
    look();
  });
  process.stdin.pause();
  process.on('message', (question: ToPictureProcess) => {
    asked = { question, jpeg: Buffer.allocUnsafeSlow(question.bytes), arrived: 0 };
    process.stdin.resume();
    look();
  });
}
