/** Cameras of the vendors beside Hikvision are set up for the gateway over their own interfaces, and back. */
import { describe, expect, it } from 'vitest';
import { renderCameraSetup } from '../../../agent/health/render-cameras.js';
import { createCameraDrivers } from '../../../agent/lpr/camera-drivers.js';
import type { CameraSetups, SetupReport } from '../../../agent/lpr/setup/camera-setups.js';
import { systemClock } from '../../../shared/system-clock.js';
import { FakeClock } from '../../world/fake-clock.js';
import { cameraDriverDeps } from '../../world/camera-driver-deps.js';
import { ACCOUNT, setupWorld } from './setup-world.js';

const CLOCK = expect.stringMatching(/^clock: it is (599|60\d) s behind$/) as string;
const HERE = '127.0.0.1:8090';

const world = setupWorld();
const { start, read } = world;

/** A clock is as far behind as before, but for the seconds that a setup takes. */
const toTheMinute = (changes: readonly string[]): string[] =>
  changes.map((each) =>
    each.replace(/\d+ s (?=behind|ahead)/, (text) => `${Math.round(Number.parseInt(text) / 60)} min `),
  );

/** Plans, applies, has nothing left, goes back, and returns what the camera had before, in between and afterwards. */
async function there(
  setups: CameraSetups,
  settings: readonly string[],
  expected: { changes: string[]; byHand: string[] },
) {
  const all = () => Promise.all(settings.map(read));
  const before = await all();
  expect(await setups.plan('cam')).toEqual({ ...expected, isDone: false });
  expect(await all()).toEqual(before);
  expect(await setups.apply('cam')).toEqual({ ...expected, isDone: true });
  const during = await all();
  expect(await setups.plan('cam')).toEqual({ changes: [], byHand: expected.byHand, isDone: false });
  // A second time keeps what was there first.
  await setups.apply('cam');
  const undone = await setups.undo('cam');
  expect(undone.changes).toHaveLength(settings.length === 0 ? 0 : 1);
  return { before, during, after: await all() };
}

describe('a camera that is asked for its clock', () => {
  it.each(['hikvision', 'dahua', 'axis', 'uniview', 'onvif'])('says that %s is ten minutes behind', async (driver) => {
    await start(driver);
    const drivers = createCameraDrivers(cameraDriverDeps(systemClock));
    const camera_ms = await drivers.get(driver)?.readClock?.(world.item, new AbortController().signal);
    expect(Math.round((Date.now() - (camera_ms ?? 0)) / 60_000)).toBe(10);
  });
});

