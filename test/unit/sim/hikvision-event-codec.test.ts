import { XMLParser, XMLValidator } from 'fast-xml-parser';
import { describe, expect, it } from 'vitest';
import type { CameraEvent } from '../../../scripts/sim/cameras/camera-vendor.js';
import {
  cameraTime,
  encodeHikvisionEvent,
  hikvisionDirection,
} from '../../../scripts/sim/cameras/hikvision-event-codec.js';
import type { CarParkCamera } from '../../../scripts/sim/car-park.js';

const camera: CarParkCamera = {
  device_id: 'cam-in-1',
  name: 'Entry & "side"',
  driver: 'hikvision',
  address: 'http://127.0.0.1:9001',
  username: 'admin',
  password: 'secret',
  push_key: 'k',
  timezone: 'Europe/Zagreb',
  lpr_position: 'in',
  plate_side: 'front',
  gateway_uuid: null,
};
const event: CameraEvent = {
  uuid: '0f8fad5b-d9cb-469f-a165-70867728950e',
  wallMs: Date.UTC(2026, 6, 1, 8, 30, 5, 42),
  read: { plate: 'ZG1234AB', direction: 'in' },
  pictures: {
    color: 'blue',
    scene: Buffer.from('scene'),
    plate: Buffer.from('plate'),
    plateBox: { x: 0.417, y: 0.652, width: 0.1656, height: 0.0667 },
  },
};

describe('hikvisionDirection', () => {
  // A camera that sees front plates has its own direction coming towards it; one that sees rear plates, driving away.
  it.each([
    ['in', 'front', 'in', 'forward'],
    ['in', 'front', 'out', 'reverse'],
    ['in', 'rear', 'in', 'reverse'],
    ['in', 'rear', 'out', 'forward'],
    ['out', 'front', 'out', 'forward'],
    ['out', 'front', 'in', 'reverse'],
    ['out', 'rear', 'out', 'reverse'],
    ['out', 'rear', 'in', 'forward'],
    ['in/out', 'front', 'in', 'forward'],
    ['in/out', 'front', 'out', 'reverse'],
    ['in/out', 'rear', 'in', 'reverse'],
    ['in/out', 'rear', 'out', 'forward'],
  ] as const)('%s camera on %s plates: a vehicle going %s moves %s', (lpr_position, plate_side, wish, expected) => {
    expect(hikvisionDirection({ lpr_position, plate_side }, wish)).toBe(expected);
  });

  it('goes the own way of the camera when nothing is asked for', () => {
    expect(hikvisionDirection({ lpr_position: 'out', plate_side: 'rear' }, undefined)).toBe('reverse');
    expect(hikvisionDirection({ lpr_position: 'in', plate_side: 'front' }, undefined)).toBe('forward');
    expect(hikvisionDirection({ lpr_position: 'in/out', plate_side: 'front' }, undefined)).toBe('unknown');
    expect(hikvisionDirection({ lpr_position: 'in', plate_side: 'front' }, 'undefined')).toBe('unknown');
  });
});

describe('cameraTime', () => {
  it('is local time with the offset of the zone on that day', () => {
    expect(cameraTime(Date.UTC(2026, 6, 1, 22, 30, 5, 42), 'Europe/Zagreb').iso).toBe('2026-07-02T00:30:05.042+02:00');
    expect(cameraTime(Date.UTC(2026, 0, 1, 8, 0, 0, 0), 'Europe/Zagreb').iso).toBe('2026-01-01T09:00:00.000+01:00');
    expect(cameraTime(Date.UTC(2026, 0, 1, 2, 0, 0, 0), 'America/St_Johns').iso).toBe('2025-12-31T22:30:00.000-03:30');
    expect(cameraTime(Date.UTC(2026, 0, 1, 8, 0, 0, 7), 'UTC')).toEqual({
      iso: '2026-01-01T08:00:00.007+00:00',
      digits: '20260101080000007',
    });
  });
});

