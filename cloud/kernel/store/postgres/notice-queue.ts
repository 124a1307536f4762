/** News that waits to be sent to other processes, in its order. When there is too much of it, the oldest is given up. */

export interface NoticeQueue {
  readonly isEmpty: boolean;
  /** Whether news was given up of which the others do not know yet. */
  isIncomplete: boolean;
  /** @param text JSON */
  add(text: string): void;
  /** Takes so much as one notice holds, but one at least. */
  drain(): string[];
  /** Puts back what was taken last and could not be told. */
  putBack(texts: readonly string[]): void;
}

/** @param limits.noticeBytesMax of one notice @param limits.waitingBytesMax of all that waits */
export function createNoticeQueue(limits: { noticeBytesMax: number; waitingBytesMax: number }): NoticeQueue {
  const waiting: { text: string; bytes: number }[] = [];
  let waitingBytes = 0;

  const entryOf = (text: string) => ({ text, bytes: Buffer.byteLength(text) + 1 });
  const countOf = (isEnough: (bytes: number) => boolean): number => {
    let bytes = 0;
    const index = waiting.findIndex((each) => isEnough((bytes += each.bytes)));
    return index === -1 ? waiting.length : index;
  };
  const remove = (count: number): string[] => {
    const removed = waiting.splice(0, count);
    for (const { bytes } of removed) waitingBytes -= bytes;
    return removed.map(({ text }) => text);
  };

  const queue: NoticeQueue = {
    isIncomplete: false,
    get isEmpty() {
      return waiting.length === 0;
    },
    add(text) {
      const entry = entryOf(text);
      waiting.push(entry);
      waitingBytes += entry.bytes;
      giveUpOldest();
    },
    drain: () =>
      remove(
        Math.max(
          1,
          countOf((bytes) => bytes > limits.noticeBytesMax),
        ),
      ),
    putBack(texts) {
      const entries = texts.map(entryOf);
      waiting.unshift(...entries);
      for (const { bytes } of entries) waitingBytes += bytes;
      giveUpOldest();
    },
  };
  function giveUpOldest(): void {
    const excess = waitingBytes - limits.waitingBytesMax;
    if (excess <= 0) return;
    remove(countOf((bytes) => bytes >= excess) + 1);
    queue.isIncomplete = true;
  }
  return queue;
}
