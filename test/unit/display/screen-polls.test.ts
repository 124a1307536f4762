import { beforeEach, describe, expect, it } from 'vitest';
import { createScreenPolls, type ScreenPolls } from '../../../agent/display/screen-polls.js';

let polls: ScreenPolls;
let delivered: string[];
beforeEach(() => {
  polls = createScreenPolls();
  delivered = [];
});

const offer = (text: string, channel = 0, key = 'gate') =>
  polls.offer({ key, channel }, { bytes: Buffer.from(text), delivered: () => delivered.push(text) });

async function ask(key = 'gate') {
  const answer = await polls.app.request(`/displays/${key}`, { method: 'POST', body: 'device_name=x' });
  if (!answer.ok) return answer.status;
  const body = (await answer.json()) as { serialData?: { serialChannel: number; data: string }[] };
  return (body.serialData ?? []).map(
    ({ serialChannel, data }) => `${serialChannel} ${Buffer.from(data, 'base64').toString()}`,
  );
}

describe('orders for screens behind cameras', () => {
  it('wait until the camera asks, and are given once', async () => {
    offer('5 FREE');
    expect([await ask(), await ask(), delivered]).toEqual([['0 5 FREE'], [], ['5 FREE']]);
  });

  it('are replaced by newer ones, which alone count as taken', async () => {
    offer('5 FREE');
    offer('4 FREE');
    expect([await ask(), delivered]).toEqual([['0 4 FREE'], ['4 FREE']]);
  });

  it('are both given when they are of two screens behind one camera', async () => {
    offer('5 FREE', 0);
    offer('P', 1);
    expect([await ask(), delivered]).toEqual([
      ['0 5 FREE', '1 P'],
      ['5 FREE', 'P'],
    ]);
  });

  it('are for their camera alone', async () => {
    offer('5 FREE');
    offer('P', 0, 'other');
    expect([await ask('nobody'), await ask('other'), await ask()]).toEqual([404, ['0 P'], ['0 5 FREE']]);
  });
});
