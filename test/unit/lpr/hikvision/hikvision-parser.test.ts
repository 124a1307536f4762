import { describe, expect, it } from 'vitest';
import { parseHikvisionEvent } from '../../../../agent/lpr/hikvision/hikvision-parser.js';
import { cameraFixture } from '../camera-fixture.js';

const ZONE = 'Europe/Zagreb';

function readOf(xml: string) {
  const event = parseHikvisionEvent(xml, ZONE);
  if (event.kind !== 'read') throw new Error(`expected a read, got ${JSON.stringify(event)}`);
  return event;
}

/** The first fixture with one element's text replaced, or taken out. */
function withElement(name: string, text: string | null): string {
  const element = new RegExp(`<${name}>[^<]*</${name}>`);
  return cameraFixture('hikvision', 'anpr-forward.xml').replace(
    element,
    text === null ? '' : `<${name}>${text}</${name}>`,
  );
}

describe('parseHikvisionEvent', () => {
  it.each([
    ['forward', 'towards'],
    ['reverse', 'away'],
    ['unknown', 'unknown'],
    ['sideways', 'unknown'],
    ['', 'absent'],
    ['-', 'absent'],
    [null, 'absent'],
  ])('takes direction %s as %s', (direction, movement) => {
    expect(readOf(withElement('direction', direction)).read.movement).toBe(movement);
  });

  it.each([
    ['0', 0],
    ['97', 0.97],
    ['100', 1],
    ['140', 1],
    ['-3', 0],
    ['', null],
    ['high', null],
    [null, null],
  ])('takes confidenceLevel %s as %s', (level, confidence) => {
    expect(readOf(withElement('confidenceLevel', level)).read.confidence).toBe(confidence);
  });

  it.each([
    ['vehicle', 'car'],
    ['SUVMPV', 'car'],
    ['van', 'van'],
    ['truck', 'truck'],
    ['buggy', 'truck'],
    ['pickupTruck', 'truck'],
    ['largeBus', 'bus'],
    ['mediumBus', 'bus'],
    ['twoWheelVehicle', 'motorcycle'],
    ['threeWheelVehicle', null],
    ['pedestrian', null],
    ['unknown', null],
    [null, null],
  ])('takes vehicleType %s as %s', (vehicleType, type) => {
    expect(readOf(withElement('vehicleType', vehicleType)).read.type).toBe(type);
  });

  it.each([
    ['POL', '19', 'PL'],
    ['de', '19', 'DE'],
    ['NON', '19', 'HR'],
    ['NON', '0', null],
    ['', '999', null],
    [null, 'HRV', 'HR'],
  ])('takes country %s with index %s as %s', (abbreviation, index, code) => {
    const xml = withElement('countryAbbreviation', abbreviation).replace(
      '<country>19</country>',
      `<country>${index}</country>`,
    );
    expect(readOf(xml).read.country_code).toBe(code);
  });

  it.each([
    ['253', '46', 'TR'],
    ['253', '0', null],
    ['253', '', null],
    ['19', '46', 'HR'],
  ])('takes country %s with CRIndex %s as %s', (index, crIndex, code) => {
    const xml = cameraFixture('hikvision', 'anpr-picture-addresses.xml')
      .replace('<country>253<', `<country>${index}<`)
      .replace('<CRIndex>19<', `<CRIndex>${crIndex}<`);
    expect(readOf(xml).read.country_code).toBe(code);
  });

  it.each([
    [
      'fits its scale, whatever the picture measures',
      [413, 241, 26, 10],
      { x: 0.413, y: 0.241, width: 0.026, height: 0.01 },
    ],
    ['reaches the edge of its scale', [900, 950, 100, 50], { x: 0.9, y: 0.95, width: 0.1, height: 0.05 }],
    ['fits the picture alone', [1344, 776, 336, 97], { x: 0.5, y: 0.5, width: 0.125, height: 0.0625 }],
    ['reaches the edge of the picture', [2352, 1455, 336, 97], { x: 0.875, y: 0.9375, width: 0.125, height: 0.0625 }],
    ['fits neither', [2400, 776, 336, 97], null],
    ['begins before the picture', [-5, 241, 26, 10], null],
    ['is empty', [413, 241, 0, 10], null],
  ])('takes a box that %s as it is, and a wrong one as none', (_, [x, y, width, height], box) => {
    const rect = `<X>${x}</X><Y>${y}</Y><width>${width}</width><height>${height}</height>`;
    const xml = cameraFixture('hikvision', 'anpr-picture-addresses.xml').replace(
      /<plateRect>\s*<X>1344[\s\S]*?<\/plateRect>/,
      `<plateRect>${rect}</plateRect>`,
    );
    expect(readOf(xml).plate_box).toEqual(box);
  });

  it('takes no box for one of the scene that lies in what is cut out of it, or without a scale that it fits', () => {
    const xml = cameraFixture('hikvision', 'anpr-picture-addresses.xml');
    const withoutScene = xml.replace(/<pictureInfo>\s*<fileName>detection[\s\S]*?<\/pictureInfo>/, '');
    expect(readOf(withoutScene).plate_box).toBeNull();
    const unmeasured = xml.replace(/<detectionBackgroundImageResolution>[\s\S]*?<\/detection\w+>/, '');
    expect(readOf(unmeasured).plate_box).toBeNull();
  });

  it('takes a time without an offset as the camera zone has it', () => {
    expect(readOf(withElement('dateTime', '2026-07-01T10:00:00')).read.camera_time).toEqual({
      epoch_ms: Date.UTC(2026, 6, 1, 8),
      offset_min: null,
    });
    expect(readOf(withElement('dateTime', 'yesterday')).read.camera_time).toBeNull();
  });

  it('names an event without UUID by channel, time and plate, the same for its repeat', () => {
    const xml = withElement('UUID', null);
    expect(readOf(xml).read.vendor_event_id).toBe('1 2026-01-15T13:00:00+01:00 ZG4821AB');
    expect(readOf(xml.replace(/<dateTime>.*<\/dateTime>/, '')).read.vendor_event_id).toBeNull();
  });

  it.each([
    ['18', 'Skoda'],
    ['41', 'Mercedes'],
    ['0', null],
    ['1036', null],
    ['Škoda', 'Škoda'],
    ['unknown', null],
  ])('takes make %s as %s', (value, make) => {
    expect(readOf(withElement('vehicleLogoRecog', value)).read.make).toBe(make);
  });

  it.each([
    ['true', '0', true],
    ['false', '1', true],
    ['false', '0', false],
    [null, null, false],
  ])('takes isDataRetransmission %s with alarmDataType %s as %s', (flag, dataType, retransmission) => {
    const type = dataType === null ? '' : `<alarmDataType>${dataType}</alarmDataType>`;
    const xml = withElement('isDataRetransmission', flag).replace('</ANPR>', `${type}</ANPR>`);
    expect(readOf(xml).read.retransmission).toBe(retransmission);
  });

  it('takes control characters out', () => {
    expect(readOf(withElement('licensePlate', 'ZG\u0007 12&amp;3')).read.raw_plate).toBe('ZG 12&3');
  });
});
