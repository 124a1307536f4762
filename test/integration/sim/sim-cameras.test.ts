import { randomUUID } from 'node:crypto';
import { createHash } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { silentLogger } from '../../../shared/logger.js';
import { type SimCamera, startCamera } from '../../../scripts/sim/cameras/camera.js';
import { hikvisionCamera } from '../../../scripts/sim/cameras/hikvision-camera.js';
import { createVehiclePictures } from '../../../scripts/sim/cameras/vehicle-pictures.js';
import type { CarParkCamera } from '../../../scripts/sim/car-park.js';
import { type HttpListener, listenHttp } from '../../../scripts/sim/http-listener.js';
import { FakeClock } from '../../world/fake-clock.js';
import { waitUntil } from '../../../scripts/sim/wait-until.js';
import { freePorts } from '../../world/free-ports.js';

interface Push {
  path: string;
  contentType: string | null;
  body: string;
}

/** An agent as a camera sees it: an address that answers what it is told to. */
async function startAgent(port: number): Promise<{
  url: string;
  pushes: Push[];
  answer: { status: number };
  close(): Promise<void>;
}> {
  const pushes: Push[] = [];
  const answer = { status: 200 };
  const listener = await listenHttp(
    async (request) => {
      pushes.push({
        path: new URL(request.url).pathname,
        contentType: request.headers.get('content-type'),
        body: Buffer.from(await request.arrayBuffer()).toString('latin1'),
      });
      return new Response(null, { status: answer.status });
    },
    { host: '127.0.0.1', port },
  );
  return { url: `http://127.0.0.1:${port}/`, pushes, answer, close: () => listener.close() };
}

const uuidOf = (push: Push | undefined) => /<UUID>(.+)<\/UUID>/.exec(push?.body ?? '')?.[1];
const retransmissionOf = (push: Push | undefined) => /<isDataRetransmission>(.+)</.exec(push?.body ?? '')?.[1];
const plateOf = (push: Push | undefined) => /<licensePlate>(.+)</.exec(push?.body ?? '')?.[1];

