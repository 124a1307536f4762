/** A Hikvision recorder posts for all its channels to one camera's address; a querystring is another form of the same events. */
import { describe, expect, it } from 'vitest';
import { hikvisionPush } from '../../../agent/lpr/hikvision/hikvision-push.js';
import type { MalformedPush } from '../../../agent/lpr/push/quarantine.js';
import { cameraFixture } from './camera-fixture.js';
import { camera, plateWorld, pushListener } from './plate-world.js';

const RECORDER = 'http://192.0.2.40';
const XML = cameraFixture('hikvision', 'anpr-forward.xml');
const ofChannel = (id: string) => XML.replace(/<channelID>\d+<\/channelID>/, `<channelID>${id}</channelID>`);

function recorderWorld() {
  const world = plateWorld({
    cameras: [
      camera('cam-in', { address: `${RECORDER}/?channel=1` }),
      camera('cam-2', { id: 12, address: `${RECORDER}/?channel=33`, push_key: '' }),
      camera('elsewhere', { id: 13, address: 'http://192.0.2.41/?channel=7' }),
      camera('alone', { id: 14, address: RECORDER }),
    ],
  });
  const quarantined: MalformedPush[] = [];
  const app = pushListener(world, {
    quarantine: { add: (push) => Promise.resolve(quarantined.push(push) > 0) },
  });
  const post = async (body: string, name = 'cam-in', query = '') => {
    const url = `/lpr/hikvision/${name}/right-key${query}`;
    const headers = { 'content-type': 'application/xml' };
    expect((await app.request(url, { method: 'POST', body, headers })).status).toBe(200);
    return world.store.reads.map(({ camera_device_id }) => camera_device_id);
  };
  return { ...world, quarantined, post };
}

describe('the channels of a recorder', () => {
  it('are the cameras that have its address with that channel', async () => {
    expect(XML).toMatch(/<channelID>\d+<\/channelID>/);
    const { post, quarantined } = recorderWorld();
    expect(await post(ofChannel('1'))).toEqual(['cam-in']);
    expect(await post(ofChannel('33'))).toEqual(['cam-in', 'cam-2']);
    expect(
      await post(ofChannel('0').replace('</channelID>', '</channelID><dynChannelID>33</dynChannelID>')),
    ).toHaveLength(2);
    expect(quarantined).toEqual([]);
  });

  it('go into the quarantine while nobody has said which camera they are, and open nothing', async () => {
    const { post, quarantined, commander } = recorderWorld();
    expect(await post(ofChannel('7'))).toEqual([]);
    expect(quarantined).toMatchObject([
      { camera_device_id: 'cam-in', reason: expect.stringContaining('channel 7 of this recorder is no camera here') },
    ]);
    expect(commander.commands).toEqual([]);
  });

  it('say nothing of a camera that is no recorder', async () => {
    const { post } = recorderWorld();
    expect(await post(ofChannel('7'), 'alone')).toEqual(['alone']);
  });
});

describe('an event in a querystring', () => {
  const QUERY =
    'channelID=1&dateTime=2026-01-15T09:00:00-300&eventType=ANPR&licensePlate=ZG4821AB&direction=forward&confidenceLevel=93';

  it('is read from the address, or from a form', async () => {
    const { post, store } = recorderWorld();
    expect(await post('', 'cam-in', `?${QUERY}`)).toEqual(['cam-in']);
    expect(store.reads[0]?.record.reading).toMatchObject({ plate: 'ZG4821AB', confidence: 0.93, direction: 'in' });
    const parse = (body: string, query = '') =>
      hikvisionPush.parse({
        contentType: body === '' ? '' : 'application/x-www-form-urlencoded',
        body: Buffer.from(body),
        camera: { timezone: 'UTC' },
        query,
      });
    const at = (epoch_ms: number, offset_min: number) => ({ read: { camera_time: { epoch_ms, offset_min } } });
    expect(parse(QUERY)).toMatchObject(at(Date.UTC(2026, 0, 15, 12), -180));
    expect(parse('', `?${QUERY.replace('-300', '+0100')}`)).toMatchObject(at(Date.UTC(2026, 0, 15, 8), 60));
    expect(parse('eventType=heartBeat&channelID=0')).toEqual({ kind: 'heartbeat' });
    expect(parse('eventType=VMD')).toEqual({ kind: 'other', event: 'VMD' });
    expect(parse('what=else')).toMatchObject({ kind: 'malformed' });
    expect(parse('')).toEqual({ kind: 'other', event: 'empty body' });
  });
});
