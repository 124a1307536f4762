import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ALERT_ANSWER } from '../../../cloud/guests/alert/alert-resource.js';
import { GUARD_TOKEN } from '../http/http-site.js';
import { ADMIN_TOKEN, type RestWorld, RIVAL_TOKEN, startRestWorld } from '../http/rest-world.js';

const PATH = '/v2/license-plate-alerts';
const desk = { name: 'Desk', receiver_email: 'desk@harbour.example' };
const night = { name: 'Night', receiver_email: 'night@harbour.example' };

describe('license plate alerts over REST', () => {
  let world: RestWorld;
  beforeAll(async () => {
    world = await startRestWorld();
  });
  afterAll(() => world.cloud.close());

  const make = async (body: object, token?: string) =>
    ALERT_ANSWER.schema.parse(await world.post(PATH, { name: 'Alert', ...body }, token));
  const idsOf = (query: string, token?: string) => world.ids(`${PATH}?size=300&${query}`, token);

  it('mail of a plate that somebody types, as of one that a camera reads', async () => {
    const { site, cloud } = world;
    const alert = await make({ plates: ['KA 7-TYPED'], zone_id: site.zone, receivers: [desk] });
    const typed = async (zone_id: number, entry_license_plate: string) => {
      const { id } = await world.post<{ id: number }>('/v2/sessions', { zone_id, entry_license_plate });
      await world.post(`/v2/sessions/${id}/close`, {});
    };
    await typed(site.zone, 'ka7typed');
    await typed(site.southZone, 'KA 7 TYPED');
    const mails = await cloud.store.reader.selectFrom('mails').selectAll().execute();
    expect(mails).toMatchObject([{ kind: 'alert', receiver_email: desk.receiver_email, lot_id: site.north }]);
    expect(JSON.parse(mails[0]?.content ?? '')).toMatchObject({
      alert_name: 'Alert',
      plate: 'ka7typed',
      camera_name: null,
      access_decision: null,
      image_uid: null,
    });
    await world.remove(`${PATH}/${alert.id}`);
  });

  it('are made, read, changed in part and deleted with what they were', async () => {
    const { zone } = world.site;
    // Gateways were told of sessions before.
    world.notified();
    const plain = await make({ name: 'Plain' });
    expect(plain).toMatchObject({ plates: [], min_minutes_between_emails: 30, zone: null, receivers: [] });
    const body = { name: 'Stolen', plates: ['st0-len1', 'ZG 2'], min_minutes_between_emails: 5, zone_id: zone };
    const alert = await make({ ...body, receivers: [desk, night] });
    expect(Object.keys(alert).toSorted()).toEqual(
      [
        'id',
        'name',
        'created_at',
        'updated_at',
        'plates',
        'min_minutes_between_emails',
        'zone',
        'receivers',
      ].toSorted(),
    );
    const { zone_id, ...shown } = body;
    expect(alert).toMatchObject({ ...shown, zone: { id: zone_id, name: 'Level 0' } });
    expect(alert.receivers).toEqual([
      { id: expect.any(Number), ...desk },
      { id: expect.any(Number), ...night },
    ]);
    const path = `${PATH}/${alert.id}`;
    expect(await world.get(path)).toEqual(alert);

    await world.cloud.clock.advance(1_000);
    const renamed = await world.patch(path, { name: 'Wanted' });
    expect(renamed).toEqual({ ...alert, name: 'Wanted', updated_at: expect.not.stringMatching(alert.updated_at) });
    // Who stays among the receivers keeps its id.
    const day = { name: 'Day', receiver_email: 'DESK@harbour.example' };
    const last = { name: 'Last', receiver_email: 'last@harbour.example' };
    const changed = ALERT_ANSWER.schema.parse(
      await world.patch(path, { receivers: [last, day], plates: ['ZG 2'], zone_id: null }),
    );
    expect(changed).toMatchObject({ plates: ['ZG 2'], zone: null, min_minutes_between_emails: 5 });
    expect(changed.receivers).toEqual([
      { id: alert.receivers[0]?.id, name: 'Day', receiver_email: 'desk@harbour.example' },
      { id: expect.any(Number), ...last },
    ]);
    expect(await world.remove(path)).toEqual(changed);
    expect(await world.refused('GET', path)).toEqual([404, '6']);
    await world.remove(`${PATH}/${plain.id}`);
    // No gateway knows of alerts.
    expect(world.notified()).toEqual([]);
  });

  it('lose a receiver, and answer what is left of them', async () => {
    const alert = await make({ receivers: [desk, night] });
    const other = await make({ receivers: [desk] });
    const [first, second] = alert.receivers;
    const receiver = (of: number, id: unknown) => `${PATH}/${of}/receivers/${String(id)}`;
    expect(await world.refused('DELETE', receiver(other.id, first?.id))).toEqual([404, '6']);
    expect(await world.refused('DELETE', receiver(alert.id, 'x'))).toEqual([404, '6']);
    expect(await world.refused('DELETE', receiver(alert.id, first?.id), undefined, RIVAL_TOKEN)).toEqual([404, '6']);
    expect(await world.refused('DELETE', receiver(alert.id, first?.id), undefined, GUARD_TOKEN)).toEqual([403, '4']);
    expect(await world.remove(receiver(alert.id, first?.id))).toMatchObject({ id: alert.id, receivers: [second] });
    expect(await world.refused('DELETE', receiver(alert.id, first?.id))).toEqual([404, '6']);
    expect(await world.get(`${PATH}/${other.id}`)).toMatchObject({ receivers: other.receivers });
    for (const { id } of [alert, other]) await world.remove(`${PATH}/${id}`);
  });

  it('refuse every wrong field at once', async () => {
    const { site } = world;
    const wrong = {
      name: '',
      plates: ['ZG1', '---', 'zg-1'],
      min_minutes_between_emails: -1,
      zone_id: site.rivalZone,
      receivers: [desk, { name: 'x', receiver_email: 'nobody' }, { ...desk, name: 'Again' }, { name: 'y' }],
      colour: 'red',
    };
    const [status, ...errors] = await world.refused('POST', PATH, wrong);
    expect(status).toBe(422);
    expect(new Set(errors)).toEqual(
      new Set([
        '23 name',
        '23 plates.1',
        '23 plates.2',
        '23 min_minutes_between_emails',
        '23 receivers.1.receiver_email',
        '23 receivers.3.receiver_email',
        '23 colour',
        '23 zone_id',
      ]),
    );
    const twice = { name: 'A', plates: ['ZG1', 'zg-1'], receivers: [desk, { ...desk, name: 'Again' }] };
    expect(await world.refused('POST', PATH, twice)).toEqual([422, '23 plates.1', '23 receivers.1.receiver_email']);
    expect(await world.refused('POST', PATH)).toEqual([422, '23 name']);
    for (const zone_id of [999_999, site.rivalZone, site.southZone]) {
      expect(await world.refused('POST', PATH, { name: 'A', zone_id }, ADMIN_TOKEN)).toEqual([422, '23 zone_id']);
    }
    const alert = await make({});
    expect(await world.refused('PATCH', `${PATH}/${alert.id}`, { plates: null, id: 1 })).toEqual([
      422,
      '23 plates',
      '23 id',
    ]);
    await world.remove(`${PATH}/${alert.id}`);
  });

  it('many plates and receivers fit into one', async () => {
    const plates = Array.from({ length: 3_000 }, (_, at) => `ZG ${at}`);
    const receivers = Array.from({ length: 1_200 }, (_, at) => ({ name: 'R', receiver_email: `r${at}@x.example` }));
    // A body has 64 KiB at most.
    const { id } = await make({ plates });
    const alert = ALERT_ANSWER.schema.parse(await world.patch(`${PATH}/${id}`, { receivers }));
    expect([alert.plates, alert.receivers.length]).toEqual([plates, 1_200]);
    const few = ALERT_ANSWER.schema.parse(
      await world.patch(`${PATH}/${alert.id}`, { receivers: receivers.slice(1_100) }),
    );
    expect(few.receivers).toEqual(alert.receivers.slice(1_100));
    await world.remove(`${PATH}/${alert.id}`);
  });

  it('are listed by lot, zone, name and plate', async () => {
    const { site } = world;
    const all = await make({ name: 'C', plates: ['MM-1', 'XX 9'] });
    const north = await make({ name: 'B', plates: ['aa 1'], zone_id: site.zone });
    const south = await make({ name: 'A', plates: [], zone_id: site.southZone });
    const everywhere = [all.id, north.id, south.id];
    expect(await idsOf('sort=id:asc')).toEqual(everywhere);
    expect(await idsOf('sort=name:asc')).toEqual(everywhere.toReversed());
    expect(await idsOf('sort=plate:asc')).toEqual([south.id, north.id, all.id]);
    expect(await idsOf('sort=plate:desc')).toEqual([all.id, north.id, south.id]);
    expect(await idsOf(`filter=lot_id:eq:${site.north}`)).toEqual([north.id]);
    expect(await idsOf(`filter=zone_id:eq:${site.southZone}`)).toEqual([south.id]);
    expect(await idsOf('filter=zone_id:isnull')).toEqual([all.id]);
    expect(await idsOf('filter=name:like:b')).toEqual([north.id]);
    expect(await idsOf(`filter=account_id:eq:${site.harbour}&sort=id:asc`)).toEqual(everywhere);
    expect(await idsOf('filter=plate:eq:xx-9')).toEqual([all.id]);
    expect(await idsOf('filter=plate:like:a1')).toEqual([north.id]);
    expect(await idsOf('filter=plate:in:AA1,MM1&sort=id:asc')).toEqual([all.id, north.id]);
    // Of several plates none may be the one that is denied.
    expect(await idsOf('filter=plate:neq:MM1&sort=id:asc')).toEqual([north.id, south.id]);
    expect(await idsOf('filter=plate:nin:AA1,MM1')).toEqual([south.id]);
    expect(await idsOf('filter=plate:nlike:x')).toEqual([south.id, north.id]);
    expect(await idsOf('filter=plate:isnull')).toEqual([south.id]);
    expect(await idsOf('filter=plate:isnotnull&sort=id:asc')).toEqual([all.id, north.id]);
    expect(await world.refused('GET', `${PATH}?filter=receiver:eq:1`)).toEqual([422, '23 filter']);
    expect(await world.refused('GET', `${PATH}?sort=zone_id:asc`)).toEqual([422, '23 sort']);
    // Those of lots that are not assigned are not there; those of all zones are.
    for (const token of [ADMIN_TOKEN, GUARD_TOKEN]) {
      expect(await idsOf('sort=id:asc', token)).toEqual([all.id, north.id]);
      expect(await world.refused('GET', `${PATH}/${south.id}`, undefined, token)).toEqual([404, '6']);
    }
    expect(await idsOf('', RIVAL_TOKEN)).toEqual([]);
    // An alert must not widen to all zones because its zone went.
    await world.remove(`/v2/zones/${site.southZone}`);
    expect(await idsOf('sort=id:asc')).toEqual([all.id, north.id]);
  });
});