describe('encodeHikvisionEvent', () => {
  it('is a multipart body of the alert and two pictures, each with its length', () => {
    const { contentType, body } = encodeHikvisionEvent(camera, event, {
      macAddress: '02:00:00:00:00:01',
      retransmission: false,
    });
    const parts = split(contentType, body);
    expect(parts.map(({ header }) => header)).toEqual([
      'Content-Disposition: form-data;name="anpr.xml";filename="anpr.xml"\r\nContent-Type: application/xml',
      'Content-Disposition: form-data;name="licensePlatePicture.jpg";filename="licensePlatePicture.jpg"\r\nContent-Type: image/jpeg',
      'Content-Disposition: form-data;name="detectionPicture.jpg";filename="detectionPicture.jpg"\r\nContent-Type: image/jpeg',
    ]);
    expect(parts[1]?.content.toString()).toBe('plate');
    expect(parts[2]?.content.toString()).toBe('scene');
  });

  it('tells the read in the words of the vendor', () => {
    const alert = alertOf(event, false);
    expect(alert).toMatchObject({
      ipAddress: '127.0.0.1',
      portNo: '9001',
      macAddress: '02:00:00:00:00:01',
      dateTime: '2026-07-01T10:30:05.042+02:00',
      eventType: 'ANPR',
      eventState: 'active',
      channelName: 'Entry & "side"',
      UUID: event.uuid,
      picNum: '2',
      isDataRetransmission: 'false',
      countryAbbreviation: 'NON',
    });
    expect(alert.ANPR).toMatchObject({
      country: '0',
      licensePlate: 'ZG1234AB',
      originalLicensePlate: 'ZG1234AB',
      direction: 'forward',
      confidenceLevel: '97',
      plateCharBelieve: '97,97,97,97,97,97,97,97',
      vehicleType: 'vehicle',
      twoWheelVehicle: 'no',
      vehicleInfo: { color: 'blue', vehicleLogoRecog: '0' },
    });
    const [plate, scene] = alert.ANPR.pictureInfoList.pictureInfo;
    expect(plate).toMatchObject({ fileName: 'licensePlatePicture.jpg', absTime: '20260701103005042' });
    expect(plate).not.toHaveProperty('plateRect');
    expect(scene).toMatchObject({
      type: 'detectionPicture',
      plateRect: { X: '417', Y: '652', width: '166', height: '67' },
    });
  });

  it('takes what is asked for, and marks what is sent again', () => {
    const read = {
      plate: '<&">Ж1',
      direction: 'out',
      confidence: 0.505,
      type: 'motorcycle',
      make: 'Skoda',
      color: 'silver & gold',
      country_code: 'hr',
    } as const;
    const alert = alertOf({ ...event, read }, true);
    expect(alert).toMatchObject({ isDataRetransmission: 'true', UUID: event.uuid, countryAbbreviation: 'HRV' });
    expect(alert.ANPR).toMatchObject({
      country: '19',
      CRIndex: '19',
      licensePlate: '<&">Ж1',
      direction: 'reverse',
      confidenceLevel: '51',
      vehicleType: 'twoWheelVehicle',
      twoWheelVehicle: 'yes',
      vehicleInfo: { color: 'silver & gold', vehicleLogoRecog: '18' },
    });
  });
});

/** Parts by their Content-Length, as a reader must take them whose pictures may contain the boundary. */
function split(contentType: string, body: Buffer): { header: string; content: Buffer }[] {
  const boundary = contentType.replace('multipart/form-data; boundary=', '--');
  const parts: { header: string; content: Buffer }[] = [];
  let rest = body;
  while (rest.toString('latin1') !== `${boundary}--\r\n`) {
    const text = rest.toString('latin1');
    const match = new RegExp(`^${boundary}\r\n([^]*?)\r\nContent-Length: (\\d+)\r\n\r\n`).exec(text);
    if (match === null) throw new Error(`not a part: ${text.slice(0, 80)}`);
    const start = match[0].length;
    const end = start + Number(match[2]);
    parts.push({ header: match[1]!, content: rest.subarray(start, end) });
    expect(rest.subarray(end, end + 2).toString()).toBe('\r\n');
    rest = rest.subarray(end + 2);
  }
  return parts;
}

function alertOf(sent: CameraEvent, retransmission: boolean) {
  const request = encodeHikvisionEvent(camera, sent, { macAddress: '02:00:00:00:00:01', retransmission });
  const xml = split(request.contentType, request.body)[0]!.content.toString('utf8');
  expect(XMLValidator.validate(xml)).toBe(true);
  const parsed = new XMLParser({ ignoreAttributes: false, parseTagValue: false }).parse(xml);
  expect(parsed.EventNotificationAlert['@_xmlns']).toBe('http://www.hikvision.com/ver20/XMLSchema');
  return parsed.EventNotificationAlert;
}
