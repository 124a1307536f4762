import { describe, expect, it } from 'vitest';
import { createUntoldNews } from '../../../cloud/kernel/store/postgres/untold-news.js';

describe('news that waits', () => {
  const create = (waitingBytesMax = 20) => createUntoldNews({ noticeBytesMax: 10, waitingBytesMax });

  it('is taken in its order, as much as a notice holds, and one at least', () => {
    const news = create(100);
    for (const text of ['1', '22', '333', 'more than ten']) news.add(text);
    expect(news.take()).toEqual(['1', '22', '333']);
    expect(news.isEmpty).toBe(false);
    expect(news.take()).toEqual(['more than ten']);
    expect(news.isEmpty).toBe(true);
    expect(news.take()).toEqual([]);
    expect(news.isIncomplete).toBe(false);
  });

  it('is put back where it was', () => {
    const news = create();
    for (const text of ['1', '2', 'ž ž ž ž']) news.add(text);
    const taken = news.take();
    expect(taken).toEqual(['1', '2']);
    news.putBack(taken);
    expect(news.take()).toEqual(['1', '2']);
    expect(news.take()).toEqual(['ž ž ž ž']);
  });

  it('is given up when there is too much of it, the oldest first', () => {
    const news = create();
    for (const text of ['aaaa', 'bbbb', 'cccc', 'dddd']) news.add(text);
    expect(news.isIncomplete).toBe(false);
    news.add('e');
    expect(news.isIncomplete).toBe(true);
    expect([news.take(), news.take()]).toEqual([
      ['bbbb', 'cccc'],
      ['dddd', 'e'],
    ]);
    news.isIncomplete = false;
    news.add('ffff ffff ffff');
    news.putBack(['gggg']);
    expect(news.take()).toEqual(['gggg']);
    news.putBack(['gggg', 'hhhh']);
    expect(news.isIncomplete).toBe(true);
    expect(news.take()).toEqual(['hhhh']);
  });
});
