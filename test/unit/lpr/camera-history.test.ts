/** What a camera tells of the past is recorded and opens nothing; answers order nothing. */
import { describe, expect, it } from 'vitest';
import { cameraFixture } from './camera-fixture.js';
import { camera } from './plate-world.js';
import { pushWorld } from './push-world.js';

const JSON_TYPE = { 'content-type': 'application/json' };

function listenerOf(driver: string) {
  const plates = { ZG4821AB: { zone_ids: [], product_ids: [21] }, ZG1111AA: { zone_ids: [], product_ids: [21] } };
  const world = pushWorld({ cameras: [camera('cam', { driver, direction_source: 'position' })], plates });
  const ask = (method: string, path: string, body?: string, headers: Record<string, string> = JSON_TYPE) =>
    world.app.request(path, { method, headers, ...(body === undefined ? {} : { body }) });
  return { ...world, ask };
}

describe('what a camera stored', () => {
  it('is recorded and opens nothing, even when it is dated now', async () => {
    const world = listenerOf('zhenshi');
    const now = Math.floor(world.clock.now() / 1000);
    const offline = cameraFixture('zhenshi', 'offline.json').replace('1768478400', String(now));
    const live = cameraFixture('zhenshi', 'plate.json').replace('1768478400', String(now));
    const answer = await world.ask('POST', '/lpr/zhenshi/cam/right-key', offline);
    expect(await answer.json()).toMatchObject({
      Response_AlarmInfoPlate: { info: 'no', ContinuePushOffline: { plateid: 5013, continue: 1 } },
    });
    expect(world.commander.commands).toEqual([]);
    expect(world.store.reads).toMatchObject([
      { record: { access_decision: null, opening: null, reading: { plate: 'ZG1111AA', retransmission: true } } },
    ]);
    // The same camera's live read of a plate that is admitted opens, and its answer orders the camera to do nothing itself.
    const notified = (await (await world.ask('POST', '/lpr/zhenshi/cam/right-key', live)).json()) as Record<
      string,
      unknown
    >;
    expect(notified).toEqual({
      Response_AlarmInfoPlate: { info: 'no', content: 'retransfer_stop', is_pay: 'false', plateid: 5012 },
    });
    expect(world.commander.commands).toHaveLength(1);
  });

  it('is known by Hikvision’s alarmDataType', async () => {
    const world = listenerOf('hikvision');
    const xml = cameraFixture('hikvision', 'anpr-forward.xml');
    const history = xml.replace(/<alarmDataType>\d<\/alarmDataType>|(?=<\/ANPR>)/, '<alarmDataType>1</alarmDataType>');
    const dated = history.replace(/<dateTime>[^<]*</, `<dateTime>${new Date(world.clock.now()).toISOString()}<`);
    await world.ask('POST', '/lpr/hikvision/cam/right-key', dated, { 'content-type': 'application/xml' });
    expect(world.store.reads).toHaveLength(1);
    expect(world.commander.commands).toEqual([]);
  });
});

describe('every push of a vehicle', () => {
  const PLATE = 'ZG4821AB';
  const lost = Buffer.from([0xd4, 0xc1]);
  const gb = (declaration: string) => {
    const xml = cameraFixture('hikvision', 'anpr-forward.xml').replace(/<\?xml[^>]*\?>/, declaration);
    const at = xml.indexOf(PLATE);
    const [before, after] = [xml.slice(0, at), xml.slice(at + PLATE.length)];
    return Buffer.concat([Buffer.from(before), lost, Buffer.from('B71234'), Buffer.from(after)]).toString('latin1');
  };
  const push = async (driver: string, body: string, contentType: string) => {
    const world = listenerOf(driver);
    const bytes = Buffer.from(body, 'latin1');
    const { status } = await world.app.request(`/lpr/${driver}/cam/right-key`, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body: bytes,
    });
    return {
      status,
      quarantined: world.quarantined.length,
      plates: world.store.reads.map((r) => r.record.reading.plate),
    };
  };

  it('is a reading of what it declares, or put aside: two vehicles never become one', async () => {
    expect(await push('hikvision', gb('<?xml version="1.0" encoding="GB2312"?>'), 'application/xml')).toEqual({
      status: 200,
      quarantined: 0,
      plates: ['粤B71234'],
    });
    for (const declaration of ['<?xml version="1.0" encoding="UTF-8"?>', '', '<?xml version="1.0" encoding="X-1"?>']) {
      const put = await push('hikvision', gb(declaration), 'application/xml');
      expect(put).toEqual({ status: 200, quarantined: 1, plates: [] });
    }
  });
});

describe('addresses below a push key', () => {
  it('end with a slash or without one', async () => {
    const world = listenerOf('zhenshi');
    const live = cameraFixture('zhenshi', 'plate.json');
    expect((await world.ask('POST', '/lpr/zhenshi/cam/right-key/', live)).status).toBe(200);
    expect((await world.ask('POST', '/lpr/zhenshi/cam/wrong-key/', live)).status).toBe(404);
    expect(world.store.reads).toHaveLength(1);
  });

  it('need the key like any other, and GET only where a vendor says so', async () => {
    const world = listenerOf('dahua');
    const { status } = await world.ask('GET', '/lpr/dahua/cam/right-key/NotificationInfo/KeepAlive');
    expect(status).toBe(200);
    const refused = [
      'GET /lpr/dahua/cam/wrong/NotificationInfo/KeepAlive',
      'POST /lpr/dahua/cam/wrong/NotificationInfo/TollgateInfo',
      'POST /LAPI/V1.0/System/Event/Notification/Structure',
      'POST /lpr/dahua/cam',
    ];
    for (const line of refused) {
      const [method = '', path = ''] = line.split(' ');
      expect((await world.ask(method, path, method === 'POST' ? '{}' : undefined)).status).toBe(404);
    }
    const other = listenerOf('hikvision');
    expect((await other.ask('GET', '/lpr/hikvision/cam/right-key')).status).toBe(404);
  });
});