describe('a simulated camera', () => {
  const clock = new FakeClock();
  let agent: Awaited<ReturnType<typeof startAgent>>;
  let config: CarParkCamera;
  let camera: SimCamera;
  const drawVehicle = createVehiclePictures();
  const start = (changes: Partial<CarParkCamera> = {}, agentUrl: string | null = agent.url) =>
    startCamera(
      { ...config, ...changes },
      {
        vendor: hikvisionCamera,
        drawVehicle,
        agentUrl: () => agentUrl,
        brokers: { at: () => Promise.reject(new Error('there is no broker')) },
        clock,
        newUuid: randomUUID,
        logger: silentLogger,
      },
    );

  /**
   * Lets the time between two attempts pass as often as it takes. What is on the wire runs by the real clock, and is waited for: it
   * has more time than that, which must not pass.
   */
  const retryUntil = (done: () => boolean) =>
    waitUntil('the attempt', async () => {
      const nextIn = clock.nextIn ?? Infinity;
      if (!done() && nextIn <= 5_000) await clock.advance(nextIn);
      return done();
    });

  beforeEach(async () => {
    const [port = 0, agentPort = 0] = await freePorts(2);
    agent = await startAgent(agentPort);
    config = {
      device_id: 'cam-in-1',
      name: 'Entry camera',
      driver: 'hikvision',
      address: `http://127.0.0.1:${port}`,
      username: 'admin',
      password: 'secret',
      push_key: 'path/secret',
      timezone: 'Europe/Zagreb',
      lpr_position: 'in',
      plate_side: 'front',
      gateway_uuid: null,
    };
    camera = await start();
  });

  afterEach(async () => {
    await camera.close();
    await agent.close();
  });

  it('posts what it reads to its own address at the agent, and tells the status', async () => {
    expect(await camera.read({ plate: 'ZG1234AB' })).toEqual({ outcome: 'answered', status: 200 });
    const [push] = agent.pushes;
    expect(push?.path).toBe('/lpr/hikvision/cam-in-1/path%2Fsecret');
    expect(push?.contentType).toMatch(/^multipart\/form-data; boundary=/);
    expect(plateOf(push)).toBe('ZG1234AB');
    expect(retransmissionOf(push)).toBe('false');
    // Two whole JPEGs.
    expect(push?.body.match(/\xff\xd8\xff/g)).toHaveLength(2);
  });

  it('gives each event its own id, and repeats one under the same', async () => {
    await camera.read({ plate: 'ZG1' }, { repeat: 2 });
    await camera.read({ plate: 'ZG1' });
    const uuids = agent.pushes.map(uuidOf);
    expect(uuids).toHaveLength(4);
    expect(new Set(uuids.slice(0, 3)).size).toBe(1);
    expect(uuids[3]).not.toBe(uuids[0]);
    expect(agent.pushes.every((push) => retransmissionOf(push) === 'false')).toBe(true);
  });

  it('keeps what the agent did not take and sends it again as the same event, in order, until it is taken', async () => {
    agent.answer.status = 503;
    expect(await camera.read({ plate: 'ZG1' })).toEqual({ outcome: 'answered', status: 503 });
    expect(await camera.read({ plate: 'ZG2' })).toEqual({ outcome: 'answered', status: 503 });
    expect(camera.view().waiting).toBe(2);
    const [first, second] = agent.pushes.map(uuidOf);

    await clock.advance(5_000);
    await expect.poll(() => agent.pushes).toHaveLength(3);
    expect(uuidOf(agent.pushes[2])).toBe(first);
    expect(retransmissionOf(agent.pushes[2])).toBe('true');
    expect(camera.view().waiting).toBe(2);

    agent.answer.status = 200;
    await retryUntil(() => camera.view().waiting === 0);
    expect(agent.pushes.slice(3).map(uuidOf)).toEqual([first, second]);
    expect(agent.pushes.slice(3).map(retransmissionOf)).toEqual(['true', 'true']);
    expect(clock.pending).toBe(0);
  });

  it('tells that the agent is gone, and delivers when it is back', async () => {
    const port = Number(new URL(agent.url).port);
    await agent.close();
    expect(await camera.read({ plate: 'ZG1' })).toMatchObject({
      outcome: 'unreachable',
      reason: expect.stringContaining('ECONNREFUSED'),
    });
    expect(camera.view().waiting).toBe(1);
    const accepted: string[] = [];
    const back: HttpListener = await listenHttp(
      async (request) => {
        accepted.push(await request.text());
        return new Response();
      },
      { host: '127.0.0.1', port },
    );
    await retryUntil(() => camera.view().waiting === 0);
    expect(accepted).toHaveLength(1);
    await back.close();
  });

  it('does not keep what the agent refused', async () => {
    agent.answer.status = 404;
    expect(await camera.read({ plate: 'ZG1' })).toEqual({ outcome: 'answered', status: 404 });
    expect(camera.view().waiting).toBe(0);
  });

  it('drops its oldest event when its memory is full', async () => {
    agent.answer.status = 500;
    await Promise.all(Array.from({ length: 201 }, () => camera.read({ plate: 'ZG1' })));
    expect(camera.view().waiting).toBe(200);
  });

  it('is silent and not to be found while it is offline, and catches up afterwards', async () => {
    agent.answer.status = 500;
    await camera.read({ plate: 'ZG1' });
    agent.answer.status = 200;
    await camera.setOnline(false);
    expect(camera.view()).toMatchObject({ online: false, waiting: 1 });
    expect(await camera.read({ plate: 'ZG2' })).toEqual({ outcome: 'not_sent', reason: 'the camera is offline' });
    await expect(fetch(config.address)).rejects.toThrow();
    await clock.advance(60_000);
    expect(agent.pushes).toHaveLength(1);

    await camera.setOnline(true);
    expect((await fetch(config.address)).status).toBe(401);
    await retryUntil(() => camera.view().waiting === 0);
    expect(agent.pushes).toHaveLength(2);
  });

  it('answers deviceInfo to who knows its account, and to nobody else', async () => {
    const url = `${config.address}/ISAPI/System/deviceInfo`;
    const challenge = await fetch(url);
    expect(challenge.status).toBe(401);
    const header = challenge.headers.get('www-authenticate') ?? '';
    expect(header).toMatch(/^Digest /);

    const answered = await fetch(url, {
      headers: { Authorization: digest(header, 'secret', '/ISAPI/System/deviceInfo') },
    });
    expect(answered.status).toBe(200);
    expect(await answered.text()).toContain('<deviceName>Entry camera</deviceName>');

    for (const wrong of [
      digest(header, 'guess', '/ISAPI/System/deviceInfo'),
      digest(header, 'secret', '/ISAPI/System/other'),
      digest(header.replace(/nonce="[^"]*"/, 'nonce="made up"'), 'secret', '/ISAPI/System/deviceInfo'),
      'Basic YWRtaW46c2VjcmV0',
    ]) {
      expect((await fetch(url, { headers: { Authorization: wrong } })).status).toBe(401);
    }
  });

  it('tells which camera has an address that it cannot take', async () => {
    await expect(start()).rejects.toThrow(/cannot listen on 127\.0\.0\.1:\d+: the port is taken/);
    await expect(start({ address: 'rtsp://127.0.0.1' })).rejects.toThrow(
      'camera cam-in-1: cannot listen on address "rtsp://',
    );
  });

  it('has nobody to send to when its gateway has no agent', async () => {
    const lonely = await start({ address: '' }, null);
    expect(await lonely.read({ plate: 'ZG1' })).toEqual({
      outcome: 'unreachable',
      reason: 'no agent was given for its gateway',
    });
    await lonely.close();
  });
});

const md5 = (text: string) => createHash('md5').update(text).digest('hex');

/** The answer of a client to a challenge, as RFC 7616 has it. */
function digest(challenge: string, password: string, uri: string): string {
  const field = (name: string) => new RegExp(`${name}="([^"]*)"`).exec(challenge)?.[1];
  const [realm, nonce, nc, cnonce] = [field('realm'), field('nonce'), '00000001', 'abcdef01'];
  const response = md5([md5(`admin:${realm}:${password}`), nonce, nc, cnonce, 'auth', md5(`GET:${uri}`)].join(':'));
  return `Digest username="admin", realm="${realm}", nonce="${nonce}", uri="${uri}", qop=auth, nc=${nc}, cnonce="${cnonce}", response="${response}", algorithm=MD5`;
}
