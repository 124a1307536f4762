import * as fc from '../../property.js';
import { describe, expect, it } from 'vitest';
import { type ArrivingRequest, createConnectionSeats } from '../../../agent/console/connection-seats.js';

const CAMERA = '192.0.2.21';
const STRANGER = '198.51.100.7';
const limits = { known: { perAddress: 4, inAll: 8 }, unknown: { perAddress: 2, inAll: 4 } };

/** A request that has arrived, and one of which more is to come. */
const whole = (): ArrivingRequest => ({ complete: true });
const half = (): ArrivingRequest => ({ complete: false });

function seats() {
  return createConnectionSeats<string>({ isKnown: (address) => address.startsWith('192.0.2.'), limits });
}

describe('the places for connections', () => {
  it('go to the new connection from the oldest idle one of a full share', () => {
    const places = seats();
    expect([places.add('a', STRANGER), places.add('b', STRANGER)]).toEqual([null, null]);
    const request = whole();
    places.beginRequest('a', request);
    expect(places.add('c', STRANGER)).toBe('b');
    places.endRequest('a', request);
    expect(places.add('d', STRANGER)).toBe('c');
    expect(places.add('e', STRANGER)).toBe('a');
  });

  it('are none for the new one while all of its address are at work', () => {
    const places = seats();
    for (const name of ['a', 'b']) {
      places.add(name, STRANGER);
      places.beginRequest(name, whole());
    }
    expect(places.add('c', STRANGER)).toBe('c');
    expect(places.size).toBe(2);
  });

  it('are taken from who sends slowly when none of its address is idle, the longest under way first', () => {
    const places = seats();
    for (const name of ['a', 'b', 'c', 'd']) places.add(name, CAMERA);
    for (const name of ['b', 'a', 'c', 'd']) places.beginRequest(name, half());
    expect(places.add('push', CAMERA)).toBe('b');
    places.beginRequest('push', whole());
    expect(places.add('next', CAMERA)).toBe('a');
    expect(places.add('another', CAMERA)).toBe('next');
  });

  it('are kept by who has sent a whole request before the one that arrives', () => {
    const places = seats();
    for (const name of ['a', 'b', 'c', 'd']) places.add(name, CAMERA);
    for (const name of ['a', 'b', 'c', 'd']) places.beginRequest(name, half());
    places.beginRequest('a', whole());
    expect(places.add('push', CAMERA)).toBe('b');
  });

  it('are free for a third address when slow requests of two hold them', () => {
    const places = seats();
    for (let at = 0; at < 8; at++) {
      places.add(`slow ${at}`, `192.0.2.${at % 2}`);
      places.beginRequest(`slow ${at}`, half());
    }
    expect(places.add('push', CAMERA)).toBe('slow 0');
  });

  it('are taken from the address that holds most when all are full', () => {
    const places = seats();
    places.add('first', '198.51.100.1');
    for (const name of ['a', 'b']) places.add(name, STRANGER);
    places.add('second', '198.51.100.2');
    expect(places.add('third', '198.51.100.3')).toBe('a');
    expect(places.add('fourth', '198.51.100.4')).toBe('first');
  });

  it('are never taken from cameras by unknown clients', () => {
    const places = seats();
    for (let at = 0; at < 4; at++) expect(places.add(`camera ${at}`, CAMERA)).toBeNull();
    const evicted = Array.from({ length: 100 }, (_, at) => places.add(`stranger ${at}`, `198.51.100.${at}`));
    expect(evicted.filter((name) => name?.startsWith('camera'))).toEqual([]);
    expect(places.size).toBe(8);
    expect(places.add('another camera', '192.0.2.22')).toBeNull();
  });

  it('count the addresses of a /64 as one, and those of IPv4 in IPv6 as IPv4', () => {
    const places = seats();
    expect(places.add('a', '2001:db8::1')).toBeNull();
    expect(places.add('b', '2001:db8:0:0:ffff::2')).toBeNull();
    expect(places.add('c', '2001:db8::3')).toBe('a');
    expect(places.add('d', '2001:db8:0:1::1')).toBeNull();
    expect(places.add('e', `::ffff:${STRANGER}`)).toBeNull();
    expect(places.add('f', STRANGER)).toBe('b');
  });

  it('are never more than there are, and one that has to be answered never loses its own', () => {
    const step = fc.record({
      kind: fc.constantFrom('add', 'begin', 'arrive', 'end', 'remove'),
      address: fc.constantFrom(CAMERA, '192.0.2.22', STRANGER, '198.51.100.8', '2001:db8::1'),
      which: fc.nat(30),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
        const places = seats();
        const requests = new Map<string, { complete: boolean }[]>();
        const of = (name: string) => requests.get(name) ?? [];
        const open: string[] = [];
        for (const [at, { kind, address, which }] of steps.entries()) {
          const one = open[which % Math.max(1, open.length)];
          if (kind === 'add') {
            open.push(`${at}`);
            const leaving = places.add(`${at}`, address);
            expect(of(leaving ?? '').some(({ complete }) => complete)).toBe(false);
            if (leaving !== null) open.splice(open.indexOf(leaving), 1);
          } else if (one !== undefined && kind === 'begin') {
            const request = { complete: false };
            places.beginRequest(one, request);
            requests.set(one, [...of(one), request]);
          } else if (one !== undefined && kind === 'arrive') {
            for (const request of of(one)) request.complete = true;
          } else if (one !== undefined && kind === 'end') {
            const [request, ...others] = of(one);
            if (request !== undefined) places.endRequest(one, request);
            requests.set(one, others);
          } else if (one !== undefined && kind === 'remove') {
            places.remove(one);
            open.splice(open.indexOf(one), 1);
          }
          expect(places.size).toBe(open.length);
          expect(places.size).toBeLessThanOrEqual(12);
        }
      }),
    );
  });
});