describe('cameras setup', () => {
  it('Dahua: the upload of vehicles and the clock, by digest access', async () => {
    const setups = await start('dahua');
    const upload = '/cgi-bin/configManager.cgi?action=getConfig&name=PictureHttpUpload';
    const { before, during, after } = await there(setups, [upload], {
      changes: [`push of vehicles: from nowhere to ${HERE}`, CLOCK],
      byHand: [],
    });
    expect(during[0]).toContain('UploadServerList[0].Uploadpath=/lpr/dahua/cam/right-key');
    expect(during[0]).toContain('UploadServerList[0].EventType[0]=TrafficJunction');
    expect(after).toEqual(before);
  });

  it('Axis: the next free slot without the event buffer, and the clock', async () => {
    const setups = await start('axis');
    const slots = ['cloud2', 'cloud'].map((name) => `/local/fflprapp/${name}.cgi`);
    const { before, during, after } = await there(setups, slots, {
      changes: [`push slot 2: from empty to ${HERE}, without the event buffer`, CLOCK],
      byHand: [],
    });
    expect(during[0]).toContain('<use_event_buffer>0</use_event_buffer>');
    expect(during[0]).toContain('<event_lost>0</event_lost>');
    expect(during[0]).toContain(`<url>${btoa(`http://${HERE}/lpr/axis/cam/right-key`)}</url>`);
    expect([during[1], after]).toEqual([before[1], before]);
  });

  it('Uniview and ONVIF: the clock, because the gateway asks for the events by itself', async () => {
    for (const driver of ['uniview', 'onvif']) {
      const setups = await start(driver);
      world.item = { ...world.item, push_key: '' };
      await there(setups, [], { changes: [CLOCK], byHand: [] });
    }
  });

  const ZHENSHI = {
    config: `/vb.htm?gethttpconfigall=${encodeURIComponent('{"type":"get_http_cfg"}')}`,
    changes: [
      expect.stringContaining(`push of plates: from nowhere to ${HERE}`) as string,
      expect.stringMatching(/^time zone: from UTC\+08:00 to UTC\+0[12]:00 \(Europe\/Zagreb\)$/) as string,
      CLOCK,
    ],
    byHand: ['switch on its summer time (Europe/Zagreb) on its web page'],
  };

  it('Zhenshi: the push with both pictures, zone and clock; an undo erases nothing', async () => {
    const setups = await start('zhenshi', { username: '', password: '' });
    const { changes, byHand } = ZHENSHI;
    const before = await read(ZHENSHI.config);
    expect(await setups.plan('cam')).toEqual({ changes, byHand, isDone: false });
    expect(await read(ZHENSHI.config)).toBe(before);
    expect(await setups.apply('cam')).toEqual({ changes, byHand, isDone: true });
    expect(await read(ZHENSHI.config)).toContain(btoa('/lpr/zhenshi/cam/right-key'));
    expect(await setups.plan('cam')).toEqual({ changes: [], byHand, isDone: false });
    expect((await setups.undo('cam')).changes).toHaveLength(2);
    expect(await read(ZHENSHI.config)).toBe(before.replace('"retransmission":0', '"retransmission":1'));
    expect((await setups.plan('cam')).changes.slice(0, 2)).toEqual(changes.slice(0, 2));
  });

  it('Zhenshi: logged in by name and password, and again when the page has forgotten it', async () => {
    const setups = await start('zhenshi');
    expect((await setups.apply('cam')).changes).toEqual(ZHENSHI.changes);
    const logIns = () => world.asked.filter((each) => each === 'POST /login.php ').length;
    expect(logIns()).toBe(1);
    const forgetful = [
      new Response(null, { status: 302, headers: { location: '/login.htm' } }),
      new Response(null, { status: 401 }),
      Response.json({ state: 401 }),
    ];
    for (let before = forgetful.length; before > 0; before--) {
      let forgets = true;
      world.instead = ({ url }) => {
        if (!forgets || !url.includes('vb.htm')) return null;
        forgets = false;
        return forgetful.pop() ?? null;
      };
      expect((await setups.plan('cam')).changes).toEqual([]);
    }
    expect([forgetful.length, logIns()]).toEqual([0, 4]);
    await setups.undo('cam');
    expect((await setups.plan('cam')).changes[0]).toContain('push of plates: from nowhere');
  });

  it('Zhenshi: a wrong password is tried once an hour, and a missing one is asked for', async () => {
    const setups = await start('zhenshi');
    const account = world.item;
    world.item = { ...account, password: 'wrong' };
    await expect(setups.plan('cam')).rejects.toThrow('it refuses the user name and password');
    await expect(setups.plan('cam')).rejects.toThrow('it refuses the user name and password');
    expect(world.asked.filter((each) => each.startsWith('POST /login.php'))).toHaveLength(1);
    world.item = { ...account, username: '', password: '' };
    await expect(setups.plan('cam')).rejects.toThrow('asks for a log-in: give it user name and password');
    world.item = account;
    expect((await setups.plan('cam')).changes).toEqual(ZHENSHI.changes);
  });

  it('Zhenshi: logs in where later cameras have it, and says what their page leaves to a person', async () => {
    const setups = await start('zhenshi');
    let logIns = 0;
    world.instead = ({ url, headers }) => {
      if (url.endsWith('/login.php')) return new Response('', { status: 404 });
      if (url.endsWith('/request.php')) {
        logIns++;
        return Response.json({ state: 200, type: 'login' }, { headers: { 'set-cookie': 'sessionID=7; path=/' } });
      }
      return url.endsWith('/') || headers.get('cookie') === 'sessionID=7' ? new Response('?') : null;
    };
    const { changes, byHand } = await setups.plan('cam');
    expect([changes, logIns]).toEqual([[], 1]);
    expect(byHand).toEqual([
      expect.stringContaining('its page does not say how it is set'),
      expect.stringContaining('set its clock and its time zone (Europe/Zagreb)'),
    ]);
    expect(byHand[0]).not.toContain('right-key');
  });

  it('Zhenshi: follows the time server that somebody names, and none after an undo', async () => {
    const setups = await start('zhenshi');
    const wishes = { timeServer: '192.0.2.123' };
    expect((await setups.apply('cam', wishes)).changes.at(-1)).toBe('time server: from none to 192.0.2.123');
    expect((await setups.plan('cam', wishes)).changes).toEqual([]);
    await setups.undo('cam');
    expect((await setups.plan('cam', wishes)).changes.at(-1)).toBe('time server: from none to 192.0.2.123');
  });

  it('never takes what others use', async () => {
    const dahua = await start('dahua');
    await read('/cgi-bin/configManager.cgi?action=setConfig&PictureHttpUpload.UploadServerList[0].Address=192.0.2.8');
    expect((await dahua.plan('cam')).byHand).toEqual([expect.stringContaining('others use every server')]);
    const axis = await start('axis');
    const foreign = `<cloud><url>${btoa('http://192.0.2.8/')}</url></cloud>`;
    world.instead = (request) => (request.url.includes('fflprapp') ? new Response(foreign) : null);
    expect((await axis.plan('cam')).byHand).toEqual([expect.stringContaining('others use all its slots')]);
  });

  it('takes back what it changed where a later change fails, and says what a camera did not keep', async () => {
    const dahua = await start('dahua');
    const upload = '/cgi-bin/configManager.cgi?action=getConfig&name=PictureHttpUpload';
    const before = await read(upload);
    world.instead = (request) => (request.url.includes('setCurrentTime') ? new Response('Error\r\n') : null);
    await expect(dahua.apply('cam')).rejects.toThrow(/^clock: .* does not take .*global\.cgi.* is as it was$/);
    expect(await read(upload)).toBe(before);
    world.instead = (request) => (request.url.includes('setCurrentTime') ? new Response('OK\r\n') : null);
    expect((await dahua.apply('cam')).byHand).toEqual([expect.stringContaining('it did not keep what it was told')]);
    expect(world.asked.some((each) => each.includes('setCurrentTime'))).toBe(true);
  });

  it('takes back what it changed where the camera hangs until the time is over', async () => {
    const limit = new FakeClock();
    const dahua = await start('dahua', ACCOUNT, limit);
    const upload = '/cgi-bin/configManager.cgi?action=getConfig&name=PictureHttpUpload';
    const before = await read(upload);
    world.instead = (request) => (request.url.includes('setCurrentTime') ? new Promise(() => {}) : null);
    const applied = expect(dahua.apply('cam')).rejects.toThrow(/^clock: .* does not answer in time; .* is as it was$/);
    await expect.poll(() => world.asked.some((each) => each.includes('setCurrentTime'))).toBe(true);
    expect(await read(upload)).not.toBe(before);
    await limit.advance(30_000);
    await applied;
    expect(await read(upload)).toBe(before);
  });

  it('says so where it cannot take back what it changed', async () => {
    const dahua = await start('dahua');
    let isDown = false;
    world.instead = (request) => {
      isDown ||= request.url.includes('setCurrentTime');
      return isDown ? new Response('Error\r\n') : null;
    };
    await expect(dahua.apply('cam')).rejects.toThrow(
      /^clock: .*global\.cgi.* could not be taken back .*: an undo will/,
    );
  });

  it('Axis: its slot is known again where the gateway has another address', async () => {
    const axis = await start('axis');
    await axis.apply('cam');
    const slot = '/local/fflprapp/cloud.cgi';
    const own = (await Promise.all([slot, '/local/fflprapp/cloud2.cgi', '/local/fflprapp/cloud3.cgi'].map(read))).find(
      (each) => each.includes('<url>') && atob(/<url>(.*)<\/url>/.exec(each)?.[1] ?? '').includes('/lpr/axis/cam/'),
    );
    expect(own).toBeDefined();
    const moved = own?.replace(
      /<url>(.*)<\/url>/,
      (_, url: string) => `<url>${btoa(atob(url).replace('127.0.0.1', '192.0.2.7'))}</url>`,
    );
    world.instead = (request) =>
      request.method === 'GET' && request.url.includes('fflprapp') ? new Response(moved) : null;
    expect((await axis.plan('cam')).changes).toEqual([
      expect.stringMatching(/^push slot 1: from another address \(192\.0\.2\.7:8090\) to 127\.0\.0\.1:8090/),
    ]);
  });

  it('Dahua and Axis follow the time server that somebody names, and what they had before after an undo', async () => {
    const wishes = { timeServer: '192.0.2.123' };
    for (const [driver, was] of [
      ['dahua', 'none'],
      ['axis', 'none'],
    ] as const) {
      const setups = await start(driver);
      const { changes, byHand } = await setups.apply('cam', wishes);
      expect([driver, changes.at(-1), byHand]).toEqual([driver, `time server: from ${was} to 192.0.2.123`, []]);
      expect((await setups.plan('cam', wishes)).changes).toEqual([]);
      expect((await setups.plan('cam', { timeServer: 'other.example' })).changes).toEqual([
        'time server: from 192.0.2.123 to other.example',
      ]);
      await setups.undo('cam');
      expect((await setups.plan('cam', wishes)).changes.at(-1)).toBe(`time server: from ${was} to 192.0.2.123`);
    }
  });

  it('says of other cameras that a person has to name the time server', async () => {
    const setups = await start('uniview');
    world.item = { ...world.item, push_key: '' };
    expect((await setups.plan('cam', { timeServer: 'ntp.example' })).byHand).toEqual([
      'name ntp.example as its time server on its web page',
    ]);
  });

  it('Axis: its time zone, whose name an undo writes back', async () => {
    const setups = await start('axis');
    world.item = { ...world.item, timezone: 'America/New_York' };
    expect((await setups.apply('cam')).changes[1]).toBe('time zone: from Europe/Zagreb to America/New_York');
    expect((await setups.plan('cam')).changes).toEqual([]);
    await setups.undo('cam');
    expect((await setups.plan('cam')).changes[1]).toBe('time zone: from Europe/Zagreb to America/New_York');
  });

  it('shows a person of each vendor what would change, what did, and the way back', async () => {
    const shown: string[] = [];
    for (const driver of ['hikvision', 'dahua', 'axis', 'onvif', 'uniview', 'zhenshi', 'milesight']) {
      const setups = await start(driver);
      if (['onvif', 'uniview'].includes(driver)) world.item = { ...world.item, push_key: '' };
      const say = (option: string, report: SetupReport): SetupReport => {
        const lines = renderCameraSetup(driver, report).map((line) => `    ${line}`);
        shown.push(`$ parking-agent cameras setup ${driver}${option}`, ...lines);
        return report;
      };
      const plan = say('', await setups.plan('cam'));
      const done = say(' --yes', await setups.apply('cam'));
      expect([driver, toTheMinute(done.changes), done.byHand]).toEqual([
        driver,
        toTheMinute(plan.changes),
        plan.byHand,
      ]);
      expect([driver, say('', await setups.plan('cam')).changes]).toEqual([driver, []]);
      say(' --undo', await setups.undo('cam'));
      // All is as it was, but for clocks, which stay right.
      const others = plan.changes.filter((each) => !each.startsWith('clock: '));
      expect([driver, (await setups.plan('cam')).changes]).toEqual([driver, others]);
    }
    process.stdout.write(`\n${shown.join('\n')}\n`);
    expect(shown.join('\n')).not.toMatch(/right-key|a secret/);
  });
});
