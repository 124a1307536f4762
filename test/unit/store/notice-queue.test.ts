import { describe, expect, it } from 'vitest';
import { createNoticeQueue } from '../../../cloud/kernel/store/postgres/notice-queue.js';

describe('news that waits', () => {
  const create = (waitingBytesMax = 20) => createNoticeQueue({ noticeBytesMax: 10, waitingBytesMax });

  it('is taken in its order, as much as a notice holds, and one at least', () => {
    const news = create(100);
    for (const text of ['1', '22', '333', 'more than ten']) news.add(text);
    expect(news.drain()).toEqual(['1', '22', '333']);
    expect(news.isEmpty).toBe(false);
    expect(news.drain()).toEqual(['more than ten']);
    expect(news.isEmpty).toBe(true);
    expect(news.drain()).toEqual([]);
    expect(news.isIncomplete).toBe(false);
  });

  it('is put back where it was', () => {
    const news = create();
    for (const text of ['1', '2', 'ž ž ž ž']) news.add(text);
    const drained = news.drain();
    expect(drained).toEqual(['1', '2']);
    news.putBack(drained);
    expect(news.drain()).toEqual(['1', '2']);
    expect(news.drain()).toEqual(['ž ž ž ž']);
  });

  it('is given up when there is too much of it, the oldest first', () => {
    const news = create();
    for (const text of ['aaaa', 'bbbb', 'cccc', 'dddd']) news.add(text);
    expect(news.isIncomplete).toBe(false);
    news.add('e');
    expect(news.isIncomplete).toBe(true);
    expect([news.drain(), news.drain()]).toEqual([
      ['bbbb', 'cccc'],
      ['dddd', 'e'],
    ]);
    news.isIncomplete = false;
    news.add('ffff ffff ffff');
    news.putBack(['gggg']);
    expect(news.drain()).toEqual(['gggg']);
    news.putBack(['gggg', 'hhhh']);
    expect(news.isIncomplete).toBe(true);
    expect(news.drain()).toEqual(['hhhh']);
  });
});
