/** The web page of a Zhenshi camera: its log-in by a cookie, where it pushes to, and its clock. */
import { createCipheriv, createDecipheriv } from 'node:crypto';
import { Hono } from 'hono';
import type { CarParkCamera } from '../car-park.js';
import type { SimCameraClock } from './camera-clock.js';
import { MINUTE_MS } from '../../../shared/durations.js';

/** The factory settings. */
const FACTORY_ZONE_MIN = 480;
const SHARED_KEY = '天天';

export function createZhenshiWeb(camera: CarParkCamera, clock: SimCameraClock): Hono {
  const web = new Hono();
  let sessions = 0;
  const isLoggedIn = (cookie = ''): boolean => sessions > 0 && cookie.includes(`sessionID=${sessions}`);
  web.post('/login.php', async (context) => {
    if (camera.username === '') return context.notFound();
    if (accountIn(await context.req.text()) !== `${camera.username}:${camera.password}`) return context.text('ERROR');
    context.header('set-cookie', `sessionID=${++sessions}; path=/`);
    return context.text('OK');
  });
  web.use(async (context, next) => {
    if (camera.username !== '' && !isLoggedIn(context.req.header('cookie'))) return context.redirect('/login.htm');
    return next();
  });
  let config: unknown = {
    centerserver: { enable_ssl: 0, hostname: btoa('192.0.2.9'), http_timeout: 5, port: 80, ssl_port: 443 },
    cs_alarm_plate: {
      big_img: 0,
      enable: 0,
      plate_rlt_level: 0,
      retransmission: 0,
      small_img: 0,
      uri: btoa('/plate'),
    },
    cs_dev_reg: { enable: 0, uri: btoa('/device') },
    http_ip_ext: { IpExt: [] },
  };
  const system: Record<string, Record<string, unknown>> = {
    get_timezone: { timezone: FACTORY_ZONE_MIN },
    get_DST: { CurrentZONE: FACTORY_ZONE_MIN, DST_enable: 0, DST_offset: 30 },
    ss_get_ntp_cfg: { cycle: 600, enable: 0, server: 'clock.example' },
  };
  const zoneMs = () => Number(system.get_timezone?.timezone) * MINUTE_MS;
  const status = { err_msg: 'OK', state: 200, state_code: 200 };
  web.get('/vb.htm', (context) => {
    const { gethttpconfigall, sethttpconfigall, getdate } = context.req.query();
    if (getdate !== undefined) {
      const [day, time = ''] = new Date(clock.now() + zoneMs()).toISOString().split('T');
      return context.text(`OK getdate=${day} Tue\nOK gettime=${time.slice(0, 8)}\n`);
    }
    if (gethttpconfigall !== undefined) return context.text(`OK=${JSON.stringify({ body: config, ...status })}`);
    const given = JSON.parse(sethttpconfigall ?? '{}') as { type?: string; body?: unknown };
    if (given.type !== 'set_http_cfg') return context.text('ERR {"state":400}');
    config = given.body;
    return context.text(`OK ${JSON.stringify({ ...status, type: given.type })}`);
  });
  web.post('/systemjson.php', async (context) => {
    const { type = '', body = {} } = (await context.req.json()) as { type?: string; body?: Record<string, unknown> };
    if (type in system) return context.json({ body: system[type], ...status, type });
    if (type === 'ss_set_timing') {
      clock.set(Date.parse(`${String(body.datetime).replace(' ', 'T')}Z`) - zoneMs());
    } else if (type === 'set_timezone') system.get_timezone = body;
    else if (type === 'ss_set_ntp_cfg') system.ss_get_ntp_cfg = body;
    else return context.json({ state: 400, type });
    return context.json({ ...status, type });
  });
  return web;
}

/** Decodes the log-in of the page to `name:password`. */
function accountIn(disguise: string): string {
  const bytes = Buffer.from(disguise, 'base64');
  const shared = Buffer.concat([Buffer.from(SHARED_KEY), Buffer.alloc(16)]).subarray(0, 16);
  const key = createCipheriv('aes-128-ecb', shared, null).setAutoPadding(false).update(shared);
  const counter = Buffer.concat([bytes.subarray(0, 8), Buffer.alloc(16)]).subarray(0, 16);
  return createDecipheriv('aes-128-ctr', key, counter).update(bytes.subarray(8)).toString();
}
