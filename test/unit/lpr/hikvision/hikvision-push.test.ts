import { describe, expect, it } from 'vitest';
import { hikvisionPush } from '../../../../agent/lpr/hikvision/hikvision-push.js';
import { cameraFixture } from '../camera-fixture.js';
import { type BuiltPart, jpegLike, multipartBody, part, STRICT } from '../multipart-builder.js';

const TYPE = 'multipart/form-data; boundary=MIME_boundary';
const XML = cameraFixture('hikvision', 'anpr-forward.xml');
const JSON_EVENT = cameraFixture('hikvision', 'anpr.json');
const PLATE = jpegLike('the plate');
const DETECTION = jpegLike('the whole scene, larger than the plate');
const VEHICLE = jpegLike('the vehicle, cut out of the scene but with more bytes than it');

const xmlPart = part('anpr.xml', 'application/xml', XML);
const platePart = part('licensePlatePicture.jpg', 'image/jpeg', PLATE);
const detectionPart = part('detectionPicture.jpg', 'image/jpeg', DETECTION);
const vehiclePart = part('vehiclePicture.jpg', 'image/jpeg', VEHICLE);

function parse(body: Uint8Array, contentType = TYPE) {
  return hikvisionPush.parse({ contentType, body, camera: { timezone: 'Europe/Zagreb' } });
}

function picturesOf(...parts: BuiltPart[]) {
  const parsed = parse(multipartBody([xmlPart, ...parts], STRICT));
  if (parsed.kind !== 'read') throw new Error(`expected a read, got ${parsed.kind}`);
  const { full, plate, plate_box } = parsed.read.pictures;
  return { full: full && Buffer.from(full), plate: plate && Buffer.from(plate), plate_box };
}

describe('a Hikvision push', () => {
  it.each([
    ['as documented', [xmlPart, platePart, detectionPart, vehiclePart]],
    ['pictures first', [vehiclePart, detectionPart, platePart, xmlPart]],
    ['mixed', [detectionPart, xmlPart, vehiclePart, platePart]],
  ])('is read with its parts %s', (_, parts) => {
    const parsed = parse(multipartBody(parts, STRICT));
    expect(parsed).toMatchObject({ kind: 'read', read: { raw_plate: 'ZG4821AB' } });
    if (parsed.kind !== 'read') return;
    expect(Buffer.from(parsed.read.pictures.full ?? [])).toEqual(DETECTION);
    expect(Buffer.from(parsed.read.pictures.plate ?? [])).toEqual(PLATE);
    expect(parsed.read.pictures.plate_box).toEqual({ x: 0.5, y: 0.25, width: 0.1, height: 0.05 });
  });

  it.each([
    ['bare', Buffer.from(JSON_EVENT), 'application/json'],
    ['bare, called XML', Buffer.from(JSON_EVENT), 'application/xml'],
    ['below its name', Buffer.from(`{"EventNotificationAlert":${JSON_EVENT}}`), 'application/json'],
    ['as a part', multipartBody([part('anpr.json', 'application/json', JSON_EVENT), platePart], STRICT), TYPE],
    ['as a part behind its picture', multipartBody([platePart, part('anpr', '', JSON_EVENT)], STRICT), TYPE],
  ])('is read as JSON too, %s', (_, body, contentType) => {
    const parsed = parse(body, contentType);
    expect(parsed).toMatchObject({
      kind: 'read',
      read: {
        raw_plate: 'ZG4821AB',
        vendor_event_id: '6a1f0c1e-1111-4000-8000-0123456789ab',
        confidence: 0.96,
        movement: 'towards',
        camera_time: { epoch_ms: Date.UTC(2026, 0, 15, 12), offset_min: 60 },
        retransmission: false,
        channels: ['1'],
      },
    });
    expect(parsed.kind === 'read' && parsed.read.pictures.plate !== null).toBe(contentType === TYPE);
  });

  it('knows a retransmission in JSON', () => {
    const body = Buffer.from(JSON_EVENT.replace('"UUID"', '"isDataRetransmission":true,"UUID"'));
    expect(parse(body, 'application/json')).toMatchObject({ kind: 'read', read: { retransmission: true } });
  });

  it('knows pictures by name or filename, whichever tells', () => {
    const oddPlate = part('image1', 'image/pjpeg', PLATE, 'licensePlatePicture.jpg');
    const oddScene = part('detectionPicture', 'application/octet-stream', DETECTION, '0002.jpg');
    expect(picturesOf(oddScene, oddPlate)).toMatchObject({ full: DETECTION, plate: PLATE });
  });

  it('takes the vehicle picture, without the box of the scene, where there is no other', () => {
    expect(picturesOf(vehiclePart)).toEqual({ full: VEHICLE, plate: null, plate_box: null });
  });

  it('takes an unnamed picture as the full one, and never a part that is no JPEG', () => {
    expect(picturesOf(part('x', 'image/jpeg', VEHICLE), part('detectionPicture.jpg', 'image/jpeg', 'no JPEG'))).toEqual(
      {
        full: VEHICLE,
        plate: null,
        plate_box: null,
      },
    );
  });

  it('offers the scene, or what is cut out of it, where no picture was sent', () => {
    const offering = cameraFixture('hikvision', 'anpr-picture-addresses.xml');
    const of = (xml: string, ...parts: BuiltPart[]) => {
      const parsed = parse(multipartBody([part('anpr.xml', 'application/xml', xml), ...parts], STRICT));
      if (parsed.kind !== 'read') throw new Error(`expected a read, got ${parsed.kind}`);
      const { full_address, plate_box, full } = parsed.read.pictures;
      return { address: full_address?.replace(/^.*name=/, ''), hasBox: plate_box !== null, isSent: full !== null };
    };
    const without = (name: string) =>
      offering.replace(new RegExp(`<pictureInfo>\\s*<fileName>${name}[\\s\\S]*?</pictureInfo>`), '');
    expect(of(offering)).toEqual({ address: 'scene&size=262144', hasBox: true, isSent: false });
    expect(of(without('detection'))).toEqual({ address: 'vehicle&size=65536', hasBox: false, isSent: false });
    expect(of(offering, platePart)).toEqual({ address: 'scene&size=262144', hasBox: true, isSent: false });
    expect(of(offering, detectionPart)).toEqual({ address: undefined, hasBox: true, isSent: true });
    // A box of the scene does not lie in what was cut out of it and sent.
    expect(of(offering, vehiclePart)).toEqual({ address: undefined, hasBox: false, isSent: true });
  });

  it('is read without pictures, with the XML under any name and type', () => {
    const odd = part('event', 'application/octet-stream', `\ufeff\r\n${XML}`);
    expect(parse(multipartBody([odd], STRICT))).toMatchObject({ kind: 'read', read: { pictures: { full: null } } });
  });

  it('is read as bare XML, whatever the content type says', () => {
    for (const contentType of ['application/xml; charset="UTF-8"', 'text/xml', '', 'multipart/form-data; boundary=x']) {
      expect(parse(Buffer.from(XML), contentType)).toMatchObject({ kind: 'read' });
    }
  });

  it('is read as multipart when the content type is missing', () => {
    expect(parse(multipartBody([xmlPart, platePart], STRICT), '')).toMatchObject({ kind: 'read' });
  });

  it('is answered with an empty 200', () => {
    expect(hikvisionPush.accepted).toEqual({ status: 200, contentType: null, body: '' });
  });
});
