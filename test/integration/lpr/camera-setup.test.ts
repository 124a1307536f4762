/** A camera is set up for the gateway, and back to what it was. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { type CameraSetups } from '../../../agent/lpr/setup/camera-setups.js';
import { ACCOUNT, client, setupWorld } from './setup-world.js';

const SETTINGS = [
  '/ISAPI/Event/notification/httpHosts',
  '/ISAPI/Event/triggers/vehicledetection-1',
  '/ISAPI/System/time',
];

/** The camera's clock goes on. */
const untimed = (setting: string): string => setting.replace(/<localTime>[^<]*</, '<localTime><');

describe('cameras setup', () => {
  const world = setupWorld();
  let setups: CameraSetups;
  const all = () => Promise.all(SETTINGS.map(world.read));

  beforeEach(async () => {
    setups = await world.start('hikvision');
  });

  it('says what it would change, changes it, has nothing left to change, and undoes it', async () => {
    const before = await all();
    const plan = await setups.plan('cam');
    expect(plan).toEqual({
      changes: [
        'push slot 2: from empty to 127.0.0.1:8090',
        'plate recognition: notifies the centre, which is this gateway',
        expect.stringMatching(/^clock: it is (599|60\d) s behind$/),
      ],
      byHand: [],
      isDone: false,
    });
    expect((await all()).map(untimed)).toEqual(before.map(untimed));
    expect(await setups.apply('cam')).toMatchObject({ isDone: true, changes: { length: 3 } });
    const [hosts = '', trigger = '', time = ''] = await all();
    expect(hosts).toContain('<url>/lpr/hikvision/cam/right-key</url>');
    expect(hosts).toContain('<url>/their/system</url>');
    expect(trigger).toContain('<notificationMethod>center</notificationMethod>');
    const local = /<localTime>(.*)<\/localTime>/.exec(time)?.[1] ?? '';
    expect(Math.abs(Date.parse(local) - Date.now())).toBeLessThan(10_000);
    expect(await setups.plan('cam')).toEqual({ changes: [], byHand: [], isDone: false });
    // The old bodies may name other systems: nobody else reads them.
    expect(readdirSync(world.folder)).toEqual(['cam.json']);
    expect(statSync(join(world.folder, 'cam.json')).mode & 0o777).toBe(0o600);
    // The clock stays right.
    expect((await setups.undo('cam')).changes).toHaveLength(2);
    const after = (await all()).map((body) => body.replaceAll(/>\s+</g, '><').trim());
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(await setups.undo('cam')).toEqual({ changes: [], byHand: [], isDone: true });
  });

  it('sets its time zone with its summer time, and the time server that somebody names, which an undo takes back', async () => {
    world.item = { ...world.item, timezone: 'America/New_York' };
    const wishes = { timeServer: '192.0.2.123' };
    const { changes, byHand } = await setups.apply('cam', wishes);
    expect([changes.slice(2), byHand]).toEqual([
      [
        expect.stringMatching(/^time zone: America\/New_York in place of an offset of (60|120) minutes$/),
        'time server: 192.0.2.123',
        'clock: follows the time server',
      ],
      [],
    ]);
    const time = await world.read('/ISAPI/System/time');
    expect(time).toContain('<timeZone>CST+5:00:00DST01:00:00,M3.2.0/02:00:00,M11.1.0/02:00:00</timeZone>');
    expect(time).toContain('<timeMode>NTP</timeMode>');
    expect(Math.abs(Date.parse(/<localTime>(.*)<\/localTime>/.exec(time)?.[1] ?? '') - Date.now())).toBeLessThan(
      10_000,
    );
    expect(await world.read('/ISAPI/System/time/ntpServers/1')).toContain('<ipAddress>192.0.2.123</ipAddress>');
    expect(await setups.plan('cam', wishes)).toEqual({ changes: [], byHand: [], isDone: false });
    await setups.undo('cam');
    expect(await world.read('/ISAPI/System/time')).toContain('<timeMode>manual</timeMode>');
    expect(await world.read('/ISAPI/System/time/ntpServers/1')).toContain('<hostName>clock.example</hostName>');
  });

  it('never takes a slot that somebody uses', async () => {
    await client.ask(world.item, {
      method: 'PUT',
      path: '/ISAPI/Event/notification/httpHosts/2',
      body: '<HttpHostNotification><id>2</id><url>/another</url><ipAddress>192.0.2.8</ipAddress></HttpHostNotification>',
      signal: new AbortController().signal,
    });
    expect((await setups.plan('cam')).byHand).toEqual([expect.stringContaining('no free slot')]);
  });

  it('says what is wrong: the account, the key, the name', async () => {
    world.item = { ...world.item, password: 'wrong' };
    await expect(setups.plan('cam')).rejects.toThrow('refuses the user name and password');
    world.item = { ...world.item, ...ACCOUNT, push_key: '' };
    await expect(setups.plan('cam')).rejects.toThrow('has no push_key');
    await expect(setups.plan('other')).rejects.toThrow('cameras list shows them');
  });

  it('leaves to a person what the vendor offers no way for', async () => {
    world.item = { ...world.item, driver: 'milesight' };
    const { changes, byHand } = await setups.plan('cam');
    expect([changes, byHand]).toEqual([
      [],
      [
        expect.stringContaining('http://127.0.0.1:8090/lpr/milesight/cam/KEY'),
        expect.stringContaining('Europe/Zagreb'),
      ],
    ]);
    expect((await setups.plan('cam', { timeServer: 'ntp.example' })).byHand[1]).toContain('(ntp.example)');
  });
});
